import type { APIRequest, Middleware } from '@anthropic-ai/sdk'
import { AnthropicError } from '@anthropic-ai/sdk/error'
import type { ContentBlockParam, Messages } from '@anthropic-ai/sdk/resources/messages/messages'
import { type Clock, systemClock } from '../base/clock.ts'
import { TransientError } from '../base/error.ts'
import { parsedJson } from '../base/json.ts'
import { lazy } from '../base/lazy.ts'
import * as Log from '../base/log.ts'
import { retrying, type Timing, timing, watched } from './deadline.ts'
import { calledInText, decode, type Received } from './decode.ts'
import { encodeMessages, latePlace, type Manner } from './encode.ts'
import { failureOf } from './failure.ts'
import { callAsText, formed, type Head, hostOf, wrongStream } from './form.ts'
import { gather } from './gather.ts'
import { type Answer, type Model, ModelError, type ModelRequest, type Usage } from './model.ts'

/** The options that every model behind the Messages API needs, for any provider. */
export type MessagesOptions = Pick<Model, 'about' | 'capabilities' | 'limits'> &
  Manner & {
    /** Another origin than the vendor's, without `/v1`: a server that speaks the Messages API, or a proxy. */
    baseUrl?: string | null
    /** Version of the API; undefined: the SDK's, which is the newest. */
    apiVersion?: string | undefined
    /** The URL of the server, for errors about a wrong form. */
    address?: string
    /** The model name that the server expects, if it differs from the id of the model. */
    askedAs?: string | undefined
    /** The key, which is removed from error messages in case the provider repeats it. */
    key?: string
    timing?: Partial<Timing>
    clock?: Clock
    /** A number from 0 up to 1 for the jitter between attempts. */
    random?: () => number
  }

type Client = { messages: Pick<Messages, 'create'> }

/**
 * Returns the options of a client that every adapter needs. A redirect would send the conversation to a host that the
 * settings do not name.
 */
export const clientOptions = ({ apiVersion }: MessagesOptions) => ({
  fetchOptions: { redirect: 'manual' as const },
  maxRetries: 0,
  openTelemetry: false as const,
  logLevel: 'off' as const,
  ...(apiVersion && { defaultHeaders: { 'anthropic-version': apiVersion } }),
})

/**
 * Creates a model from a client of the Messages API. It streams answers, although it returns them whole: only a stream
 * shows that the provider still works. The client must not retry; this function handles deadline and retries.
 */
export function messagesModel(connect: () => Promise<Client>, options: MessagesOptions): Model {
  const { about, capabilities, limits } = options
  const server = serverOf(connect, options)
  return { ask: (request, signal) => callModel(server, request, signal), about, capabilities, limits }
}

/** Returns a server of the Messages API, as calls use it; `host` is for error messages. */
function serverOf(connect: () => Promise<Client>, options: MessagesOptions) {
  const { address = '', clock = systemClock, random = Math.random } = options
  const times = { ...timing, ...options.timing }
  return { ...options, client: lazy(connect), host: hostOf(address), timing: times, clock, random }
}
type Server = ReturnType<typeof serverOf>

/** Features that servers refused, by address and model: later requests of this process do without them. */
const refusedManners = new Map<string, Manner>()

async function callModel(server: Server, request: ModelRequest, signal: AbortSignal): Promise<Answer> {
  const { address, about } = server
  const name = `${address} ${about.model}`
  const manner = { ...server, ...refusedManners.get(name) }
  try {
    return await callServer(manner, server, request, signal)
  } catch (error) {
    const refused = refusedIn(error, manner)
    if (!refused) throw error
    Log.warn('A server does not take a form of requests', { model: about.model, form: refused })
    refusedManners.set(name, { ...refusedManners.get(name), [refused]: false })
    return callModel(server, request, signal)
  }
}

/** Returns the optional feature that the server refused; undefined for any other error. */
function refusedIn(error: unknown, manner: Manner): 'systemMessages' | 'citations' | undefined {
  if (!(error instanceof ModelError) || error.code !== 'model.rejected') return undefined
  if (manner.systemMessages && /role \W?system/i.test(error.message)) return 'systemMessages'
  return manner.citations && /search_result|citations/i.test(error.message) ? 'citations' : undefined
}

/** A running call. The log shows its attempts, and the provider's request id of the last attempt. */
type Call = Client & {
  request: ModelRequest
  /** The index of a system message that the server gets in addition to the messages of the request. */
  late: number | undefined
  startedAt: number
  attempt: number
  requestId: string | undefined
}

async function callServer(
  manner: Manner,
  server: Server,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { about, limits, clock, random, timing } = server
  const params = encodeMessages(server.askedAs ?? about.model, request, manner)
  const until = clock.now() + timing.totalMs
  const { messages } = await server.client()
  const late = latePlace(request, manner)
  const call: Call = { messages, request, late, startedAt: clock.now(), attempt: 0, requestId: undefined }
  const limited = { signal, clock, until, random, idleMs: timing.idleMs }
  const once = (params: Params) =>
    retrying(() => watched(limited, sendOnce.bind(null, server, call, params)), limited)
  try {
    const answer = await continued(once, params, { request, limits, isAI: about.isAI })
    const named = answer.calls.length === 0 ? calledInText(answer.text) : undefined
    if (named && request.tools.some(({ name }) => name === named)) throw callAsText(server.host)
    const { input, output } = answer.usage
    Log.info('A model answered', { ...fieldsOf(call, server), stop: answer.stop, input, output })
    return answer
  } catch (error) {
    // The log has one line about each call, unless the caller aborted it.
    if (!signal.aborted) Log.failure('A model did not answer', error, fieldsOf(call, server))
    throw error
  }
}

const fieldsOf = ({ startedAt, attempt, requestId }: Call, { about, clock }: Server) => ({
  model: about.model,
  ms: clock.now() - startedAt,
  attempt,
  providerRequestId: requestId,
})

type Params = ReturnType<typeof encodeMessages>

/** Sends the request once, and assembles the message from the events of its answer. */
async function sendOnce(
  { timing, key, clock, host }: Server,
  call: Call,
  params: Params,
  signal: AbortSignal,
  touch: () => void,
): Promise<Received> {
  const head: Head = { text: '' }
  call.attempt += 1
  call.requestId = undefined
  const middleware = [observing(call, head, touch)]
  const settings = { signal, timeout: timing.totalMs, maxRetries: 0, middleware }
  const events = await received(() => call.messages.create({ ...params, stream: true }, settings)).catch(
    (error: unknown) => {
      const { request, late } = call
      throw failureOf(error, { request, late, now: clock.now(), ...(key && { key }) })
    },
  )
  const gathered = gather(events)
  if ('message' in gathered) return gathered.message
  throw wrongStream(gathered.fault, head, host) ?? new TransientError('The answer of the provider broke off')
}

/**
 * Remembers the provider's id of the request, from the header of the API or of Bedrock. Every byte of the answer is a
 * sign of life; the SDK hides the pings that arrive while the model thinks.
 */
function observing(call: Call, head: Head, touch: () => void): Middleware {
  return async (request: APIRequest, next) => {
    const response = await next(request)
    const { headers } = response
    touch()
    call.requestId = (headers.get('request-id') ?? headers.get('x-amzn-requestid') ?? undefined)?.slice(0, 64)
    return formed(response, head, touch)
  }
}

/** Reads all events of a stream. Throws an error of the SDK if the stream fails, as the SDK does for the request. */
async function received(open: () => Promise<AsyncIterable<unknown>>): Promise<unknown[]> {
  const stream = await open()
  try {
    return await Array.fromAsync(stream)
  } catch (error) {
    if (error instanceof AnthropicError) throw error
    throw new AnthropicError('The stream could not be read', { cause: error })
  }
}

/** A paused answer is continued at most this often. */
const maxPauses = 5

/** Returns the answer of a call, continued with further calls if the provider paused it. */
async function continued(
  once: (params: Params) => Promise<Received>,
  params: Params,
  asked: Parameters<typeof decode>[1],
): Promise<Answer> {
  let message = await once(params)
  let usage = decode(message, asked).usage
  for (let pauses = 0; message.stop_reason === 'pause_turn' && pauses < maxPauses; pauses++) {
    const begun = { role: 'assistant' as const, content: echo(message) }
    const next = await once({ ...params, messages: [...params.messages, begun] })
    usage = sum(usage, decode(next, asked).usage)
    message = { ...next, content: [...list(message.content), ...list(next.content)] }
  }
  return { ...decode(message, asked), usage }
}

/** Returns a paused answer in the form that the provider wants back: unchanged, with parsed arguments. */
function echo(message: Received): ContentBlockParam[] {
  return list(message.content).map((block) => {
    const { input } = Object(block)
    return typeof input === 'string' ? { ...Object(block), input: parsedJson(input) ?? {} } : block
  })
}

function list(content: unknown): ContentBlockParam[] {
  return Array.isArray(content) ? content : []
}

function sum(one: Usage, other: Usage): Usage {
  const hour = (one.cacheWriteHour ?? 0) + (other.cacheWriteHour ?? 0)
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    ...(hour > 0 && { cacheWriteHour: hour }),
  }
}
