import type { Answer, ModelLimits, ModelRequest, Usage } from './model.ts'

/** How many tokens something takes, where no provider has counted them or its count cannot be right. */

/** Three bytes are about a token: a little less than that in English, one character in Chinese. */
const bytesPerToken = 3
/** A picture, and a document of a few pages, as the provider's documentation estimates them. */
const tokensPerImage = 2_000
const tokensPerDocument = 15_000

/** About how many tokens a text takes, rather too many than too few. */
export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

/** About how many tokens the input of a request takes. */
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

/** What was asked, and of which model: it bounds what the answer can have cost. Only what is no AI costs nothing. */
export type Asked = {
  request: ModelRequest
  limits: Pick<ModelLimits, 'contextTokens' | 'maxOutputTokens'>
  isAI: boolean
}

/**
 * The usage that a provider reports, as far as it can be true: whole numbers that are not negative and no larger than
 * the model's window and output, and not 0 where there is text. What is missing or strange is estimated from the texts,
 * so that no report, whatever it says, loses an answer or gives a budget back.
 */
export function believable(reported: unknown, asked: Asked, answer: Pick<Answer, 'text' | 'calls'>): Usage {
  const { contextTokens, maxOutputTokens } = asked.limits
  const count = countIn(reported)
  const plain = count('input_tokens', contextTokens)
  const cacheRead = count('cache_read_input_tokens', contextTokens) ?? 0
  const cacheWrite = count('cache_creation_input_tokens', contextTokens) ?? 0
  const input = (plain ?? 0) + cacheRead + cacheWrite
  const output = count('output_tokens', maxOutputTokens)
  const said = answer.text + (answer.calls.length > 0 ? JSON.stringify(answer.calls) : '')
  const isTrue = (tokens: number) => tokens > 0 || !asked.isAI
  const isInputTrue = plain !== undefined && isTrue(input) && input <= contextTokens
  return {
    ...(isInputTrue
      ? { input, cacheRead, cacheWrite }
      : { input: Math.min(tokensOfRequest(asked.request), contextTokens), cacheRead: 0, cacheWrite: 0 }),
    output: output !== undefined && isTrue(output) ? output : Math.min(tokensIn(said), maxOutputTokens),
  }
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
