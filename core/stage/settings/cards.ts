import type { ModelRecord } from './schema.ts'

/**
 * The known facts of a model. Settings need not repeat them, and take precedence if they do. Sources:
 * https://platform.claude.com/docs/en/about-claude/models/overview and …/pricing, in US dollars per million tokens;
 * uncertain figures are null. Newer families come first, because the first matching pattern counts.
 */
export type Card = Facts & {
  /** Beginning of the model's id, without the prefix of a Bedrock inference profile. */
  model: string
  /** Version of the API for this model on Bedrock; null: the newest. */
  bedrockVersion: string | null
  /** True if a conversation may end with a turn of the assistant. */
  prefill: boolean
}

/** The facts that settings may leave out. */
type Facts = Pick<ModelRecord, 'capabilities' | 'contextTokens' | 'maxOutputTokens' | 'prices' | 'pricesAsOf'>

const all: Facts['capabilities'] = ['vision', 'pdf', 'tools']
/** The day on which the figures were looked up. */
const checkedOn = '2026-11-22'
/** The API version on Bedrock for models before Claude 4.7. */
const old = 'bedrock-2023-05-31'

const large = { capabilities: all, contextTokens: 1_000_000, maxOutputTokens: 128_000, prefill: false }
const small = { capabilities: all, contextTokens: 200_000, maxOutputTokens: 64_000, prefill: true }

/** The price list of a model. Its five-minute cache costs a tenth of the input price to read, 1.25 times to write. */
const priced = (input: number, output: number) => ({
  prices: { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 },
  pricesAsOf: checkedOn,
})
const unpriced = { prices: null, pricesAsOf: null }

/** The cards, the most specific pattern of a family first. */
export const cards: Card[] = [
  { model: 'claude-sonnet-5-5', ...large, ...priced(2, 10), bedrockVersion: null },
  { model: 'claude-sonnet-5', ...large, ...priced(2, 10), bedrockVersion: null },
  { model: 'claude-opus-5-5', ...large, ...unpriced, bedrockVersion: null },
  { model: 'claude-opus-5', ...large, ...priced(5, 25), bedrockVersion: null },
  { model: 'claude-opus-4-8', ...large, ...unpriced, bedrockVersion: null },
  { model: 'claude-opus-4-7', ...large, ...unpriced, bedrockVersion: null },
  { model: 'claude-haiku-5', ...large, ...unpriced, bedrockVersion: null },
  { model: 'claude-fable-5', ...large, ...unpriced, bedrockVersion: null },
  { model: 'claude-mythos-', ...large, ...unpriced, bedrockVersion: null },
  { model: 'claude-sonnet-4-6', ...large, ...unpriced, bedrockVersion: old },
  { model: 'claude-opus-4-6', ...large, ...unpriced, bedrockVersion: old },
  { model: 'claude-sonnet-4-5', ...small, ...priced(3, 15), bedrockVersion: old },
  { model: 'claude-opus-4-5', ...small, ...priced(5, 25), bedrockVersion: old },
  { model: 'claude-haiku-4-5', ...small, ...priced(1, 5), bedrockVersion: old },
]

/** The card of a model id, also with the prefix of a Bedrock inference profile; undefined for an unknown model. */
export function cardOf(modelId: string): Card | undefined {
  const id = modelId.replace(/^(?:[a-z]+\.)*anthropic\./, '')
  return cards.find(({ model }) => id.startsWith(model))
}

/** The facts that the settings of a model may leave out; empty for an unknown model. */
export function factsOf(modelId: string): Partial<Facts> {
  const card = cardOf(modelId)
  if (!card) return {}
  const { capabilities, contextTokens, maxOutputTokens, prices, pricesAsOf } = card
  return { capabilities, contextTokens, maxOutputTokens, prices, pricesAsOf }
}
