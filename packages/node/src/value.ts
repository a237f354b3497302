import { ToolError } from '../../../core/base/error.ts'
import { isRecord } from '../../../core/base/json.ts'
import { isTree } from '../../../core/cms/lexical.ts'
import type { FieldKind } from '../../../core/cms/schema.ts'

/**
 * `takes`: the allowed values of a field, in words for the model. `keep` returns the stored form of a value, or
 * undefined if the value is not allowed.
 */
export type Rule = { takes: string; keep(value: unknown): unknown }

const isText = (value: unknown) => typeof value === 'string'
const isId = (value: unknown) => isText(value) || Number.isSafeInteger(value)

/** True if the value is a list and every item fits. */
export const isListOf = (value: unknown, fits: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(fits)

/** Returns a rule that allows the values for which `fits` is true, and keeps them unchanged. */
export const ruleFor = (takes: string, fits: (value: unknown) => boolean): Rule => ({
  takes,
  keep: (value) => (fits(value) ? value : undefined),
})

const ofWords = ruleFor('a text', isText)
/** A day or a time in ISO 8601. Node alone also reads `2026` and words. */
const time = /^[1-9]\d{3}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/
const timeOf = (value: unknown) =>
  typeof value === 'string' && time.test(value) && !Number.isNaN(Date.parse(value))
    ? new Date(value).toISOString()
    : undefined

/** Returns the rule of a kind of field. For relations and media, the CMS also has to check that the record exists. */
export function ruleOf(kind: FieldKind, options: readonly string[] = []): Rule {
  const rules: Record<FieldKind, Rule> = {
    text: ofWords,
    longtext: ofWords,
    html: ruleFor('HTML', isText),
    blocks: ruleFor('a list', Array.isArray),
    number: ruleFor('a number', Number.isFinite),
    boolean: ruleFor('true or false', (value) => typeof value === 'boolean'),
    date: { takes: 'a time in ISO 8601', keep: timeOf },
    select: ruleFor(`one of these: ${options.join(', ')}`, (value) => options.includes(value as string)),
    relation: ruleFor('the id of a record, or several', (value) => [value].flat().every(isId)),
    media: ruleFor('the id of a file', isId),
  }
  return rules[kind]
}

/** Returns the value of a field in its stored form. Throws ToolError if the rule does not allow the value. */
export async function keepValue(
  { name, required, max }: { name: string; required: boolean; max: number | null },
  { takes, keep }: Rule,
  value: unknown,
): Promise<unknown> {
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (required && isEmpty) throw new ToolError(`The field ${name} has to have a value.`)
  if (value === null) return null
  const kept = await keep(value)
  if (kept === undefined) throw new ToolError(`The field ${name} takes ${takes}.`)
  const length = typeof kept === 'string' ? [...kept].length : 0
  if (max !== null && length > max)
    throw new ToolError(`The field ${name} takes at most ${max} characters; these are ${length}.`)
  return kept
}

/**
 * Returns a function that replaces the ids of the rows inside a value by new ids. In all values, the same old id
 * becomes the same new id. Rich text stays unchanged.
 */
export function newIds(idOf: () => string): (value: unknown) => unknown {
  const ids = new Map<unknown, string>()
  const renewed = (value: unknown, name = ''): unknown => {
    if (name === 'id') ids.set(value, ids.get(value) ?? idOf())
    if (name === 'id') return ids.get(value)
    if (Array.isArray(value)) return value.map((row) => renewed(row))
    if (!isRecord(value) || isTree(value)) return value
    return Object.fromEntries(Object.entries(value).map(([inner, it]) => [inner, renewed(it, inner)]))
  }
  return (value) => renewed(value)
}
