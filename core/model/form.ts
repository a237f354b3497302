import * as z from 'zod'
import { parsedJson } from '../json.ts'
import { ModelError } from './model.ts'

/**
 * Whether what a server sent has the form of an answer at all. A wrong form is the same at the next attempt: each would
 * be a whole answer, paid and thrown away. So it fails at once, with what an administrator needs to mend it.
 */

/** What is kept of a stream's beginning, in characters: enough to see what it is. */
const headLength = 4_096

/** The beginning of an answer as text, gathered while it passes. */
export type Head = { text: string }

const MessageJson = z.looseObject({ type: z.literal('message'), content: z.array(z.unknown()) })

/**
 * The response with a stream of events, whose beginning is kept in `head`. A whole message as JSON becomes such a
 * stream; what is neither rejects with ModelError. Responses that tell of an error pass through. A redirect is not
 * followed: the conversation would go to a host that no settings name.
 */
export async function formed(response: Response, head: Head, touch: () => void): Promise<Response> {
  const host = hostOf(response.url)
  if (response.status >= 300 && response.status < 400) {
    throw wrongForm(host, `sent a redirect (${response.status}), which is not followed`)
  }
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
  if (z.looseObject({ type: z.literal('error') }).safeParse(body).success) {
    return events(response, `event: error\ndata: ${JSON.stringify(body)}\n\n`)
  }
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
 * Why a stream whose events make no message is of a wrong form; undefined where it may have broken off, which is worth
 * another attempt.
 */
export function wrongStream(
  fault: 'broken' | 'mixed' | 'nothing',
  { text }: Head,
  host: string,
): ModelError | undefined {
  if (fault === 'mixed') return wrongForm(host, 'mixed the events of several messages')
  // Names and comments are of the right form: such a stream ended before its message began.
  if (fault === 'broken' || text.trim() === '' || /^(?:event)?:/m.test(text)) return undefined
  return wrongForm(host, /^data:/m.test(text) ? 'sent events without names' : 'sent no events')
}

/** The host of an address, for people; without the path and query, which may hold a key. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the provider'
}

function wrongForm(host: string, what: string): ModelError {
  const expected = 'Expected: a stream of events of the Messages API. Check the address of the provider.'
  return new ModelError('model.unavailable', `${host} ${what}. ${expected}`)
}
