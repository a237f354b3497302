import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolError, VisibleError } from '../../base/error.ts'
import { parsedJson } from '../../base/json.ts'
import { CmsFailure } from '../cms.ts'
import { Answer, maxAnswerBytes, type Refusal } from '../operation.ts'
import type { UserId } from '../user-number/schema.ts'
import { headers, protocolVersion, sign, windowMs } from './signature.ts'

/** The address of the CMS, and the key that signs requests. */
export type Line = {
  /** Address of the bridge, without `/aic/v2` and without a slash at the end. */
  url: string
  keyId: string
  secret: string
  fetch?: typeof fetch
  /** Time limit of one request in milliseconds; default 10 s. */
  timeoutMs?: number
}

/** The number of attempts for a request without an answer: every operation can be repeated safely. */
const attempts = 3
const usualTimeoutMs = 10_000
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Returns the connection if its address is allowed: https, or http on the same machine only. Throws CmsFailure
 * otherwise.
 */
export function checked(line: Line): Line {
  const { protocol, hostname, search, hash } = new URL(line.url)
  if (protocol !== 'https:' && !(protocol === 'http:' && loopback.test(hostname)))
    throw misconfigured(
      `The address ${line.url} is not https. Only a CMS on the same machine may be asked over http.`,
    )
  if (search || hash || line.url.endsWith('/'))
    throw misconfigured(`The address ${line.url} must have no query, no fragment and no slash at its end.`)
  return line
}

/**
 * Sends one signed request, and returns the `result` of the CMS's answer, not parsed. Throws ToolError for a refusal
 * that the model reads, and `access.denied` for a user who is gone. Throws CmsFailure with a sentence otherwise.
 * A CMS is silent for two attempts at most, so that the web function can still answer its caller.
 */
export async function ask(line: Line, operation: string, user: UserId, input: unknown): Promise<unknown> {
  const body = JSON.stringify(input)
  const latest = Date.now() + 1.5 * (line.timeoutMs ?? usualTimeoutMs)
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(line, operation, user, body)
    } catch (error) {
      const isLast = attempt === attempts || Date.now() > latest
      if (!(error instanceof CmsFailure) || error.code === 'cms.misconfigured' || isLast) throw error
      await sleep(100 * 2 ** attempt * Math.random())
    }
  }
}

async function once(line: Line, operation: string, user: UserId, body: string): Promise<unknown> {
  const { url, keyId, secret, fetch: send = fetch, timeoutMs = usualTimeoutMs } = line
  const time = Date.now()
  const nonce = randomUUID()
  const signal = AbortSignal.timeout(timeoutMs)
  const unanswered = (cause: unknown): never => {
    throw signal.aborted
      ? unavailable(`The CMS at ${url} did not answer within ${timeoutMs / 1000} seconds.`, cause)
      : unavailable(`The CMS at ${url} cannot be reached: ${reason(cause)}.`, cause)
  }
  const response = await send(`${url}/aic/v${protocolVersion}/${operation}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [headers.key]: keyId,
      [headers.time]: String(time),
      [headers.nonce]: nonce,
      [headers.user]: String(user),
      [headers.request]: randomUUID(),
      [headers.signature]: sign(secret, { base: url, operation, keyId, time, nonce, user, body }),
    },
    body,
    redirect: 'manual',
    signal,
  }).catch(unanswered)
  const text = await textOf(response).catch(unanswered)
  if (text === undefined && response.ok) throw new TooLarge()
  return resultOf(line, operation, response, text ?? '')
}

/** Returns the body. If it exceeds the limit of an answer, returns undefined and does not read the rest. */
async function textOf(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.byteLength
    if (length > maxAnswerBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function resultOf({ url }: Line, operation: string, response: Response, text: string): unknown {
  const { status } = response
  const answer = Answer.safeParse(parsedJson(text)).data
  if (answer && 'error' in answer) throw refused(operation, answer)
  if (status === 200 && answer) return answer.result
  if (status >= 500 || [408, 429].includes(status)) throw unavailable(`The CMS at ${url} answered ${status}.`)
  if (status >= 300 && status < 400)
    throw misconfigured(
      `${url} redirects to ${response.headers.get('location') ?? 'another address'}: configure the address that answers.`,
    )
  if (status === 404)
    throw misconfigured(
      `Nothing answers under ${url}/aic/v${protocolVersion}: another address, or a plugin that is not active or too old.`,
    )
  throw misconfigured(
    status === 200
      ? `The answer of ${url} to ${operation} is not JSON of the bridge: something else answers there.`
      : `The CMS at ${url} answered ${operation} with ${status} and no reason.`,
  )
}

/** Converts a refusal of the CMS to an error. */
export function refused(operation: string, { error: { code, message } }: Refusal): Error {
  switch (code) {
    case 'tool.refused':
      return new ToolError(message)
    case 'answer.tooLarge':
      return new TooLarge()
    case 'user.unknown':
      return new VisibleError('access.denied')
    case 'request.invalid':
      return misconfigured(`The CMS refuses the shape of ${operation}: ${message}`)
    default:
      return misconfigured(
        operation === 'hello' && code === 'signature.wrong'
          ? 'The CMS signs other bytes, or with another key: give the chat the body before anything parses it, or pair the two again.'
          : `${sentences[code]} (${operation}: ${message})`,
      )
  }
}

/** An error for an answer that exceeds the size limit. */
export class TooLarge extends ToolError {
  constructor() {
    super('The answer of the CMS would be larger than 4 MB. Ask for less.')
  }
}

const sentences = {
  'request.unsigned': 'The CMS did not get the signature: something on the way removes the X-Aic headers.',
  'key.unknown': 'The CMS does not know this key id: pair the stage and the CMS again.',
  'signature.wrong': 'The CMS has another key or another base address.',
  'time.outside': `The clocks of the stage and the CMS differ by more than ${windowMs / 1000} seconds.`,
  'nonce.used': 'The CMS saw the same request before: something on the way repeats requests.',
  'operation.unknown': 'The CMS does not know the operation: its version of the bridge is older.',
} as const

/** Returns a failure that lasts until an administrator corrects the connection. */
export function misconfigured(message: string, cause?: unknown): CmsFailure {
  return new CmsFailure('cms.misconfigured', message, cause)
}

function unavailable(message: string, cause?: unknown): CmsFailure {
  return new CmsFailure('cms.unavailable', message, cause)
}

function reason(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message : String(inner)
}
