import type { ServerResponse } from 'node:http'
import { failure } from '../../core/model/wire/endpoint.ts'
import { event, events } from '../../core/model/wire/reply.ts'
import type { WireRequest } from '../../core/model/wire/shape.ts'

/** What can go wrong with a provider, on the wire. */
export type Fault =
  | { fault: 'status'; status: number; retryAfter?: number | string; type?: string; message?: string }
  /** An `error` event in the middle of the stream. */
  | { fault: 'error'; type?: string; message?: string }
  /** Nothing comes any more: before the headers, or after the first events. Ends with `stop()`. */
  | { fault: 'hang'; where: 'headers' | 'stream' }
  /** The stream ends without `message_stop`: the socket is cut, or it is closed as if all were well. */
  | { fault: 'cut' }
  | { fault: 'eof' }
  /** An event whose data is no JSON; `html`: a page instead of a stream. */
  | { fault: 'garbage'; html?: boolean }
  /** These events and no other, right or wrong. */
  | { fault: 'events'; events: ({ type: string } & Record<string, unknown>)[] }
  /** A call whose arguments are this text, JSON or not. */
  | { fault: 'input'; json: string }

/** Does to the response what the fault says. */
export async function fail(
  step: Fault,
  request: WireRequest,
  requestId: string,
  response: ServerResponse,
): Promise<unknown> {
  if (step.fault === 'status') return relay(statusOf(step, requestId), response)
  if (step.fault === 'hang' && step.where === 'headers') return
  if (step.fault === 'garbage' && step.html) {
    return relay(
      new Response('<html>Bad gateway</html>', { headers: { 'content-type': 'text/html' } }),
      response,
    )
  }
  open(response, requestId)
  if (step.fault === 'events') {
    return response.end(step.events.map(({ type, ...data }) => event(type, data)).join(''))
  }
  await flush(response, beginning(requestId, request))
  switch (step.fault) {
    case 'cut':
      return response.destroy()
    case 'eof':
      return response.end()
    case 'garbage':
      return response.end('event: content_block_delta\ndata: {"index": oops\n\n')
    case 'input':
      return response.end(withInput(step.json))
    case 'error': {
      const { type = 'overloaded_error', message = 'Overloaded' } = step
      return response.end(event('error', { error: { type, message } }))
    }
  }
}

function statusOf(step: Extract<Fault, { fault: 'status' }>, requestId: string): Response {
  const { status, type = types[status] ?? 'api_error', message = type } = step
  const headers = step.retryAfter === undefined ? {} : { 'retry-after': String(step.retryAfter) }
  return failure(status, type, message, requestId, headers)
}

/** The start of a message, a ping, the start of a text and its first piece. */
function beginning(requestId: string, request: WireRequest): string {
  const reply = {
    content: [{ type: 'text' as const, text: 'The beginning of an answer that …' }],
    stop: 'end_turn' as const,
    usage: { input: 100, output: 20 },
  }
  return events(`msg_${requestId}`, request, reply).slice(0, 4).join('')
}

/** Hands a whole response on. */
export async function relay(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers))
  to.end(Buffer.from(await from.arrayBuffer()))
}

/** Starts a stream of events. */
export function open(response: ServerResponse, requestId: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': requestId })
  response.flushHeaders()
}

function flush(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => response.write(text, () => resolve()))
}

/** The end of the text, and one call with these arguments. */
function withInput(json: string): string {
  const call = { type: 'tool_use', id: 'toolu_input', name: 'get_record', input: {} }
  return [
    event('content_block_stop', { index: 0 }),
    event('content_block_start', { index: 1, content_block: call }),
    event('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: json } }),
    event('content_block_stop', { index: 1 }),
    event('message_delta', {
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 1 },
    }),
    event('message_stop', {}),
  ].join('')
}

const types: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}
