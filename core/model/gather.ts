import type { Received } from './decode.ts'

/**
 * A message put together from the events of its stream. Done here and not by the SDK, because the SDK fails where a
 * server leaves out what it counts, and a paid answer would be lost with it. The arguments of a call stay the text that
 * they are; what they hold is decided where calls are decoded.
 */

type Fields = Record<string, unknown>

/** Why events make no message: `broken` may be whole at the next attempt, `mixed` will not. */
export type Gathered = { message: Received } | { fault: 'broken' | 'mixed' | 'nothing' }

/** The message of a stream; total, whatever the events hold. */
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
      blocks[place(event, blocks)] = { ...fields(event.content_block) }
    else if (event.type === 'content_block_delta') add(blocks[Number(event.index)], fields(event.delta))
    else if (event.type === 'message_delta' && message) {
      const { stop_reason: reason } = fields(event.delta)
      message.stop_reason = reason ?? message.stop_reason
      message.usage = { ...fields(message.usage), ...present(fields(event.usage)) }
    }
    isWhole ||= event.type === 'message_stop'
  }
  if (!message) return { fault: 'nothing' }
  // Servers that leave out the last event, but say why they stopped, have said all.
  if (!isWhole && typeof message.stop_reason !== 'string') return { fault: 'broken' }
  return { message: { content: blocks.map(closed), stop_reason: message.stop_reason, usage: message.usage } }
}

function place({ index }: Fields, blocks: Fields[]): number {
  return Number.isInteger(index) && Number(index) >= 0 && Number(index) <= blocks.length
    ? Number(index)
    : blocks.length
}

/** Where the pieces of a block's text are: by kind of the piece, the name of the piece and of the field it adds to. */
const texts: Record<string, [piece: string, field: string]> = {
  text_delta: ['text', 'text'],
  input_json_delta: ['partial_json', 'json'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
}

function add(block: Fields | undefined, delta: Fields): void {
  const [piece, field] = texts[String(delta.type)] ?? []
  if (!block || !piece || !field || typeof delta[piece] !== 'string') return
  block[field] = (typeof block[field] === 'string' ? block[field] : '') + delta[piece]
}

/** Arguments come in pieces of text, or as a whole with the beginning of the block. */
function closed({ json, ...block }: Fields): Fields {
  return typeof json === 'string' && json !== '' ? { ...block, input: json } : block
}

/** What a server sends as null, it does not know. */
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
