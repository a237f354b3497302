import { own } from '../base/json.ts'
import type { Received } from './decode.ts'

/**
 * Assembles a message from the events of its stream. The SDK would fail if a server leaves out token counts, and a
 * paid answer would be lost. The arguments of a call stay text here; `decode.ts` parses them.
 */

type BlockFields = Record<string, unknown>

/** The reasons why events make no message: `broken` may succeed at the next attempt, `mixed` will not. */
type Gathered = { message: Received } | { fault: 'broken' | 'mixed' | 'nothing' }

/**
 * Returns the state before the first event. Gateways drop blocks and keep the numbers of the others, so a number is no
 * position.
 */
const emptyGathering = () => ({
  message: undefined as BlockFields | undefined,
  blocks: [] as BlockFields[],
  /** The positions in `blocks` by the server's block numbers. If a number repeats, the newest block counts. */
  places: new Map<unknown, number>(),
  /** The numbers of the blocks that have neither a piece nor an end yet. */
  fresh: new Set<unknown>(),
  isWhole: false,
  isRepeated: false,
})
type Gathering = ReturnType<typeof emptyGathering>

/** Assembles the message of a stream. Total: never throws, whatever the events hold. */
export function gather(events: unknown[]): Gathered {
  const all = emptyGathering()
  for (const event of events.map(fields)) {
    if (event.type === 'message_start' && !startMessage(all, fields(event.message))) return { fault: 'mixed' }
    if (event.type === 'content_block_start' && !placeBlock(all, event)) return { fault: 'mixed' }
    if (event.type === 'content_block_delta') add(blockOf(all, event), fields(event.delta))
    if (event.type === 'content_block_delta' || event.type === 'content_block_stop')
      all.fresh.delete(event.index)
    if (event.type === 'message_delta') endMessage(all.message, event)
    all.isWhole ||= event.type === 'message_stop'
  }
  const { message, blocks, isWhole } = all
  if (!message) return { fault: 'nothing' }
  // A server that leaves out the last event but sends a stop reason has sent the whole answer.
  if (!isWhole && typeof message.stop_reason !== 'string') return { fault: 'broken' }
  return { message: { content: blocks.map(closed), stop_reason: message.stop_reason, usage: message.usage } }
}

/** Begins a message; false if another message has begun, because nothing separates the parts of the two. */
function startMessage(all: Gathering, message: BlockFields): boolean {
  if (all.message && all.blocks.length > 0) {
    // Gateways may repeat the first event, even in the middle of its message.
    all.isRepeated = typeof message.id === 'string' && message.id === all.message.id
    return all.isRepeated
  }
  all.message = message
  all.blocks = list(message.content).map(fields)
  all.places = new Map(all.blocks.keys().map((at) => [at, at]))
  all.fresh = new Set(all.blocks.keys())
  all.isWhole = false
  return true
}

/** Adds a block in the order of its arrival; false if a repeated message begins with its first block again. */
function placeBlock(all: Gathering, { index, content_block: block }: BlockFields): boolean {
  const before = all.places.get(index)
  const isAgain = before !== undefined && all.fresh.has(index)
  if (before !== undefined && !isAgain && all.isRepeated) return false
  const at = isAgain ? before : all.blocks.length
  all.blocks[at] = { ...fields(block) }
  if (index === undefined || index === null) return true
  all.places.set(index, at)
  all.fresh.add(index)
  return true
}

/** Returns the block that a piece belongs to: the block with its number, else the last block. */
function blockOf({ blocks, places }: Gathering, { index }: BlockFields): BlockFields | undefined {
  return blocks[places.get(index) ?? blocks.length - 1]
}

function endMessage(message: BlockFields | undefined, event: BlockFields): void {
  if (!message) return
  message.stop_reason = fields(event.delta).stop_reason ?? message.stop_reason
  message.usage = { ...fields(message.usage), ...present(fields(event.usage)) }
}

/** Fields of streamed pieces, by kind: the field of the piece, and the field of the block to append it to. */
const texts: Record<string, [piece: string, field: string]> = {
  text_delta: ['text', 'text'],
  input_json_delta: ['partial_json', 'json'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
}

function add(block: BlockFields | undefined, delta: BlockFields): void {
  if (block && delta.type === 'citations_delta') {
    block.citations = [...list(block.citations), delta.citation]
    return
  }
  const [piece, field] = own(texts, String(delta.type)) ?? []
  if (!block || !piece || !field || typeof delta[piece] !== 'string') return
  block[field] = (typeof block[field] === 'string' ? block[field] : '') + delta[piece]
}

/** Returns the arguments of a call: joined from pieces of text, or as received with the start of the block. */
function closed({ json, ...block }: BlockFields): BlockFields {
  return typeof json === 'string' && json !== '' ? { ...block, input: json } : block
}

/** Removes null values: a server sends null for a value that it does not know. */
function present(usage: BlockFields): BlockFields {
  return Object.fromEntries(
    Object.entries(usage).filter(([, value]) => value !== null && value !== undefined),
  )
}

function fields(value: unknown): BlockFields {
  return typeof value === 'object' && value !== null ? (value as BlockFields) : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
