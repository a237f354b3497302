import { own } from '../base/json.ts'
import type { Received } from './decode.ts'

/**
 * Assembles a message from the events of its stream. The SDK would fail if a server leaves out token counts, and a
 * paid answer would be lost. The arguments of a call stay text here; `calls.ts` parses them.
 */

type Fields = Record<string, unknown>

/** The reasons why events make no message: `broken` may succeed at the next attempt, `mixed` will not. */
export type Gathered = { message: Received } | { fault: 'broken' | 'mixed' | 'nothing' }

/** Assembles the message of a stream. Total: never throws, whatever the events hold. */
export function gather(events: unknown[]): Gathered {
  const blocks: Fields[] = []
  let message: Fields | undefined
  let isWhole = false
  for (const event of events.map(fields)) {
    if (event.type === 'message_start') {
      // Gateways repeat the first event; the parts of two interleaved messages have no mark that separates them.
      if (message && blocks.length > 0) return { fault: 'mixed' }
      message = fields(event.message)
      blocks.splice(0, blocks.length, ...list(message.content).map(fields))
      isWhole = false
    } else if (event.type === 'content_block_start')
      blocks[index(event, blocks.length)] = { ...fields(event.content_block) }
    else if (event.type === 'content_block_delta')
      add(blocks[index(event, blocks.length - 1)], fields(event.delta))
    else if (event.type === 'message_delta' && message) {
      const { stop_reason: reason } = fields(event.delta)
      message.stop_reason = reason ?? message.stop_reason
      message.usage = { ...fields(message.usage), ...present(fields(event.usage)) }
    }
    isWhole ||= event.type === 'message_stop'
  }
  if (!message) return { fault: 'nothing' }
  // A server that leaves out the last event but sends a stop reason has sent the whole answer.
  if (!isWhole && typeof message.stop_reason !== 'string') return { fault: 'broken' }
  return { message: { content: blocks.map(closed), stop_reason: message.stop_reason, usage: message.usage } }
}

/** The index of the block that an event is about: its own, else the given one. */
function index(event: Fields, otherwise: number): number {
  const named = event.index ?? otherwise
  return Number.isInteger(named) && Number(named) >= 0 && Number(named) <= otherwise
    ? Number(named)
    : otherwise
}

/** Fields of streamed pieces, by kind: the field of the piece, and the field of the block to append it to. */
const texts: Record<string, [piece: string, field: string]> = {
  text_delta: ['text', 'text'],
  input_json_delta: ['partial_json', 'json'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
}

function add(block: Fields | undefined, delta: Fields): void {
  const [piece, field] = own(texts, String(delta.type)) ?? []
  if (!block || !piece || !field || typeof delta[piece] !== 'string') return
  block[field] = (typeof block[field] === 'string' ? block[field] : '') + delta[piece]
}

/** Arguments arrive in pieces of text, or as a whole with the start of the block. */
function closed({ json, ...block }: Fields): Fields {
  return typeof json === 'string' && json !== '' ? { ...block, input: json } : block
}

/** Removes null values: a server sends null for a value that it does not know. */
function present(usage: Fields): Fields {
  return Object.fromEntries(
    Object.entries(usage).filter(([, value]) => value !== null && value !== undefined),
  )
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
