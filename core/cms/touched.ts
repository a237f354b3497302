import type { Translated } from '../language.ts'

/** Why an undo leaves a record as it is that has another change on top. */
export const touched: Translated = {
  en: 'The record was changed again since.',
  de: 'Der Datensatz wurde seitdem noch einmal geändert.',
}
