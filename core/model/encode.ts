import type {
  ContentBlockParam,
  MessageCreateParamsBase,
  MessageParam,
  SearchResultBlockParam,
  TextBlockParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages/messages'
import { canonical } from '../base/hash.ts'
import type { ImageBlock } from '../conversation/transcript/schema.ts'
import { isCitable, partsOf } from './citable.ts'
import type { AssistantBlock, ModelMessage, ModelRequest, ToolSpec, UserBlock } from './model.ts'

/**
 * Encodes a request for the Messages API, field by field: the API refuses every unknown field, and all sampling
 * parameters (`temperature` …). The positions of messages and blocks stay the same up to `latePlace`. An error that
 * names `messages.N.content.M` can be traced back.
 */

type Block = Exclude<ContentBlockParam, { type: 'thinking' | 'redacted_thinking' }>
type EncodedEntry = { role: 'user'; content: Block[] } | { role: 'assistant'; content: ContentBlockParam[] }
type SystemPart = ModelRequest['system'][number]

/** The system prompt gets this many of the API's four cache breakpoints; the other two mark the end of the history. */
const systemBreakpoints = 2
const ephemeral = { type: 'ephemeral' } as const

/**
 * The ids of calls that the server accepts. `plain`: `^[a-zA-Z0-9_-]+$`, as Anthropic demands. `given`: the server's
 * own ids, unchanged. Servers of other models store data in them, which the next request must return.
 */
export type Ids = 'plain' | 'given'

/** Optional request features that the server of a model accepts. */
export type Manner = {
  ids?: Ids | undefined
  /** System messages between the other messages, directly after a user message. */
  systemMessages?: boolean | undefined
  /** Cache breakpoints that keep the prefix for an hour. */
  hourCache?: boolean | undefined
  /** Results of tools and files as blocks that an answer cites. */
  citations?: boolean | undefined
}

/**
 * Returns the parameters of one call. Pure: the same request gives the same bytes, so that the provider's cache holds.
 */
export function encodeMessages(
  model: string,
  request: ModelRequest,
  manner: Manner = {},
): MessageCreateParamsBase {
  const { tools, reasoning: { effort, thinking } = {} } = request
  const place = latePlace(request, manner)
  const system = systemParts(
    request.system.filter((part) => place === undefined || !isLate(part)),
    manner,
  )
  const hasTools = tools.length > 0
  const sources = hasTools ? request.messages : request.messages.map(withoutTools)
  const tail = tailOf(request)
  const form = formOf(request, manner)
  const messages = sources.map((source, at) => message(source, form, tail.includes(at)))
  return {
    model,
    max_tokens: request.maxTokens,
    ...(effort && { output_config: { effort } }),
    ...(thinking && { thinking: { type: thinking } }),
    ...(system.length > 0 && { system }),
    messages: place === undefined ? messages : withLate(messages, request.system.filter(isLate), place),
    ...(hasTools && { tools: tools.map(tool), tool_choice: { type: request.toolChoice } }),
  }
}

/** The encoding of a request's blocks; `names` has the tool names of the calls by call id. */
type Form = { idOf: (id: string) => string; cites: boolean; names: ReadonlyMap<string, string> }

function formOf({ messages, tools }: ModelRequest, { ids = 'plain', citations = false }: Manner): Form {
  const calls = messages
    .flatMap(({ content }): (AssistantBlock | UserBlock)[] => content)
    .filter((block) => block.type === 'tool_call')
  const names = new Map(calls.map(({ id, name }) => [id, name]))
  const plain = ids === 'plain' ? plainIds([...names.keys()]) : new Map<string, string>()
  // The API accepts citations for all blocks of a request or for none.
  return { idOf: (id) => plain.get(id) ?? id, cites: citations && tools.length > 0, names }
}

/** Maps each id to a unique plain form. */
function plainIds(ids: string[]): Map<string, string> {
  const plain = new Map<string, string>()
  const taken = new Set<string>()
  for (const given of ids) {
    const word = given.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 100) || '_'
    let id = word
    for (let copy = 2; taken.has(id); copy++) id = `${word}_${copy}`
    taken.add(id)
    plain.set(given, id)
  }
  return plain
}

/**
 * Returns the index of the system message with the late parts, directly after the user's newest message; the results of
 * a stopped turn may stand in it too. The history before it stays in the cache whatever the late parts say. Returns
 * undefined if there is no such message.
 */
export function latePlace({ system, messages }: ModelRequest, manner: Manner): number | undefined {
  const speaks = (at: number) => messages[at]?.content.some(({ type }) => type !== 'tool_result')
  const start = usersOf(messages).findLast(speaks)
  return manner.systemMessages && start !== undefined && system.some(isLate) ? start + 1 : undefined
}

const isLate = ({ text, late }: SystemPart) => late === true && text.trim() !== ''

/** Returns the indexes of messages that begin turns: user messages without results of tools. */
function startsOf(messages: ModelRequest['messages']): number[] {
  return usersOf(messages).filter((at) => messages[at]?.content.every(({ type }) => type !== 'tool_result'))
}

function usersOf(messages: ModelRequest['messages']): number[] {
  return messages.flatMap(({ role, content }, at) => (role === 'user' && content.length > 0 ? [at] : []))
}

function withLate(messages: MessageParam[], late: SystemPart[], place: number): MessageParam[] {
  return messages.toSpliced(place, 0, { role: 'system', content: late.map(({ text }) => textParam(text)) })
}

const textParam = (text: string): TextBlockParam => ({ type: 'text', text: text.toWellFormed() })

function systemParts(parts: SystemPart[], { hourCache = false }: Manner): TextBlockParam[] {
  const filled = parts.filter((part) => part.text.trim() !== '')
  const marked = filled.filter((part) => part.cache).slice(-systemBreakpoints)
  return filled.map((part) => ({
    ...textParam(part.text),
    ...(marked.includes(part) && {
      cache_control: part.cache === 'hour' && hourCache ? { ...ephemeral, ttl: '1h' as const } : ephemeral,
    }),
  }))
}

function tool(spec: ToolSpec): Tool {
  return {
    name: spec.name,
    description: spec.description,
    input_schema: { ...spec.schema, type: 'object' },
  }
}

/**
 * Prepares a message for a request without tools, which must not contain calls: turns the calls and results of earlier
 * turns into text, and drops thoughts.
 */
function withoutTools(source: ModelMessage): ModelMessage {
  if (source.role === 'user') return { ...source, content: source.content.map(resultAsText) }
  const said = source.content.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking')
  return { ...source, content: said.map(callAsText) }
}

function resultAsText(block: UserBlock): UserBlock {
  if (block.type !== 'tool_result') return block
  return { type: 'text', text: `[Result of a tool${block.isError ? ', an error' : ''}]\n${block.text}` }
}

function callAsText(block: AssistantBlock): AssistantBlock {
  if (block.type !== 'tool_call') return block
  return { type: 'text', text: `[Called ${block.name} with ${canonical(wellFormed(block.arguments))}]` }
}

/** Encodes a message; with `isMarked`, its end is a cache breakpoint. */
function message(source: ModelMessage, form: Form, isMarked: boolean): EncodedEntry {
  if (source.role === 'assistant')
    return { role: 'assistant', content: source.content.map((block) => assistantBlock(block, form)) }
  const content = source.content.map((block) => userBlock(block, form))
  const last = content.at(-1)
  const marked = isMarked && last ? content.with(-1, { ...last, cache_control: ephemeral }) : content
  return { role: 'user', content: marked }
}

function userBlock(block: UserBlock, { idOf, cites, names }: Form): Block {
  const citing = cites && isCitable(block)
  switch (block.type) {
    case 'text':
      return citing ? citedText(block.text, `file ${block.fileUid}`) : textParam(block.text)
    case 'image':
      return imageParam(block)
    case 'document':
      return {
        type: 'document',
        source: { type: 'base64', media_type: block.mimeType, data: block.base64 },
        title: block.title.toWellFormed(),
        ...(cites && { citations: { enabled: true } }),
      }
    case 'tool_result':
      return {
        type: 'tool_result',
        tool_use_id: idOf(block.callId),
        content: resultContent(block, citing ? (names.get(block.callId) ?? 'tool') : undefined),
        ...(block.isError && { is_error: true }),
      }
  }
}

/**
 * Returns a text whose lines an answer can cite. The product names its source, because a title that a stranger wrote
 * would stand outside the marks around untrusted text.
 */
function citedText(text: string, source: string): SearchResultBlockParam {
  return {
    type: 'search_result',
    source,
    title: source,
    content: partsOf(said(text)).map((part) => ({ type: 'text', text: part })),
    citations: { enabled: true },
  }
}

const said = (text: string) => text.toWellFormed() || '(no output)'

/** Returns the content of a result: its text, citable if it has a source, followed by its pictures. */
function resultContent({ text, images = [] }: Extract<UserBlock, { type: 'tool_result' }>, source?: string) {
  if (source === undefined && images.length === 0) return said(text)
  const first = source === undefined ? { type: 'text' as const, text: said(text) } : citedText(text, source)
  return [first, ...images.map(imageParam)]
}

const imageParam = ({ mimeType, base64 }: ImageBlock) => ({
  type: 'image' as const,
  source: { type: 'base64' as const, media_type: mimeType, data: base64 },
})

/** Returns thoughts unchanged: a single changed letter would break their signature. */
function assistantBlock(block: AssistantBlock, { idOf }: Form): ContentBlockParam {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return block
  if (block.type === 'text') return textParam(block.text)
  return { type: 'tool_use', id: idOf(block.id), name: block.name, input: wellFormed(block.arguments) }
}

/**
 * Removes unpaired surrogates, which a cut inside an emoji leaves, because the API cannot read them in JSON. Also sorts
 * the keys: the table does not keep their order, and another order would miss the prompt cache.
 */
function wellFormed(value: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(canonical(value), (_, item) => (typeof item === 'string' ? item.toWellFormed() : item))
}

/**
 * Returns the indexes of the messages that get a cache breakpoint: the last user message, and the message with the
 * breakpoint of the previous call. So this call finds that cache entry even after many blocks. The first call of a turn
 * finds the entry of the previous turn.
 */
function tailOf({ messages }: ModelRequest): number[] {
  const users = usersOf(messages)
  const starts = startsOf(messages)
  const before = starts.length > 1 && starts.at(-1) === users.at(-1) ? starts.at(-2) : users.at(-2)
  return [before, users.at(-1)].filter((at) => at !== undefined)
}
