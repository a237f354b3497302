import { callOf } from './calls.ts'
import { type Asked, believable } from './estimate.ts'
import type { Answer, Part } from './model.ts'

/** A message of the provider; only its frame is certain. */
export type Received = { content: unknown; stop_reason: unknown; usage?: unknown }

type Block = Record<string, unknown>

/**
 * Converts the provider's message to an answer. Pure and total: the answer can be stored whatever the message holds.
 * Drops a call that was cut off, because its arguments may be incomplete, and all calls of a refused answer.
 */
export function decode(message: Received, asked: Asked): Answer {
  const blocks = blocksOf(message)
  const uses = wholeCalls(message, blocks)
  const calls = uses.map(callOf)
  const places = new Map(uses.map((block, at) => [block, at]))
  const parts = blocks.flatMap((block) => partOf(block, places.get(block)))
  const text = withoutThoughts(textOf(blocks))
  return {
    text,
    calls,
    stop: stopOf(message.stop_reason, calls.length > 0),
    usage: believable(message.usage, asked, { text, calls }),
    ...(calls.length > 0 && parts.some(isThought) && { parts }),
  }
}

/** A thought without a signature comes from a server that does not need it back. */
function partOf(block: Block, at: number | undefined): Part[] {
  const { type, text, thinking, signature, data } = block
  if (type === 'tool_use') return at === undefined ? [] : [{ type: 'call', at }]
  if (type === 'text' && typeof text === 'string') return text.trim() === '' ? [] : [{ type, text }]
  if (type === 'redacted_thinking' && typeof data === 'string') return [{ type, data }]
  const isSigned = typeof thinking === 'string' && typeof signature === 'string' && signature !== ''
  return type === 'thinking' && isSigned ? [{ type, thinking, signature }] : []
}

function isThought({ type }: Part): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

function blocksOf({ content }: Received): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.filter((block) => typeof block === 'object' && block !== null)
}

function wholeCalls({ stop_reason: reason }: Received, blocks: Block[]): Block[] {
  if (reason === 'refusal') return []
  const isCut = reason === 'max_tokens' || reason === 'model_context_window_exceeded'
  return (isCut ? blocks.slice(0, -1) : blocks).filter((block) => block.type === 'tool_use')
}

/** Adjacent blocks form one text; a call between two of them ends a paragraph. */
function textOf(blocks: Block[]): string {
  const paragraphs: string[] = ['']
  for (const block of blocks) {
    if (block.type !== 'text') paragraphs.push('')
    else if (typeof block.text === 'string') paragraphs.push(`${paragraphs.pop() ?? ''}${block.text}`)
  }
  return paragraphs.filter((paragraph) => paragraph.trim() !== '').join('\n\n')
}

/** Removes a thought at the beginning of a text; servers without a parser for thoughts leave it there. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<(think|thinking)>(?:[\s\S]*?<\/\1>\s*|[\s\S]*$)/, '')
}

/** Some servers of the Messages API report wrong stop reasons; then the contents of the message decide. */
function stopOf(reason: unknown, hasCalls: boolean): Answer['stop'] {
  if (reason === 'max_tokens') return 'length'
  if (reason === 'refusal') return 'refusal'
  if (reason === 'model_context_window_exceeded') return 'context'
  return hasCalls ? 'calls' : 'end'
}
