import { AnthropicError, APIConnectionError, APIError } from '@anthropic-ai/sdk/error'
import { TransientError } from '../error.ts'
import { redact } from '../safety/redact.ts'
import { ModelError, type ModelFailure, type ModelRequest } from './model.ts'

/**
 * What an error of the SDK means: worth another attempt (TransientError), or the end (ModelError). Decided by the
 * error's type, then by its status, never by its class: an error within a stream comes as a bare APIError.
 */

type Meaning = ModelFailure | 'transient'

/** Types of the Messages API, and those of Bedrock's stream, which names its exceptions instead. */
const byType: Record<string, Meaning> = {
  authentication_error: 'model.unauthorized',
  permission_error: 'model.unauthorized',
  billing_error: 'model.unavailable',
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
  402: 'model.unavailable',
  403: 'model.unauthorized',
  404: 'model.rejected',
  405: 'model.rejected',
  413: 'model.tooLarge',
  422: 'model.rejected',
}

/**
 * How servers say that a request does not fit the window. Anthropic, Bedrock, vLLM, OpenAI, LiteLLM, Ollama, llama.cpp,
 * Gemini, Mistral and text-generation-inference each have words of their own; an output limit is none of them.
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
const maxLength = 300

type Context = { request: ModelRequest; key?: string; now: number }

/** The error to throw in place of one that an attempt ended with. What is no error of the SDK is a bug and stays. */
export function failureOf(error: unknown, context: Context): unknown {
  const own = error instanceof Error && causes(error).find((one) => one instanceof ModelError)
  if (own) return own
  if (!(error instanceof AnthropicError)) return error
  if (!(error instanceof APIError)) return broken(error)
  if (error instanceof APIConnectionError) {
    return new TransientError('The provider could not be reached', { cause: error })
  }
  const message = words(error, context.key)
  const meaning = meaningOf(error)
  if (meaning !== 'transient') return final(meaning, message, error, context.request)
  const retryAfterMs = retryAfter(error.headers, context.now)
  return new TransientError(message, { cause: error, ...(retryAfterMs !== undefined && { retryAfterMs }) })
}

/** Cut sockets, streams without an end, and data that is no JSON; credentials of a role are looked up late as well. */
function broken(error: AnthropicError): Error {
  if (causes(error).some(({ name }) => name === 'CredentialsProviderError')) {
    return new ModelError('model.unauthorized', 'There are no credentials for the provider', { cause: error })
  }
  return new TransientError('The answer of the provider broke off or could not be read', { cause: error })
}

function causes(error: Error): Error[] {
  return error.cause instanceof Error ? [error, ...causes(error.cause)] : [error]
}

function meaningOf(error: APIError): Meaning {
  const { type, status = 0 } = error
  const meaning = byType[type ?? ''] ?? byStatus[status]
  const maySayWhy = meaning === 'model.rejected' || status === 500
  if (maySayWhy && tooLongWords.test(`${type} ${textOf(error)}`)) return 'model.tooLarge'
  if (meaning) return meaning
  return error.headers?.get('x-should-retry') === 'false' ? 'model.unavailable' : 'transient'
}

/** The API has its words below `error`, Bedrock and vLLM at the top; Ollama and others have a text in their place. */
function textOf(error: APIError): string {
  const body = Object(error.error)
  const said = [error.apiMessage, body.message, body.error, body.detail]
  return said.find((one): one is string => typeof one === 'string') ?? ''
}

/** Status, type, the provider's words and its request id: short, one line, without keys. */
function words(error: APIError, key: string | undefined): string {
  const head = [error.status, error.type].filter(Boolean).join(' ')
  const said = textOf(error).replace(/\s+/g, ' ').trim()
  const line = redact(key ? said.replaceAll(key, '[redacted]') : said).slice(0, maxLength)
  const id = error.requestID ? ` (${error.requestID.slice(0, 64)})` : ''
  return `${head || 'Error'}${line ? `: ${line.toWellFormed()}` : ''}${id}`
}

function final(code: ModelFailure, message: string, cause: APIError, request: ModelRequest): ModelError {
  const attachment = attachmentOf(code, textOf(cause), request)
  return new ModelError(code, message, { cause, ...(attachment && { attachment }) })
}

/**
 * The image or document, or the result with images, that the error message blames: by its position, else the newest of its kind, because the
 * provider accepted the earlier ones before. For a request that is too large it is the newest of all. Without it every
 * later turn of the conversation would fail because of the same file.
 */
function attachmentOf(code: ModelFailure, text: string, request: ModelRequest): ModelError['attachment'] {
  const attachments = request.messages.flatMap(({ content }, message) =>
    content.flatMap((it, block) => {
      const type = it.type === 'tool_result' && it.images ? 'image' : it.type
      return type === 'image' || type === 'document' ? [{ type, message, block }] : []
    }),
  )
  const [, message, block] = text.match(/messages\.(\d+)\.content\.(\d+)/) ?? []
  const isBlamed = ({ type }: (typeof attachments)[number]) =>
    code === 'model.tooLarge' || (code === 'model.rejected' && blaming[type].test(text))
  const named = message
    ? attachments.find((one) => one.message === Number(message) && one.block === Number(block))
    : attachments.findLast(isBlamed)
  return named && { message: named.message, block: named.block }
}

const blaming = { image: /\bimages?\b/i, document: /\b(?:pdfs?|documents?)\b/i }

/** Seconds, or a date; https://www.rfc-editor.org/rfc/rfc9110#name-retry-after. */
function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(exact)) return Math.max(0, exact)
  const value = headers?.get('retry-after')
  if (!value) return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
