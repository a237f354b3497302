import { isDeeper, own } from '../base/json.ts'
import { citables } from './citable.ts'
import { believable, type EstimatedRequest } from './estimate.ts'
import { type Answer, type Citation, maxIdLength, type Part } from './model.ts'

/** A message of the provider; only its frame is certain. */
export type Received = { content: unknown; stop_reason: unknown; usage?: unknown }

type Block = Record<string, unknown>
type Call = Answer['calls'][number]

/** Replaces a missing name; no tool has this name. */
const unnamed = 'unnamed_tool'
/** Arguments with deeper nesting are dropped: the code that stores and sends them is recursive. */
const maxNesting = 50

/**
 * Converts the provider's message to an answer. Pure and total: the answer can be stored whatever the message holds.
 * Drops a call that was cut off, because its arguments may be incomplete, and all calls of a refused answer.
 */
export function decode(message: Received, asked: EstimatedRequest): Answer {
  const blocks = blocksOf(message)
  const uses = wholeCalls(message, blocks)
  const calls = uses.map(callOf)
  const places = new Map(uses.map((block, at) => [block, at]))
  const parts = blocks.flatMap((block) => partOf(block, places.get(block)))
  const stop = stopOf(message.stop_reason, calls.length > 0)
  const said = textOf(blocks, asked.request)
  const text = withoutThoughts(said.text, stop === 'end')
  // Citations have positions in the original text, so a changed text keeps no citations. A server that leaves thoughts
  // in the text sends no citations.
  const citations = text === said.text ? said.citations : []
  return {
    text,
    calls,
    stop,
    usage: believable(message.usage, asked, { text, calls }),
    ...(citations.length > 0 && { citations }),
    ...(calls.length > 0 && parts.some(isThought) && { parts }),
  }
}

/**
 * Returns the citation with the part of the request that the citation names. Returns undefined for an unknown kind, or
 * if the citation's numbers name no part of the request.
 */
function citationIn(
  cited: Block,
  { texts, documents }: ReturnType<typeof citables>,
  at: number,
): Citation | undefined {
  const isPage = cited.type === 'page_location'
  const block = isPage ? documents[Number(cited.document_index)] : texts[Number(cited.search_result_index)]
  const from = Number(isPage ? cited.start_page_number : cited.start_block_index)
  const to = Number(isPage ? cited.end_page_number : cited.end_block_index)
  const isKnown = isPage || cited.type === 'search_result_location'
  return isKnown && block && Number.isInteger(from) && to > from ? { at, block, from, to } : undefined
}

/**
 * Returns a block as a part of an answer. Leaves out a thought without a signature, because a server that sends one
 * does not need it back.
 */
function partOf(block: Block, at: number | undefined): Part[] {
  const { type, text, thinking, signature, data } = block
  if (type === 'tool_use') return at === undefined ? [] : [{ type: 'call', at }]
  if (type === 'text' && typeof text === 'string') return text.trim() === '' ? [] : [{ type, text }]
  if (type === 'redacted_thinking' && typeof data === 'string') return [{ type, data }]
  const isSigned = typeof thinking === 'string' && typeof signature === 'string' && signature !== ''
  return type === 'thinking' && isSigned ? [{ type, thinking, signature }] : []
}

const isThought = ({ type }: Part): boolean => type === 'thinking' || type === 'redacted_thinking'

function blocksOf({ content }: Received): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.filter((block) => typeof block === 'object' && block !== null)
}

function wholeCalls({ stop_reason: reason }: Received, blocks: Block[]): Block[] {
  const stop = stopOf(reason, false)
  if (stop === 'refusal') return []
  return (stop === 'end' ? blocks : blocks.slice(0, -1)).filter((block) => block.type === 'tool_use')
}

/**
 * Returns the text of the blocks with its citations. Adjacent texts form one paragraph; a call between two texts ends
 * the paragraph.
 */
function textOf(
  blocks: Block[],
  request: EstimatedRequest['request'],
): { text: string; citations: Citation[] } {
  const paragraphs: Block[][] = [[]]
  for (const block of blocks) {
    if (block.type !== 'text') paragraphs.push([])
    else if (typeof block.text === 'string') paragraphs.at(-1)?.push(block)
  }
  const filled = paragraphs.filter((texts) => texts.some(({ text }) => String(text).trim() !== ''))
  // Searches the request for citable parts only at the first citation, because most answers cite nothing.
  let sources: ReturnType<typeof citables> | undefined
  const found: Citation[] = []
  let whole = ''
  for (const paragraph of filled) {
    if (whole !== '') whole += '\n\n'
    for (const { text, citations } of paragraph) {
      const at = whole.length + String(text).trimEnd().length
      const cited: unknown[] = Array.isArray(citations) ? citations : []
      for (const one of cited) {
        sources ??= citables(request)
        const citation = citationIn(Object(one), sources, at)
        if (citation) found.push(citation)
      }
      whole += text
    }
  }
  return { text: whole, citations: found }
}

const firstThought = /^\s*<(think|thinking)>[\s\S]*?<\/\1>\s*/
const openThought = /^\s*<think(?:ing)?>/
/** A thought begins and ends on a separate line; an answer may mention the tags in the middle of a line. */
const beginning = /^(?=[ \t]*<think(?:ing)?>)/m
const end = /<\/think(?:ing)?>[ \t]*(?:\n\s*|$)/
const endAlone = /^[ \t]*<\/think(?:ing)?>\s*/m

/**
 * Removes thoughts from a text. Servers without a parser for thoughts leave thoughts in the text, sometimes without the
 * opening tag. Keeps a thought without an end if the answer is complete, because it may be the answer.
 */
function withoutThoughts(text: string, isEnded: boolean): string {
  const said = text.replace(firstThought, '')
  if (openThought.test(said)) return isEnded ? said : ''
  // A text with code may explain the tags of thoughts, so nothing more is removed from it.
  if (said.includes('```')) return said
  const [before, ...thoughts] = said.split(beginning)
  const whole = [before, ...thoughts.map(afterThought)].join('')
  const closing = endAlone.exec(whole)
  return closing ? whole.slice(closing.index + closing[0].length) : whole
}

/** Returns the text after the end of a thought; the whole text if the thought does not end. */
function afterThought(thought: string): string {
  const found = end.exec(thought)
  return found ? thought.slice(found.index + found[0].length) : thought
}

const namedCall =
  /^[ \t]*(?:<(?:tool_call|function_call)>|\[TOOL_CALLS\])\s{0,9}\[?\{[\s\S]{0,200}?"name"\s{0,9}:\s{0,9}"([^"]{1,200})"/m

/**
 * Returns the tool that a text calls in the model's own notation, if the server has no parser for calls; undefined for
 * no call.
 */
export const calledInText = (text: string): string | undefined => namedCall.exec(text)?.[1]

/** Stop reasons of other vendors that gateways pass on. */
const stops: Record<string, Answer['stop']> = {
  max_tokens: 'length',
  length: 'length',
  max_output_tokens: 'length',
  refusal: 'refusal',
  content_filter: 'refusal',
  content_filtered: 'refusal',
  guardrail_intervened: 'refusal',
  safety: 'refusal',
  model_context_window_exceeded: 'context',
  model_length: 'context',
}

/**
 * Returns the stop reason; if a server of the Messages API reports an unknown reason, the contents of the message
 * decide.
 */
function stopOf(reason: unknown, hasCalls: boolean): Answer['stop'] {
  const known = typeof reason === 'string' ? own(stops, reason.toLowerCase()) : undefined
  return known ?? (hasCalls ? 'calls' : 'end')
}

/**
 * Reads a call of the server at its position among the calls of the answer. Incomplete servers of the Messages API
 * leave out ids and names, or send arguments as text. A call that cannot be repaired keeps its place. Every tool
 * refuses its arguments, so that the model reads the mistake.
 */
function callOf(use: Record<string, unknown>, at: number): Call {
  return { id: idOf(use.id, at), name: toolName(use.name), arguments: argumentsOf(use) }
}

/** Returns the server's own id if it is usable, or else an id by the position of the call. */
function idOf(id: unknown, at: number): string {
  const given = typeof id === 'number' ? `call_${id}` : id
  const isUsable = typeof given === 'string' && given !== '' && given.length <= maxIdLength
  // On a plain object, an inherited name would be found although no call has that id.
  if (!isUsable || given in Object.prototype) return `call_${at + 1}`
  return given.toWellFormed()
}

function toolName(name: unknown): string {
  return typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 128).toWellFormed() : unnamed
}

function argumentsOf({ input }: Record<string, unknown>): Call['arguments'] {
  const value = unquoted(input)
  // PHP writes an object without members as a list without members.
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return {}
  if (typeof value !== 'object' || Array.isArray(value)) return fault('no JSON object')
  if (isDeeper(value, maxNesting)) return fault('nested too deep')
  return value as Call['arguments']
}

/** Parses arguments, which are JSON text. Some servers encode them as JSON twice, so they are parsed twice. */
function unquoted(input: unknown): unknown {
  let value = input
  for (let layer = 0; layer < 3 && typeof value === 'string'; layer++) {
    if (value.trim() === '') return {}
    try {
      value = JSON.parse(value)
    } catch {
      return value
    }
  }
  return value
}

/**
 * Returns arguments with a field that no tool knows. Tools refuse an unknown field and repeat its name, so the name of
 * this field tells the model its mistake.
 */
const fault = (what: string): Call['arguments'] => ({ [`(the arguments were ${what})`]: true })
