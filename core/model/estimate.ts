import { cap, reached } from '../file/document/excerpt.ts'
import type { Extraction } from '../file/document/schema.ts'
import type { Answer, AssistantBlock, ModelLimits, ModelRequest, Usage, UserBlock } from './model.ts'

/** Estimates tokens if a provider has not counted them, or its count cannot be right. */

/**
 * Tokens of one character, by its kind. Measured with the vendor's published tokenizer on pages, records and files in
 * ten scripts; the newest models count about 30 % more tokens than that tokenizer.
 */
const perCharacter = {
  /** Tokens of a letter or space: `plain` in an English text, `foreign` in a text with many diacritics. */
  plain: 0.212,
  foreign: 0.282,
  /** A letter with a diacritic, such as `ü`. */
  marked: 2,
  cyrillic: 0.57,
  /** A letter of another script. */
  other: 1.3,
  /** A digit or symbol, including typographic ones; `signAgain` is a symbol directly after a symbol. */
  sign: 0.72,
  signAgain: 0.45,
}
const newest = 1.3
/** Treats a text as non-English if at least one letter in 200 has a diacritic. */
const lettersPerMark = 200
/** The tokens of a picture, as the provider's documentation estimates them. */
export const tokensPerImage = 2_000
/** The tokens of a document of a few pages, by the same documentation. */
const tokensPerDocument = 15_000

/** Estimates the tokens of a text, as the newest models count them. */
export function tokensIn(text: string): number {
  let letters = 0
  let marked = 0
  let others = 0
  let wasMark = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 32 || ((code | 32) >= 97 && (code | 32) <= 122)) {
      letters += 1
      wasMark = false
    } else if (code >= 128 && code < 0x250) {
      marked += 1
      wasMark = false
    } else {
      const isMark = code > 32 && code < 128 && (code < 48 || code > 57)
      others += isMark && wasMark ? perCharacter.signAgain : tokensOf(code)
      wasMark = isMark
    }
  }
  const letter = marked * lettersPerMark < letters ? perCharacter.plain : perCharacter.foreign
  return Math.ceil(newest * (letters * letter + marked * perCharacter.marked + others))
}

function tokensOf(code: number): number {
  if (code < 128 || (code >= 0x2000 && code < 0x2070)) return perCharacter.sign
  return code >= 0x400 && code < 0x530 ? perCharacter.cyrillic : perCharacter.other
}

/**
 * Returns the part of a document with at most these tokens, and its tokens. Cuts in proportion until it fits, because
 * the script may change within the text.
 */
export function capTokens({ text, extent }: Pick<Extraction, 'text' | 'extent'>, most: number) {
  let part = { text, isCut: false }
  let tokens = tokensIn(text)
  for (; tokens > most; tokens = tokensIn(part.text))
    part = cap(part.text, Math.floor((part.text.length * most) / tokens), extent?.unit)
  return { ...part, tokens, extent: part.isCut && extent ? reached(extent, part.text, text) : extent }
}

/** Estimates the input tokens of a request. */
export function tokensOfRequest({ system, tools, messages }: ModelRequest): number {
  const blocks = messages.flatMap(({ content }): (UserBlock | AssistantBlock)[] => content)
  const texts = [...system.map(({ text }) => text), ...tools.map((tool) => JSON.stringify(tool))]
  return sum(texts.map(tokensIn)) + sum(blocks.map(tokensOfBlock))
}

function tokensOfBlock(block: UserBlock | AssistantBlock): number {
  if (block.type === 'image') return tokensPerImage
  if (block.type === 'document') return tokensPerDocument
  if (block.type !== 'tool_result') return tokensIn(JSON.stringify(block))
  const { images = [], ...result } = block
  return tokensIn(JSON.stringify(result)) + images.length * tokensPerImage
}

/**
 * The request and the limits of its model, which bound the tokens of the answer. Only the demo model uses no tokens.
 */
export type EstimatedRequest = {
  request: ModelRequest
  limits: Pick<ModelLimits, 'contextTokens' | 'maxOutputTokens'>
  isAI: boolean
}

/**
 * The maximum number of windows that one answer can use: a provider with its own tools reads the request again for each
 * tool call. The settings may also state a smaller window than the model's.
 */
const maxWindows = 10

/**
 * Returns the usage that a provider reports, if it is plausible: whole numbers, not negative, at most a few of the
 * model's windows and answers, and not 0 for a text. Replaces missing and implausible numbers with estimates from the
 * texts. So a wrong report neither loses an answer nor gives budget back.
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

/** Returns the tokens of cache writes that are kept for an hour; 0 if the provider does not report them. */
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

/** Returns the total of the numbers. */
export const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)
