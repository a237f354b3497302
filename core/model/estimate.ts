import type { Answer, ModelLimits, ModelRequest, Usage } from './model.ts'

/** Estimates tokens if a provider has not counted them, or its count cannot be right. */

/** Three bytes are about one token: a little less than a token in English, one character in Chinese. */
const bytesPerToken = 3
/** Estimates for a picture and for a document of a few pages, from the provider's documentation. */
const tokensPerImage = 2_000
const tokensPerDocument = 15_000

/** Estimates the tokens of a text; the estimate is too high rather than too low. */
export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

/** Estimates the input tokens of a request. */
export function tokensOfRequest({ system, tools, messages }: ModelRequest): number {
  const blocks = messages.flatMap(
    ({ content }): ModelRequest['messages'][number]['content'][number][] => content,
  )
  const texts = [...system.map(({ text }) => text), ...tools.map((tool) => JSON.stringify(tool))]
  return sum(texts.map(tokensIn)) + sum(blocks.map(tokensOfBlock))
}

function tokensOfBlock(block: ModelRequest['messages'][number]['content'][number]): number {
  if (block.type === 'image') return tokensPerImage
  if (block.type === 'document') return tokensPerDocument
  return tokensIn(JSON.stringify(block))
}

/** The request and the limits of its model, which bound the answer's tokens. Only a model that is no AI uses none. */
export type EstimatedRequest = {
  request: ModelRequest
  limits: Pick<ModelLimits, 'contextTokens' | 'maxOutputTokens'>
  isAI: boolean
}

/**
 * Most windows that one answer can use: a provider with tools of its own reads the request again for each of them. The
 * settings may also state a window that is smaller than the model's.
 */
const maxWindows = 10

/**
 * The usage that a provider reports, as far as it is plausible: whole numbers, not negative, no larger than a few of
 * the model's windows and answers, and not 0 if there is text. Estimates missing and implausible numbers from the
 * texts. So a wrong report neither loses an answer nor gives back a budget.
 */
export function believable(
  reported: unknown,
  asked: EstimatedRequest,
  answer: Pick<Answer, 'text' | 'calls'>,
): Usage {
  const { contextTokens, maxOutputTokens } = asked.limits
  const count = countIn(reported)
  const most = maxWindows * contextTokens
  const plain = count('input_tokens', most)
  const cacheRead = count('cache_read_input_tokens', most) ?? 0
  const cacheWrite = count('cache_creation_input_tokens', most) ?? 0
  const hour = Math.min(hourWritesIn(reported), cacheWrite)
  const input = (plain ?? 0) + cacheRead + cacheWrite
  const output = count('output_tokens', maxWindows * maxOutputTokens)
  const said = answer.text + (answer.calls.length > 0 ? JSON.stringify(answer.calls) : '')
  const isTrue = (tokens: number) => tokens > 0 || !asked.isAI
  const isInputTrue = plain !== undefined && isTrue(input) && input <= most
  return {
    ...(isInputTrue
      ? { input, cacheRead, cacheWrite, ...(hour > 0 && { cacheWriteHour: hour }) }
      : { input: Math.min(tokensOfRequest(asked.request), contextTokens), cacheRead: 0, cacheWrite: 0 }),
    output: output !== undefined && isTrue(output) ? output : Math.min(tokensIn(said), maxOutputTokens),
  }
}

/** The part of the writes to the cache that is kept for an hour; 0 if the provider does not tell. */
function hourWritesIn(reported: unknown): number {
  const hour: unknown = Object(Object(reported).cache_creation).ephemeral_1h_input_tokens
  return Number.isInteger(hour) && Number(hour) > 0 ? Number(hour) : 0
}

function countIn(reported: unknown) {
  const fields = typeof reported === 'object' && reported !== null ? reported : {}
  return (name: string, max: number): number | undefined => {
    const value: unknown = Reflect.get(fields, name)
    return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max
      ? (value as number)
      : undefined
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
