import { touched } from '../cms/touched.ts'
import { filled, inLanguage, type Translated } from '../language.ts'
import type { Obstacle } from './way.ts'

const sentences: Record<Obstacle | 'refused', Translated> = {
  missing: {
    en: 'There is no such record any more, or this user may not see it.',
    de: 'Diesen Datensatz gibt es nicht mehr, oder er ist nicht zu sehen.',
  },
  touched,
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

/** Why a record is left as it is, for the person; `refusal` is what the CMS says. */
export function reasonOf(why: Obstacle | { refusal: string }, lang: string): string {
  if (typeof why === 'string') return inLanguage(sentences[why], lang)
  return filled(inLanguage(sentences.refused, lang), lang, { reason: why.refusal })
}
