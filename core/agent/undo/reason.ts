import { filled, inLanguage, type Translated } from '../../base/language.ts'
import type { Obstacle } from './way.ts'

const sentences: Record<Obstacle | 'refused', Translated> = {
  missing: {
    en: 'There is no such record any more, or this user may not see it.',
    de: 'Diesen Datensatz gibt es nicht mehr, oder er ist nicht zu sehen.',
  },
  touched: {
    en: 'The record was changed again since.',
    de: 'Der Datensatz wurde seitdem noch einmal geändert.',
  },
  unknown: {
    en: 'The chat does not know all of what was there before. Put it back by hand, from the history of the record.',
    de: 'Der Chat kennt nicht alles, was vorher dort stand. Stellen Sie es von Hand wieder her, aus der Historie des Datensatzes.',
  },
  lasting: {
    en: 'The chat cannot delete records in this system. Delete the new record by hand.',
    de: 'Der Chat kann in diesem System keine Datensätze löschen. Löschen Sie den neuen Datensatz von Hand.',
  },
  refused: { en: 'The system refused it: {reason}', de: 'Das System hat es abgelehnt: {reason}' },
}

/** Tells the person why the undo leaves a record as it is; `refusal` is the reason of the CMS. */
export function reasonOf(why: Obstacle | { refusal: string }, lang: string): string {
  if (typeof why === 'string') return inLanguage(sentences[why], lang)
  return filled(inLanguage(sentences.refused, lang), lang, { reason: why.refusal })
}
