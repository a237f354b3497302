import { ToolError, VisibleError } from '../../base/error.ts'
import { inLanguage, type Translated } from '../../base/language.ts'
import type { RecordId } from '../../conversation/schema.ts'
import type { Denial } from './permission.ts'
import { explain, type Problem } from './value.ts'

/** The reasons that refuse a write before anything is written: pure, and worded for the user who asked. */
export type Refusal =
  | { refused: Denial; table: string; uid: RecordId | null }
  | { refused: 'unknownTable'; table: string; known: string[] }
  | { refused: 'unknownField'; table: string; fields: string[]; known: string[] }
  | { refused: 'readOnlyField'; table: string; fields: string[] }
  | { refused: 'invalid'; problems: Record<string, Problem> }
  | { refused: 'published' }
  /** A reason for the model alone: no form of the backend can cause it. */
  | { refused: 'other'; sentence: string }

/** A missing record and one that the user may not see read the same. */
const denials: Record<Denial, Translated> = {
  missing: {
    en: 'There is no such record, or this user may not see it.',
    de: 'Diesen Datensatz gibt es nicht, oder er ist nicht zu sehen.',
  },
  readOnly: {
    en: 'Records of this table cannot be changed.',
    de: 'Datensätze dieser Tabelle lassen sich nicht ändern.',
  },
  table: {
    en: 'The groups of this user may not change records of this table. An administrator can allow it.',
    de: 'Die Gruppen dieses Benutzers dürfen Datensätze dieser Tabelle nicht ändern. Ein Administrator kann es erlauben.',
  },
  page: {
    en: 'This user has no right to do that on this page. An administrator, or the owner of the page, can give it.',
    de: 'Dieser Benutzer hat auf dieser Seite kein Recht dazu. Ein Administrator oder der Besitzer der Seite kann es geben.',
  },
  editlock: {
    en: 'This is locked: only administrators may edit it.',
    de: 'Dies ist gesperrt: Nur Administratoren dürfen es bearbeiten.',
  },
  language: {
    en: 'The groups of this user may not change records in this language. An administrator can allow it.',
    de: 'Die Gruppen dieses Benutzers dürfen Datensätze in dieser Sprache nicht ändern. Ein Administrator kann es erlauben.',
  },
}

/** Why the actor may not do something, in a sentence. */
export function denialSentence(denial: Denial, lang: string): string {
  return inLanguage(denials[denial], lang)
}

/** A refusal as the model reads it, with a hint how to call better. */
export function toToolError(refusal: Refusal): ToolError {
  switch (refusal.refused) {
    case 'missing':
      return new ToolError(
        `There is no ${refusal.table}${refusal.uid === null ? '' : ` with uid ${refusal.uid}`}, or this user may not see it. Look it up first.`,
      )
    case 'unknownTable':
      return new ToolError(
        `There is no table "${refusal.table}", or this user may not see it. Tables: ${refusal.known.join(', ')}.`,
      )
    case 'unknownField':
      return new ToolError(
        `The table ${refusal.table} has no field ${refusal.fields.join(', ')} for this user. Fields: ${refusal.known.join(', ')}.`,
      )
    case 'readOnlyField':
      return new ToolError(`These fields cannot be changed: ${refusal.fields.join(', ')}. Leave them out.`)
    case 'invalid':
      return new ToolError(
        Object.entries(refusal.problems)
          .map(([field, problem]) => `${field}: ${explain(problem, 'en')}`)
          .join('\n'),
      )
    case 'published':
      return new ToolError('New records are always hidden. Leave "hidden" out; a person publishes them.')
    case 'other':
      return new ToolError(refusal.sentence)
    default:
      return new ToolError(denialSentence(refusal.refused, 'en'))
  }
}

/** A refusal as a person reads it who edited the record by hand: what is wrong with which field. */
export function toVisibleError(refusal: Refusal, lang: string): VisibleError {
  if (refusal.refused === 'missing' || refusal.refused === 'unknownTable')
    return new VisibleError('record.notFound')
  if (refusal.refused in denials)
    return new VisibleError('record.notAllowed', { fields: sentencesOf(refusal, lang) })
  return new VisibleError('request.invalid', { fields: sentencesOf(refusal, lang) })
}

const fixed = { en: 'This field cannot be changed.', de: 'Dieses Feld lässt sich nicht ändern.' }

function sentencesOf(refusal: Refusal, lang: string): Record<string, string> {
  const all = (fields: string[], sentence: string) =>
    Object.fromEntries(fields.map((field) => [field, sentence]))
  switch (refusal.refused) {
    case 'invalid':
      return Object.fromEntries(
        Object.entries(refusal.problems).map(([field, problem]) => [field, explain(problem, lang)]),
      )
    case 'unknownField':
    case 'readOnlyField':
      return all(refusal.fields, inLanguage(fixed, lang))
    case 'published':
      return all(['hidden'], inLanguage(fixed, lang))
    case 'missing':
    case 'unknownTable':
    case 'other':
      return {}
    default:
      return { record: denialSentence(refusal.refused, lang) }
  }
}
