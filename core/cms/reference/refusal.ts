import { ToolError, VisibleError } from '../../base/error.ts'
import { type English, inLanguage } from '../../base/language.ts'
import type { RecordId } from '../../conversation/schema.ts'
import type { Denial } from './permission.ts'
import { explain, type Problem } from './value.ts'

/** The reasons that refuse a write before anything is written: worded for the user who asked. */
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
const denials: Record<Denial, English> = {
  missing: { en: 'There is no such record, or this user may not see it.' },
  readOnly: { en: 'Records of this table cannot be changed.' },
  table: {
    en: 'The groups of this user may not change records of this table. An administrator can allow it.',
  },
  page: {
    en: 'This user has no right to do that on this page. An administrator, or the owner of the page, can give it.',
  },
  editlock: { en: 'This is locked: only administrators may edit it.' },
  language: {
    en: 'The groups of this user may not change records in this language. An administrator can allow it.',
  },
}

/** A put that is refused before anything is written; the model reads it, with a hint how to call better. */
export class Refused extends ToolError {
  readonly #refusal: Refusal

  constructor(refusal: Refusal) {
    super(sentenceOf(refusal))
    this.#refusal = refusal
  }

  /** The reason; no part of what a caller compares or prints. */
  get refusal(): Refusal {
    return this.#refusal
  }
}

/** Refuses for a reason that no form of the backend can cause. */
export function refuse(sentence: string): never {
  throw new Refused({ refused: 'other', sentence })
}

/** Refuses where the rights of the actor do. */
export function denyFor({ table, uid }: { table: string; uid: RecordId | null }, denial: Denial | undefined) {
  if (denial) throw new Refused({ refused: denial, table, uid })
}

function sentenceOf(refusal: Refusal): string {
  switch (refusal.refused) {
    case 'missing':
      return `There is no ${refusal.table}${refusal.uid === null ? '' : ` with uid ${refusal.uid}`}, or this user may not see it. Look it up first.`
    case 'unknownTable':
      return `There is no table "${refusal.table}", or this user may not see it. Tables: ${refusal.known.join(', ')}.`
    case 'unknownField':
      return `The table ${refusal.table} has no field ${refusal.fields.join(', ')} for this user. Fields: ${refusal.known.join(', ')}.`
    case 'readOnlyField':
      return `These fields cannot be changed: ${refusal.fields.join(', ')}. Leave them out.`
    case 'invalid': {
      const problems = Object.entries(refusal.problems)
      return problems.map(([field, problem]) => `${field}: ${explain(problem, 'en')}`).join('\n')
    }
    case 'published':
      return 'New records are always hidden. Leave "hidden" out; a person publishes them.'
    case 'other':
      return refusal.sentence
    default:
      return denials[refusal.refused].en
  }
}

/** Throws a refusal as a person reads it who edited the record by hand: what is wrong with which field. */
export function throwVisible(error: unknown, lang: string): never {
  if (!(error instanceof Refused)) throw error
  const { refusal } = error
  if (refusal.refused === 'missing' || refusal.refused === 'unknownTable')
    throw new VisibleError('record.notFound')
  const code = refusal.refused in denials ? 'record.notAllowed' : 'request.invalid'
  throw new VisibleError(code, { fields: sentencesOf(refusal, lang) })
}

const fixed = { en: 'This field cannot be changed.' }

function sentencesOf(refusal: Refusal, lang: string): Record<string, string> {
  const all = (fields: string[], sentence: string) =>
    Object.fromEntries(fields.map((field) => [field, sentence]))
  switch (refusal.refused) {
    case 'invalid': {
      const problems = Object.entries(refusal.problems)
      return Object.fromEntries(problems.map(([field, problem]) => [field, explain(problem, lang)]))
    }
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
      return { record: inLanguage(denials[refusal.refused], lang) }
  }
}
