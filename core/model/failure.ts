import { AnthropicError, APIConnectionError, APIError } from '@anthropic-ai/sdk/error'
import { TransientError } from '../base/error.ts'
import { own } from '../base/json.ts'
import { redact } from '../base/safety/redact.ts'
import { ModelError, type ModelFailure, type ModelRequest } from './model.ts'

/**
 * Classifies an error of the SDK: worth another attempt (TransientError), or final (ModelError). The `type` in
 * the error's body decides, then the status. Its JavaScript class does not: an error in a stream is a plain APIError.
 */

type Meaning = ModelFailure | 'transient'

/** Error types of the Messages API, and exception names of Bedrock's stream. */
const byType: Record<string, Meaning> = {
  authentication_error: 'model.unauthorized',
  permission_error: 'model.unauthorized',
  billing_error: 'model.unpaid',
  insufficient_quota: 'model.unpaid',
  invalid_request_error: 'model.rejected',
  not_found_error: 'model.rejected',
  request_too_large: 'model.tooLarge',
  accessDeniedException: 'model.unauthorized',
  validationException: 'model.rejected',
  resourceNotFoundException: 'model.rejected',
}

const byStatus: Record<number, Meaning> = {
  400: 'model.rejected',
  401: 'model.unauthorized',
  402: 'model.unpaid',
  403: 'model.unauthorized',
  404: 'model.rejected',
  405: 'model.rejected',
  413: 'model.tooLarge',
  422: 'model.rejected',
}

/**
 * Phrases by which servers report a request that exceeds the window. Anthropic, Bedrock, vLLM, OpenAI, LiteLLM,
 * Ollama, llama.cpp, Gemini, Mistral and text-generation-inference each have their own. Messages about an output limit
 * must not match.
 */
const tooLongWords = new RegExp(
  [
    'prompt is too long',
    'input is too long',
    'too many input tokens',
    'input tokens? (?:count )?.{0,40}exceeds?',
    'context.?(?:length|window|size|limit)',
    'maximum model length',
    'reduce the length of',
    'inputs` tokens',
  ].join('|'),
  'i',
)

/** Phrases of servers for an unpaid account, often with the status of a wrong request or of too many requests. */
const unpaidWords =
  /credit balance|insufficient[ _](?:credits?|balance|funds|quota)|exceeded your current quota|(?:billing|payment) (?:hard limit|required|is not active)/i
const maxLength = 300

type Context = {
  request: ModelRequest
  key?: string
  now: number
  /** The index of a system message that the server gets in addition to the messages of the request. */
  late?: number | undefined
}

/**
 * Returns the error to throw instead of the attempt's error. An error that is not the SDK's is a bug and stays as it
 * is.
 */
export function failureOf(error: unknown, context: Context): unknown {
  const own = error instanceof Error && causes(error).find((one) => one instanceof ModelError)
  if (own) return own
  if (!(error instanceof AnthropicError)) return error
  if (!(error instanceof APIError)) return broken(error)
  if (error instanceof APIConnectionError)
    return new TransientError('The provider could not be reached', { cause: error })
  const message = words(error, context.key)
  const meaning = meaningOf(error)
  if (meaning !== 'transient') return final(meaning, message, error, context)
  const retryAfterMs = retryAfter(error.headers, context.now)
  return new TransientError(message, { cause: error, ...(retryAfterMs !== undefined && { retryAfterMs }) })
}

/**
 * Returns the error for a request or an answer that broke off: a cut socket, an unfinished stream, or invalid JSON.
 * Also covers missing credentials of a role, because the SDK looks them up only during the call.
 */
function broken(error: AnthropicError): Error {
  if (causes(error).some(({ name }) => name === 'CredentialsProviderError'))
    return new ModelError('model.unauthorized', 'There are no credentials for the provider', { cause: error })
  return new TransientError('The answer of the provider broke off or could not be read', { cause: error })
}

function causes(error: Error): Error[] {
  return error.cause instanceof Error ? [error, ...causes(error.cause)] : [error]
}

const statedIn = ({ type, status = 0 }: APIError) => own(byType, type ?? '') ?? byStatus[status]

function meaningOf(error: APIError): Meaning {
  const { type, status = 0 } = error
  const meaning = statedIn(error)
  const maySayWhy = meaning === 'model.rejected' || status === 500
  if ((maySayWhy || status === 403 || status === 429) && unpaidWords.test(textOf(error)))
    return 'model.unpaid'
  if (maySayWhy && tooLongWords.test(`${type} ${textOf(error)}`)) return 'model.tooLarge'
  if (meaning) return meaning
  return error.headers?.get('x-should-retry') === 'false' ? 'model.unavailable' : 'transient'
}

/**
 * Returns the message of an error: below `error` at the API, at the top at Bedrock and vLLM, a text at Ollama and
 * others.
 */
function textOf(error: APIError): string {
  const body = Object(error.error)
  const said = [error.apiMessage, body.message, body.error, body.detail]
  return said.find((one): one is string => typeof one === 'string') ?? ''
}

/** Returns status, type, the provider's message and its request id: short, one line, without keys. */
function words(error: APIError, key: string | undefined): string {
  const head = [error.status, error.type].filter(Boolean).join(' ')
  const said = textOf(error).replace(/\s+/g, ' ').trim()
  const line = redact(key ? said.replaceAll(key, '[redacted]') : said).slice(0, maxLength)
  const id = error.requestID ? ` (${error.requestID.slice(0, 64)})` : ''
  return `${head || 'Error'}${line ? `: ${line.toWellFormed()}` : ''}${id}`
}

function final(code: ModelFailure, message: string, cause: APIError, context: Context): ModelError {
  const attachment = attachmentOf(code, textOf(cause), context)
  const exceedsWindow = code === 'model.tooLarge' && statedIn(cause) !== code
  return new ModelError(code, message, { cause, exceedsWindow, ...(attachment && { attachment }) })
}

/**
 * Returns the image, document or result with images that the error message blames. If the message gives a position, it
 * is the block at this position. Otherwise it is the newest block of the blamed kind, because the provider accepted the
 * earlier ones. For a request that is too large, it is the newest block of all kinds. The caller leaves out the blamed
 * block from then on; otherwise every later turn of the conversation would fail.
 */
function attachmentOf(
  code: ModelFailure,
  text: string,
  { request, late = Number.POSITIVE_INFINITY }: Context,
): ModelError['attachment'] {
  const attachments = request.messages.flatMap(({ content }, message) =>
    content.flatMap((it, block) => {
      const type = it.type === 'tool_result' && it.images ? 'image' : it.type
      return type === 'image' || type === 'document' ? [{ type, message, block }] : []
    }),
  )
  const [, message, block] = text.match(/messages\.(\d+)\.content\.(\d+)/) ?? []
  const isBlamed = ({ type }: (typeof attachments)[number]) =>
    code === 'model.tooLarge' || (code === 'model.rejected' && blaming[type].test(text))
  const place = Number(message) > late ? Number(message) - 1 : Number(message)
  const named = message
    ? attachments.find((one) => one.message === place && one.block === Number(block))
    : attachments.findLast(isBlamed)
  return named && { message: named.message, block: named.block }
}

const blaming = { image: /\bimages?\b/i, document: /\b(?:pdfs?|documents?)\b/i }

/** Reads seconds or a date; https://www.rfc-editor.org/rfc/rfc9110#name-retry-after. */
function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(exact)) return Math.max(0, exact)
  const value = headers?.get('retry-after')
  if (!value) return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
