import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { admit } from '../../core/model/wire/endpoint.ts'
import { events, message, type Reply } from '../../core/model/wire/reply.ts'
import type { WireRequest } from '../../core/model/wire/shape.ts'
import { type Fault, fail, open, relay } from './messages-fault.ts'

/**
 * A server that speaks the Messages API on loopback, for tests: POST /v1/messages as JSON and as events. Every request passes the strict validator; one that it refuses gets
 * the API's 400 and uses up no answer.
 *
 *   const api = await startMessagesApi()
 *   api.reply({ text: 'Hello' })                                                     // the next answer
 *   api.reply({ calls: [{ name: 'get_record', arguments: { table: 'pages', uid: 3 } }] })
 *   api.reply({ fault: 'status', status: 429, retryAfter: 1 }, { text: 'Later' })    // several, in order
 *   api.reply((request) => ({ text: `You sent ${request.messages.length} messages` }))
 *   api.always({ text: 'Whatever' })                                                 // when no answer is left
 *   await send(…)
 *   expect(api.requests.map(({ body }) => body.messages.length)).toEqual([1, 3])
 *   await api.received(2)                                                            // resolves when two have come
 *   await api.stop()
 *
 * The provider record for it: `{ adapter: 'anthropic', baseUrl: api.url, … }` with any secret (`api.key`) and any
 * model id that the validator knows, such as `claude-sonnet-5-5`.
 */

export type Scripted = {
  text?: string
  /** The whole content, where it is more than a text and calls. */
  content?: Reply['content']
  /** An id is made where none is given: `toolu_1`, `toolu_2` … */
  calls?: { id?: string; name: string; arguments: object }[]
  /** `cut`: the last call of the answer ends in the middle, with `max_tokens`. */
  stop?: Reply['stop'] | 'cut'
  usage?: Partial<Reply['usage']>
  /** Milliseconds before the headers, and between two events. */
  delayMs?: number
  gapMs?: number
}

export type Step = Scripted | Fault
type Script = Step | ((request: WireRequest) => Step | Promise<Step>)

export type Received = {
  path: string
  headers: Record<string, string>
  body: WireRequest
  /** The words with which the validator refused it. */
  refused?: string
}

export type MessagesApi = Awaited<ReturnType<typeof startMessagesApi>>

/** Starts a server on a free port. It takes any key unless one is given. */
export async function startMessagesApi(options: { key?: string } = {}) {
  const requests: Received[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const scripts: Script[] = []
  const ids = { request: 0, call: 0 }
  let fallback: Script = unscripted

  async function serve(request: IncomingMessage, response: ServerResponse) {
    ids.request += 1
    const requestId = `req_${ids.request}`
    const incoming = await read(request)
    const text = await incoming.clone().text()
    const admission = await admit(incoming, { requestId, ...(options.key && { key: options.key }) })
    await record(request, text, admission.ok ? undefined : admission.response)
    if (!admission.ok) return relay(admission.response, response)
    const script = scripts.shift() ?? fallback
    const step = typeof script === 'function' ? await script(admission.request) : script
    if ('fault' in step) return fail(step, admission.request, requestId, response)
    return answer(step, admission.request, requestId, response)
  }

  async function record(request: IncomingMessage, text: string, refusal: Response | undefined) {
    if (request.method !== 'POST') return
    const refused = refusal && !refusal.ok ? (await refusal.clone().json()).error.message : undefined
    requests.push({
      path: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body: JSON.parse(text || '{}'),
      ...(refused && { refused }),
    })
    for (const { resolve } of waiting.filter(({ count }) => requests.length >= count)) resolve()
  }

  function replyOf(step: Scripted): Reply {
    const calls = (step.calls ?? []).map((call) => {
      ids.call += 1
      const { id = `toolu_${ids.call}`, name, arguments: input } = call
      return { type: 'tool_use' as const, id, name, input }
    })
    const text = step.content ?? (step.text ? [{ type: 'text' as const, text: step.text }] : [])
    const stop = step.stop === 'cut' ? 'max_tokens' : step.stop
    return {
      content: [...text, ...calls],
      stop: stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
      usage: { input: 100, output: 20, ...step.usage },
    }
  }

  async function answer(step: Scripted, request: WireRequest, requestId: string, response: ServerResponse) {
    const reply = replyOf(step)
    if (step.delayMs) await sleep(step.delayMs)
    if (!request.stream) return relay(Response.json(message(`msg_${requestId}`, request, reply)), response)
    const all = events(`msg_${requestId}`, request, reply)
    open(response, requestId)
    for (const part of step.stop === 'cut' ? withoutLastPiece(all) : all) {
      response.write(part)
      if (step.gapMs) await sleep(step.gapMs)
    }
    response.end()
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** A key that the server takes. */
    key: options.key ?? 'key-of-the-test',
    /** Every POST so far, oldest first. */
    requests,
    /** Adds answers behind those that are still to come. */
    reply(...steps: Script[]) {
      scripts.push(...steps)
    },
    /** What is answered when nothing else is scripted. */
    always(script: Script) {
      fallback = script
    },
    /** Resolves as soon as `count` requests have come. */
    async received(count: number) {
      if (requests.length >= count) return
      await new Promise<void>((resolve) => waiting.push({ count, resolve }))
    },
    /** Forgets requests and answers, for the next test. */
    reset() {
      requests.length = 0
      scripts.length = 0
      fallback = unscripted
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const unscripted: Script = {
  fault: 'status',
  status: 400,
  message: 'No answer is scripted for this request',
}

async function read(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const hasBody = request.method !== 'GET'
  return new Request(`http://127.0.0.1${request.url}`, {
    method: request.method ?? 'GET',
    headers: request.headers as Record<string, string>,
    ...(hasBody && { body: Buffer.concat(chunks) }),
  })
}

function withoutLastPiece(all: string[]): string[] {
  const last = all.findLastIndex((part) => part.includes('input_json_delta'))
  return all.filter((_, index) => index !== last)
}
