import type * as z from 'zod'
import { own } from '../../base/json.ts'
import { brokenMedia } from './media.ts'
import { blocksOf, factsOf, type ModelFacts, WireRequest } from './shape.ts'
import { brokenTurn } from './turns.ts'

/**
 * Validates a request as the Messages API would, with the API's own error messages. The demo model and the server of
 * the tests use this file. They refuse every request that the real API would refuse.
 */

export type Refusal = {
  status: 400 | 404
  type: 'invalid_request_error' | 'not_found_error'
  message: string
}
export type Verdict = { ok: true; request: WireRequest } | { ok: false; refusal: Refusal }

const maxMessages = 100_000
const maxBreakpoints = 4
/**
 * The assumed number of characters of a token. It is higher than in real texts, so that the check refuses no request
 * that the real tokenizer would accept.
 */
const charsPerToken = 4

/** Accepts a parsed body, or returns its first mistake. */
export function validate(body: unknown): Verdict {
  const parsed = WireRequest.safeParse(body, { error: sentenceOf })
  const [issue] = parsed.error?.issues ?? []
  if (issue)
    return refusedWith(
      400,
      'invalid_request_error',
      `${pathOf(pathToMistake(issue), body)}: ${issue.message}`,
    )
  const request = parsed.data as WireRequest
  const facts = factsOf(request.model)
  if (!facts) return refusedWith(404, 'not_found_error', `model: ${request.model}`)
  const broken =
    brokenLimit(request, facts) ??
    brokenTools(request) ??
    brokenCache(request) ??
    brokenThinking(request) ??
    brokenTurn(request, facts) ??
    brokenMedia(request, facts)
  return broken ? refusedWith(400, 'invalid_request_error', broken) : { ok: true, request }
}

function refusedWith(status: Refusal['status'], type: Refusal['type'], message: string): Verdict {
  return { ok: false, refusal: { status, type, message } }
}

function brokenLimit(request: WireRequest, facts: ModelFacts): string | undefined {
  if (request.max_tokens > facts.maxOutputTokens)
    return `max_tokens: ${request.max_tokens} > ${facts.maxOutputTokens}, which is the maximum allowed number of output tokens for ${request.model}`
  if (request.messages.length > maxMessages) return `messages: at most ${maxMessages} messages are allowed`
  const tokens = tokensOf(request)
  return tokens > facts.contextTokens
    ? `prompt is too long: ${tokens} tokens > ${facts.contextTokens} maximum`
    : undefined
}

/** Returns a rough count of the tokens in the text of a request, without images and documents. */
export function tokensOf(request: WireRequest): number {
  const text = JSON.stringify([request.system, request.tools, request.messages], (key, value) =>
    key === 'data' ? undefined : value,
  )
  return Math.ceil(text.length / charsPerToken)
}

function brokenTools({ tools = [], tool_choice }: WireRequest): string | undefined {
  const names = tools.map(({ name }) => name)
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.'
  if (!tool_choice) return undefined
  if (tools.length === 0) return 'tool_choice: `tool_choice` may only be specified while providing `tools`.'
  if (tool_choice.type !== 'tool' || names.includes(tool_choice.name)) return undefined
  return `tool_choice: Tool '${tool_choice.name}' not found in provided tools`
}

/** Checks breakpoints in the order of the prefix: tools, system, messages, and the automatic one at the end. */
function brokenCache(request: WireRequest): string | undefined {
  const parts = [
    ...(request.tools ?? []),
    ...(request.system ?? []),
    ...request.messages.flatMap(blocksOf).map(({ block }) => block),
    request,
  ]
  const breakpoints = parts.flatMap((part) =>
    'cache_control' in part && part.cache_control ? [part.cache_control] : [],
  )
  if (breakpoints.length > maxBreakpoints)
    return `A maximum of ${maxBreakpoints} blocks with cache_control may be provided. Found ${breakpoints.length}.`
  const firstShort = breakpoints.findIndex(({ ttl }) => ttl !== '1h')
  const lastLong = breakpoints.findLastIndex(({ ttl }) => ttl === '1h')
  return firstShort !== -1 && lastLong > firstShort
    ? "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
    : undefined
}

function brokenThinking({ thinking, max_tokens }: WireRequest): string | undefined {
  if (thinking?.type !== 'enabled' || thinking.budget_tokens < max_tokens) return undefined
  return '`max_tokens` must be greater than `thinking.budget_tokens`'
}

const wanted: Record<string, string> = {
  string: 'a valid string',
  number: 'a valid number',
  int: 'a valid integer',
  boolean: 'a valid boolean',
  array: 'a valid list',
  object: 'a valid dictionary',
  record: 'a valid dictionary',
}

/** Describes a mistake in the shape of a request in the API's words; undefined for one that zod describes. */
function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  const isMissing = issue.input === undefined
  switch (issue.code) {
    case 'unrecognized_keys':
      return 'Extra inputs are not permitted'
    case 'invalid_type':
      return isMissing ? 'Field required' : `Input should be ${own(wanted, issue.expected) ?? issue.expected}`
    case 'invalid_value':
      return isMissing ? 'Field required' : `Input should be ${choices(issue.values)}`
    case 'invalid_format':
      return `String should match pattern '${issue.pattern?.replace(/^\/|\/$/g, '')}'`
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum))
    case 'invalid_union':
      return 'Input tag does not match any of the expected tags'
    default:
      return undefined
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

/** Returns the path of a mistake: to the unknown field itself, or to the block of an unknown kind. */
function pathToMistake(issue: z.core.$ZodIssue): PropertyKey[] {
  if (issue.code === 'unrecognized_keys') return [...issue.path, issue.keys[0] ?? '']
  return issue.code === 'invalid_union' ? issue.path.slice(0, -1) : issue.path
}

/**
 * Returns the path as the API writes it, such as `messages.1.content.0.tool_use.id`: the kind of a block follows its
 * index, and `custom` follows the index of a tool.
 */
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
