import * as z from 'zod'
import { type English, fillIn, inLanguage } from '../../base/language.ts'
import { membersOf, type Value } from './item.ts'
import type { FieldSpec } from './registry.ts'

/** The rules for the values of fields: pure. */

/** The problem of a value. */
export type Problem =
  | { problem: 'required' | 'oneLine' | 'text' | 'boolean' | 'date' | 'whole' }
  | { problem: 'tooLong'; max: number }
  | { problem: 'range'; min: number; max: number }
  | { problem: 'option'; options: string[] }
  | { problem: 'record'; table: string; uid: number }
  | { problem: 'uids' }

export type Checked = { value: Value } | Problem

const Moment = z.iso.datetime({ offset: true, local: true }).or(z.iso.date())

/**
 * Returns the value in stored form, or its problem. `relationsOf` returns the records of a relation, for a separate
 * check.
 */
export function check(field: FieldSpec, given: unknown): Checked {
  if (isEmpty(given)) return empty(field)
  if (field.kind === 'boolean') return checkFlag(given)
  if (field.kind === 'number') return checkNumber(field, given)
  if (isReference(field)) return checkNumber({ ...field, range: [0, Number.MAX_SAFE_INTEGER] }, given)
  if (field.kind === 'date') return checkMoment(given)
  return checkText(field, given)
}

const isReference = ({ kind }: FieldSpec) => kind === 'relation' || kind === 'media'

function isEmpty(given: unknown): boolean {
  return given === null || given === undefined || (typeof given === 'string' && given.trim() === '')
}

function empty(field: FieldSpec): Checked {
  if (field.required || field.kind === 'select') return { problem: 'required' }
  if (field.kind === 'date' || isReference(field)) return { value: null }
  if (field.kind === 'number') return { problem: 'whole' }
  if (field.kind === 'boolean') return { problem: 'boolean' }
  return { value: '' }
}

function checkFlag(given: unknown): Checked {
  if (typeof given === 'boolean') return { value: given }
  if (given === 'true' || given === 1 || given === '1') return { value: true }
  if (given === 'false' || given === 0 || given === '0') return { value: false }
  return { problem: 'boolean' }
}

function checkNumber(field: FieldSpec, given: unknown): Checked {
  const number = typeof given === 'string' ? Number(given) : given
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return { problem: 'whole' }
  const [min, max] = field.range ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
  if (number < min || number > max) return { problem: 'range', min, max }
  return { value: isReference(field) && number === 0 ? null : number }
}

/** Reads a time without an offset as UTC; a day begins at midnight UTC. */
function checkMoment(given: unknown): Checked {
  const parsed = Moment.safeParse(given)
  if (!parsed.success) return { problem: 'date' }
  const isLocal = parsed.data.includes('T') && !/(Z|[+-]\d\d:?\d\d)$/.test(parsed.data)
  const at = Date.parse(isLocal ? `${parsed.data}Z` : parsed.data)
  return Number.isNaN(at) ? { problem: 'date' } : { value: new Date(at).toISOString() }
}

function checkText(field: FieldSpec, given: unknown): Checked {
  if (typeof given === 'number' && field.list) return checkText(field, String(given))
  if (typeof given !== 'string') return { problem: 'text' }
  const text = field.kind === 'html' || field.kind === 'longtext' ? given : given.trim()
  const max = field.max ?? Number.MAX_SAFE_INTEGER
  if ([...text].length > max) return { problem: 'tooLong', max }
  if (field.kind === 'text' && /[\r\n]/.test(text)) return { problem: 'oneLine' }
  if (field.list) return checkList(field, text)
  if (field.options && !field.options.includes(text)) return { problem: 'option', options: field.options }
  return { value: text }
}

function checkList(field: FieldSpec, text: string): Checked {
  const parts = [...new Set(membersOf(text))]
  const { options, relation } = field
  if (options && !parts.every((part) => options.includes(part))) return { problem: 'option', options }
  if (relation && !parts.every((part) => /^[1-9][0-9]{0,14}$/.test(part))) return { problem: 'uids' }
  return { value: parts.join(',') }
}

/** Returns the records that a value refers to. */
export function relationsOf(field: FieldSpec, value: Value): { table: string; uid: number }[] {
  const table = field.relation
  if (!table || value === null || value === '') return []
  return String(value)
    .split(',')
    .map((uid) => ({ table, uid: Number(uid) }))
}

/** Returns the readable form of a value; null if there is no value. */
export function show(field: FieldSpec, value: Value, lang: string): string | null {
  if (value === null) return null
  if (field.kind !== 'boolean') return String(value)
  return inLanguage(value ? yes : no, lang)
}

const yes: English = { en: 'yes' }
const no: English = { en: 'no' }

const sentences: Record<Problem['problem'], English> = {
  required: { en: 'A value is needed.' },
  oneLine: { en: 'Only one line of text is possible.' },
  text: { en: 'A text is needed.' },
  boolean: { en: 'Only true or false is possible.' },
  date: { en: 'A date is needed, like 2026-05-31 or 2026-05-31T09:00:00Z.' },
  whole: { en: 'A whole number is needed.' },
  tooLong: { en: 'At most {max} characters are possible.' },
  range: { en: 'A number from {min} to {max} is needed.' },
  option: { en: 'Possible values: {options}.' },
  record: { en: 'There is no {table}:{uid}.' },
  uids: { en: 'Uids separated by commas are needed.' },
}

/** Returns the problem in a sentence, in the reader's language. */
export function explain(problem: Problem, lang: string): string {
  const params = Object.entries(problem).map(([name, value]) => [name, [value].flat().join(', ')])
  return fillIn(inLanguage(sentences[problem.problem], lang), lang, Object.fromEntries(params))
}
