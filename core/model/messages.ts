import type { APIRequest, Middleware } from '@anthropic-ai/sdk'
import type { Messages } from '@anthropic-ai/sdk/resources/messages/messages'
import { type Clock, systemClock } from '../clock.ts'
import { lazy } from '../lazy.ts'
import { type Timing, timing, watched } from './deadline.ts'
import { decode } from './decode.ts'
import { encode } from './encode.ts'
import { failureOf } from './failure.ts'
import type { Answer, Model, ModelRequest } from './model.ts'
import { retrying } from './retry.ts'

/** What every model behind the Messages API is made of, whoever serves it. */
export type MessagesOptions = Pick<Model, 'about' | 'capabilities' | 'limits'> & {
  /** Is taken out of error messages, should the provider repeat it. */
  key?: string
  timing?: Partial<Timing>
  clock?: Clock
  /** A number from 0 up to 1 for the jitter between attempts. */
  random?: () => number
}

type Client = { messages: Pick<Messages, 'stream'> }

/**
 * A model over a client of the Messages API. Answers are streamed, although they are handed over whole: only a stream
 * shows that the provider still works. The client must not retry; deadline and retry are here.
 */
export function messagesModel(connect: () => Promise<Client>, options: MessagesOptions): Model {
  const { about, capabilities, limits, key, clock = systemClock, random = Math.random } = options
  const { totalMs, idleMs } = { ...timing, ...options.timing }
  const client = lazy(connect)

  async function ask(request: ModelRequest, signal: AbortSignal): Promise<Answer> {
    const params = encode(about.model, request)
    const until = clock.now() + totalMs
    const { messages } = await client()
    const attempt = (signal: AbortSignal, touch: () => void) =>
      messages
        .stream(params, { signal, timeout: totalMs, maxRetries: 0, middleware: [touching(touch)] })
        .finalMessage()
        .catch((error: unknown) => {
          throw failureOf(error, { request, now: clock.now(), ...(key && { key }) })
        })
    return retrying(async () => decode(await watched({ signal, clock, idleMs, until }, attempt)), {
      until,
      clock,
      random,
      signal,
    })
  }

  return { ask, about, capabilities, limits }
}

/** Every byte of the answer is a sign of life; the SDK swallows the pings that come while the model thinks. */
function touching(touch: () => void): Middleware {
  return async (request: APIRequest, next) => {
    const response = await next(request)
    touch()
    if (!response.body) return response
    const observed = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          touch()
          controller.enqueue(chunk)
        },
      }),
    )
    return new Response(observed, response)
  }
}
