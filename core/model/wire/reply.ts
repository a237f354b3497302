import type { Message, StopReason, TextCitation } from '@anthropic-ai/sdk/resources/messages/messages'
import type { WireRequest } from './shape.ts'

/** The reply of a server of the Messages API, before it becomes JSON or events. */
export type Reply = {
  content: (
    | { type: 'text'; text: string; citations?: TextCitation[] }
    | { type: 'tool_use'; id: string; name: string; input: object }
  )[]
  stop: StopReason
  usage: { input: number; output: number; cacheRead?: number; cacheWrite?: number }
}

/** Characters of a text, or of a call's arguments, in one event. */
const pieceLength = 24

/** Returns the whole message as JSON. */
export function message(id: string, request: WireRequest, reply: Reply): Message {
  return {
    ...emptyMessage(id, request, reply),
    content: reply.content.map((block) =>
      block.type === 'text'
        ? { ...block, citations: block.citations ?? null }
        : { ...block, caller: { type: 'direct' } },
    ),
    stop_reason: reply.stop,
    stop_details: reply.stop === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  }
}

/** Returns the message as server-sent events, each event one string, in the order of the API. */
export function events(id: string, request: WireRequest, reply: Reply): string[] {
  const whole = message(id, request, reply)
  return [
    event('message_start', { message: emptyMessage(id, request, reply) }),
    event('ping', {}),
    ...whole.content.flatMap((block, index) => blockEvents(block, index)),
    event('message_delta', {
      delta: { stop_reason: whole.stop_reason, stop_sequence: null, stop_details: whole.stop_details },
      usage: { output_tokens: reply.usage.output },
    }),
    event('message_stop', {}),
  ]
}

/** Returns one event in its wire format. */
export function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

function emptyMessage(id: string, request: WireRequest, { usage }: Reply): Message {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_read_input_tokens: usage.cacheRead ?? 0,
      cache_creation_input_tokens: usage.cacheWrite ?? 0,
      cache_creation: null,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: 'standard',
      inference_geo: null,
      speed: null,
    },
  }
}

function blockEvents(block: Message['content'][number], index: number): string[] {
  const { start, deltas } = streamed(block)
  return [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
}

/** Returns the content of a block's start event, and the deltas that follow. */
function streamed(block: Message['content'][number]): { start: object; deltas: object[] } {
  if (block.type === 'text') {
    const texts = pieces(block.text).map((text) => ({ type: 'text_delta', text }))
    const cited = (block.citations ?? []).map((citation) => ({ type: 'citations_delta', citation }))
    return { start: { ...block, text: '', citations: block.citations && [] }, deltas: [...texts, ...cited] }
  }
  const input = block.type === 'tool_use' ? (block.input as object) : {}
  const json = Object.keys(input).length > 0 ? JSON.stringify(input) : ''
  const deltas = ['', ...pieces(json)].map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  return { start: { ...block, input: {} }, deltas }
}

/** Cuts between code points, as the API does. */
function pieces(text: string): string[] {
  const points = [...text]
  return Array.from({ length: Math.ceil(points.length / pieceLength) }, (_, at) =>
    points.slice(at * pieceLength, (at + 1) * pieceLength).join(''),
  )
}
