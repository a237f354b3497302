import * as z from 'zod'
import { parsedJson } from '../base/json.ts'
import { ModelError } from './model.ts'

/**
 * Checks that a server's response has the form of an answer. A wrong form would repeat at the next attempt, and each
 * attempt would cost a whole answer. The call then fails at once, with the facts that an administrator needs.
 */

/** Length of the beginning of a stream that is kept, in characters: enough to recognise its form. */
const headLength = 4_096

/** The beginning of an answer as text, gathered while the answer streams. */
export type Head = { text: string }

const MessageJson = z.looseObject({ type: z.literal('message'), content: z.array(z.unknown()) })

/**
 * Returns the response with a stream of events, and keeps its beginning in `head`. Converts a whole message in JSON to
 * such a stream; any other content rejects with ModelError. Error responses pass through. It follows no redirect: the
 * conversation would go to a host that the settings do not name.
 */
export async function formed(response: Response, head: Head, touch: () => void): Promise<Response> {
  const host = hostOf(response.url)
  if (response.status >= 300 && response.status < 400)
    throw wrongForm(host, `sent a redirect (${response.status}), which is not followed`)
  if (!response.ok || !response.body) return response
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim() || 'no type'
  if (type.endsWith('json')) return streamOf(await response.text(), response, host)
  if (type.startsWith('text/html')) throw wrongForm(host, `sent a page (${type})`)
  const decoder = new TextDecoder()
  const observed = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        touch()
        if (head.text.length < headLength) head.text += decoder.decode(chunk, { stream: true })
        controller.enqueue(chunk)
      },
    }),
  )
  return new Response(observed, response)
}

function streamOf(text: string, response: Response, host: string): Response {
  const body = parsedJson(text)
  if (z.looseObject({ type: z.literal('error') }).safeParse(body).success)
    return events(response, `event: error\ndata: ${JSON.stringify(body)}\n\n`)
  const message = MessageJson.safeParse(body)
  if (!message.success) throw wrongForm(host, 'sent JSON that is no message')
  const start = JSON.stringify({ type: 'message_start', message: message.data })
  return events(
    response,
    `event: message_start\ndata: ${start}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`,
  )
}

function events({ headers }: Response, body: string): Response {
  const id = headers.get('request-id')
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', ...(id && { 'request-id': id }) },
  })
}

/**
 * Returns the error for a stream that has a wrong form, so that its events make no message. Returns undefined if the
 * stream may only have been cut off, which is worth another attempt.
 */
export function wrongStream(
  fault: 'broken' | 'mixed' | 'nothing',
  { text }: Head,
  host: string,
): ModelError | undefined {
  if (fault === 'mixed') return wrongForm(host, 'mixed the events of several messages')
  // Event names or comments show that a stream has the right form. Without a message, such a stream ended too early.
  if (fault === 'broken' || text.trim() === '' || /^(?:event)?:/m.test(text)) return undefined
  return wrongForm(host, /^data:/m.test(text) ? 'sent events without names' : 'sent no events')
}

/** Returns the host of a URL, for people; without path and query, which may hold a key. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the provider'
}

/** Returns the error for an answer whose text is a tool call: the tool did not run, and the text is no answer. */
export function callAsText(host: string): ModelError {
  const remedy = 'The server needs the parser for the tool calls of this model.'
  return new ModelError('model.unavailable', `${host} sent the call of a tool as text. ${remedy}`)
}

function wrongForm(host: string, what: string): ModelError {
  const expected = 'Expected: a stream of events of the Messages API. Check the address of the provider.'
  return new ModelError('model.unavailable', `${host} ${what}. ${expected}`)
}
