import { callOf } from './calls.ts'
import { type Asked, believable } from './estimate.ts'
import type { Answer, Part } from './model.ts'

/** A message of the provider, of which nothing is certain but its frame. */
export type Received = { content: unknown; stop_reason: unknown; usage?: unknown }

type Block = Record<string, unknown>

/**
 * The provider's message in our words. Pure, and total: whatever the message holds, the answer can be stored. A call
 * that was cut off is dropped, since its arguments may be a part of what was meant; calls of a refused answer are
 * dropped as well.
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

/** A thought without its signature comes from a server that does not ask for it back. */
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

/** Blocks that follow each other are one text; a call between two of them is a paragraph's end. */
function textOf(blocks: Block[]): string {
  const paragraphs: string[] = ['']
  for (const block of blocks) {
    if (block.type !== 'text') paragraphs.push('')
    else if (typeof block.text === 'string') paragraphs.push(`${paragraphs.pop() ?? ''}${block.text}`)
  }
  return paragraphs.filter((paragraph) => paragraph.trim() !== '').join('\n\n')
}

/** Servers without a parser for it leave what the model thinks at the beginning of its text. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<(think|thinking)>(?:[\s\S]*?<\/\1>\s*|[\s\S]*$)/, '')
}

/** Not every server that speaks the Messages API tells its reasons well; what the message holds decides then. */
function stopOf(reason: unknown, hasCalls: boolean): Answer['stop'] {
  if (reason === 'max_tokens') return 'length'
  if (reason === 'refusal') return 'refusal'
  if (reason === 'model_context_window_exceeded') return 'context'
  return hasCalls ? 'calls' : 'end'
}
