import type { APIRequest, Middleware } from '@anthropic-ai/sdk'
import { AnthropicError } from '@anthropic-ai/sdk/error'
import type { ContentBlockParam, Messages } from '@anthropic-ai/sdk/resources/messages/messages'
import { type Clock, systemClock } from '../base/clock.ts'
import { TransientError } from '../base/error.ts'
import { lazy } from '../base/lazy.ts'
import * as Log from '../base/log.ts'
import { retrying, type Timing, timing, watched } from './deadline.ts'
import { calledInText, decode, type Received } from './decode.ts'
import { encodeMessages, latePlace, type Manner } from './encode.ts'
import type { EstimatedRequest } from './estimate.ts'
import { failureOf } from './failure.ts'
import { callAsText, formed, type Head, hostOf, wrongStream } from './form.ts'
import { gather } from './gather.ts'
import { type Answer, type Model, ModelError, type ModelRequest, type Usage } from './model.ts'

/** The options that every model behind the Messages API needs, for any provider. */
export type MessagesOptions = Pick<Model, 'about' | 'capabilities' | 'limits'> &
  Manner & {
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

/** Features that servers refused, by address and model: later requests of this process do without them. */
const refusedManners = new Map<string, Manner>()

/** The part of the manner that the server did not take; undefined for any other error. */
function refusedIn(error: unknown, manner: Manner): 'systemMessages' | 'citations' | undefined {
  if (!(error instanceof ModelError) || error.code !== 'model.rejected') return undefined
  if (manner.systemMessages && /role \W?system/i.test(error.message)) return 'systemMessages'
  return manner.citations && /search_result|citations/i.test(error.message) ? 'citations' : undefined
}

type Client = { messages: Pick<Messages, 'create'> }

/**
 * Creates a model from a client of the Messages API. It streams answers, although it returns them whole: only a stream
 * shows that the provider still works. The client must not retry; this function handles deadline and retries.
 */
export function messagesModel(connect: () => Promise<Client>, options: MessagesOptions): Model {
  const { about, capabilities, limits, key, clock = systemClock, random = Math.random } = options
  const { totalMs, idleMs } = { ...timing, ...options.timing }
  const client = lazy(connect)
  const host = hostOf(options.address ?? '')

  const server = `${options.address} ${about.model}`

  async function ask(request: ModelRequest, signal: AbortSignal): Promise<Answer> {
    const manner = { ...options, ...refusedManners.get(server) }
    try {
      return await askIn(manner, request, signal)
    } catch (error) {
      const refused = refusedIn(error, manner)
      if (!refused) throw error
      Log.warn('A server does not take a form of requests', { model: about.model, form: refused })
      refusedManners.set(server, { ...refusedManners.get(server), [refused]: false })
      return ask(request, signal)
    }
  }

  async function askIn(manner: Manner, request: ModelRequest, signal: AbortSignal): Promise<Answer> {
    const params = encodeMessages(options.askedAs ?? about.model, request, manner)
    const until = clock.now() + totalMs
    const { messages } = await client()
    const call: Call = { startedAt: clock.now(), attempt: 0, requestId: undefined }
    const attempt = async (signal: AbortSignal, touch: () => void) => {
      const head: Head = { text: '' }
      call.attempt += 1
      call.requestId = undefined
      const middleware = [naming(call), forming(head, touch)]
      const events = await received(() =>
        messages.create({ ...params, stream: true }, { signal, timeout: totalMs, maxRetries: 0, middleware }),
      ).catch((error: unknown) => {
        throw failureOf(error, {
          request,
          late: latePlace(request, manner),
          now: clock.now(),
          ...(key && { key }),
        })
      })
      const gathered = gather(events)
      if ('message' in gathered) return gathered.message
      throw (
        wrongStream(gathered.fault, head, host) ?? new TransientError('The answer of the provider broke off')
      )
    }
    const once = () =>
      retrying(() => watched({ signal, clock, idleMs, until }, attempt), { until, clock, random, signal })
    const answering = continued(once, params, { request, limits, isAI: about.isAI })
    return logged(answering.then(checkCalls), call, signal)

    function checkCalls(answer: Answer): Answer {
      const name = answer.calls.length === 0 ? calledInText(answer.text) : undefined
      if (name && request.tools.some((tool) => tool.name === name)) throw callAsText(host)
      return answer
    }
  }

  /** Logs one line about the call, whatever its end; none if the caller aborted it. */
  async function logged(answering: Promise<Answer>, call: Call, signal: AbortSignal): Promise<Answer> {
    const { startedAt } = call
    const fields = () => ({
      model: about.model,
      ms: clock.now() - startedAt,
      attempt: call.attempt,
      providerRequestId: call.requestId,
    })
    try {
      const answer = await answering
      const { input, output } = answer.usage
      Log.info('A model answered', { ...fields(), stop: answer.stop, input, output })
      return answer
    } catch (error) {
      if (!signal.aborted) Log.failure('A model did not answer', error, fields())
      throw error
    }
  }

  return { ask, about, capabilities, limits }
}

/** The answer of a call, continued with further calls if the provider paused it. */
async function continued(
  once: () => Promise<Received>,
  params: ReturnType<typeof encodeMessages>,
  asked: EstimatedRequest,
): Promise<Answer> {
  let message = await once()
  let usage = decode(message, asked).usage
  for (let pauses = 0; message.stop_reason === 'pause_turn' && pauses < maxPauses; pauses++) {
    params.messages = [...params.messages, { role: 'assistant', content: echo(message) }]
    const next = await once()
    usage = sum(usage, decode(next, asked).usage)
    message = { ...next, content: [...list(message.content), ...list(next.content)] }
  }
  return { ...decode(message, asked), usage }
}

/** A paused answer is continued at most this often. */
const maxPauses = 5

/** A paused answer in the form that the provider wants back: unchanged, with parsed arguments. */
function echo(message: Received): ContentBlockParam[] {
  return list(message.content).map((block) => {
    const { input } = Object(block)
    return (
      typeof input === 'string' ? { ...Object(block), input: parsed(input) } : block
    ) as ContentBlockParam
  })
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return {}
  }
}

function list(content: unknown): unknown[] {
  return Array.isArray(content) ? content : []
}

function sum(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    ...hours((one.cacheWriteHour ?? 0) + (other.cacheWriteHour ?? 0)),
  }
}

const hours = (tokens: number) => (tokens > 0 ? { cacheWriteHour: tokens } : {})

/** Reads all events of a stream. Failures while reading become errors of the SDK, like those before. */
async function received(open: () => Promise<AsyncIterable<unknown>>): Promise<unknown[]> {
  const stream = await open()
  const events: unknown[] = []
  try {
    for await (const event of stream) events.push(event)
    return events
  } catch (error) {
    if (error instanceof AnthropicError) throw error
    throw new AnthropicError('The stream could not be read', { cause: error })
  }
}

/** A call as the log shows it: its start, its attempts, and the provider's request id of the last attempt. */
type Call = { startedAt: number; attempt: number; requestId: string | undefined }

/** Remembers the provider's id of the request, by the header name of the API or of Bedrock. */
function naming(call: Call): Middleware {
  return async (request: APIRequest, next) => {
    const response = await next(request)
    const { headers } = response
    call.requestId = (headers.get('request-id') ?? headers.get('x-amzn-requestid') ?? undefined)?.slice(0, 64)
    return response
  }
}

/** Every byte of the answer is a sign of life; the SDK hides the pings that arrive while the model thinks. */
function forming(head: Head, touch: () => void): Middleware {
  return async (request: APIRequest, next) => {
    const response = await next(request)
    touch()
    return formed(response, head, touch)
  }
}
