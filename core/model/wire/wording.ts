import type * as z from 'zod'
import { own } from '../../base/json.ts'

/** Describes a mistake in a request's shape as the API does: a path with the kinds of its blocks, and a sentence. */
export function wording(issue: z.core.$ZodIssue, input: unknown): string {
  const { path, sentence } = isMissing(issue, input)
    ? { path: issue.path, sentence: 'Field required' }
    : read(issue)
  return `${pathOf(path, input)}: ${sentence}`
}

type WordingReading = { path: PropertyKey[]; sentence: string }

const wanted: Record<string, string> = {
  string: 'a valid string',
  number: 'a valid number',
  int: 'a valid integer',
  boolean: 'a valid boolean',
  array: 'a valid list',
  object: 'a valid dictionary',
  record: 'a valid dictionary',
}

function read(issue: z.core.$ZodIssue): WordingReading {
  const { path } = issue
  switch (issue.code) {
    case 'unrecognized_keys':
      return { path: [...path, issue.keys[0] ?? ''], sentence: 'Extra inputs are not permitted' }
    case 'invalid_type':
      return { path, sentence: `Input should be ${own(wanted, issue.expected) ?? issue.expected}` }
    case 'invalid_value':
      return { path, sentence: `Input should be ${choices(issue.values)}` }
    case 'invalid_format':
      return { path, sentence: `String should match pattern '${issue.pattern?.replace(/^\/|\/$/g, '')}'` }
    case 'too_small':
      return { path, sentence: tooSmall(issue.origin, Number(issue.minimum)) }
    case 'invalid_union':
      return { path: path.slice(0, -1), sentence: 'Input tag does not match any of the expected tags' }
    default:
      return { path, sentence: issue.message }
  }
}

function tooSmall(origin: string, minimum: number): string {
  if (origin === 'array') return `at least ${minimum} message is required`
  if (origin === 'string') return `String should have at least ${minimum} character`
  return `Input should be greater than or equal to ${minimum}`
}

function choices(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${value}'`)
  const last = quoted.pop()
  return quoted.length === 0 ? `${last}` : `${quoted.join(', ')} or ${last}`
}

/** `messages.1.content.0.tool_use.id`: the kind of a block follows its index, `custom` follows the index of a tool. */
function pathOf(path: PropertyKey[], input: unknown): string {
  const parts: string[] = []
  let value = input
  for (const [index, key] of path.entries()) {
    value = (value as Record<PropertyKey, unknown> | undefined)?.[key]
    parts.push(String(key))
    const isLast = index === path.length - 1
    const kind = isLast ? undefined : wordingKind(key, path[index - 1], value)
    if (kind) parts.push(kind)
  }
  return parts.join('.')
}

function wordingKind(key: PropertyKey, parent: PropertyKey | undefined, value: unknown): string | undefined {
  if (parent === 'tools') return 'custom'
  if (parent !== 'content' && key !== 'source') return undefined
  const { type } = (value ?? {}) as { type?: unknown }
  return typeof type === 'string' ? type : undefined
}

function isMissing(issue: z.core.$ZodIssue, input: unknown): boolean {
  if (issue.code !== 'invalid_type' && issue.code !== 'invalid_value') return false
  const value = issue.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  )
  return value === undefined
}
