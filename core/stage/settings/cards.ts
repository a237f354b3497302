import { dayMs } from '../../base/clock.ts'
import type { ModelRecord, Prices } from './schema.ts'

/**
 * The known facts of a model. Settings may leave them out, and take precedence over them. Sources, as of `checkedOn`:
 * https://platform.claude.com/docs/en/about-claude/models/overview, …/about-claude/pricing, …/model-deprecations. The
 * facts are those of the vendor's own API; Bedrock has its own prices and dates. Newer families come first, because the
 * first matching pattern counts.
 */
export type Card = Facts & {
  /** Beginning of the model's id, without the prefix of a Bedrock inference profile. */
  model: string
  /** Version of the API for this model on Bedrock; null: the newest. */
  bedrockVersion: string | null
  /** True if a conversation may end with a turn of the assistant. */
  prefill: boolean
  /** True if the vendor's documentation says that the model accepts system messages between other messages. */
  systemMessages: boolean
  /** True if the vendor's documentation says that the model cites search results and documents. */
  citations: boolean
  /** The announced day of the model's retirement, `YYYY-MM-DD`; null: no day is announced. */
  retiresOn: string | null
}

/** The facts of a model that settings may leave out. */
type Facts = Pick<ModelRecord, 'capabilities' | 'contextTokens' | 'maxOutputTokens' | 'prices' | 'pricesAsOf'>

const all: Facts['capabilities'] = ['vision', 'pdf', 'tools']
/** The day on which the figures were looked up. */
const checkedOn = '2026-11-23'
/** The API version on Bedrock for models before Claude 4.7. */
const old = 'bedrock-2023-05-31'

/** Features that came with Opus 4.8. */
const newest = { systemMessages: true }
const large = {
  capabilities: all,
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  prefill: false,
  citations: true,
  systemMessages: false,
  retiresOn: null,
  bedrockVersion: null,
}
const small = {
  ...large,
  contextTokens: 200_000,
  maxOutputTokens: 64_000,
  prefill: true,
  bedrockVersion: old,
}

/** US dollars per million tokens: input, output, cache reads, cache writes for 5 minutes, cache writes for an hour. */
type PriceRow = [input: number, output: number, cacheRead: number, cacheWrite: number, cacheWriteHour: number]

function priced(
  row: PriceRow,
  ...steps: { above: number; row: PriceRow }[]
): Pick<Facts, 'prices' | 'pricesAsOf'> {
  const dearer = steps.map(({ above, row }) => ({ above, ...ratesOf(row) }))
  const prices = { ...ratesOf(row), ...(dearer.length > 0 && { steps: dearer }) }
  return { prices, pricesAsOf: checkedOn }
}

function ratesOf([input, output, cacheRead, cacheWrite, cacheWriteHour]: PriceRow): Omit<Prices, 'steps'> {
  return { input, output, cacheRead, cacheWrite, cacheWriteHour }
}
const unpriced = { prices: null, pricesAsOf: null }
/** Haiku 5.5 has higher prices for all tokens of a request whose prompt is longer than this. */
const longHaiku = { above: 100_000, row: [0.5, 2.5, 0.05, 0.625, 1] satisfies PriceRow }

/** The cards, the most specific pattern of a family first. */
export const cards: Card[] = [
  { model: 'claude-sonnet-5-5', ...large, ...newest, ...priced([2, 10, 0.1, 2.5, 4]) },
  { model: 'claude-sonnet-5', ...large, ...priced([2, 10, 0.2, 2.5, 4]) },
  { model: 'claude-opus-5-5', ...large, ...newest, ...priced([4, 20, 0.2, 5, 8]) },
  { model: 'claude-opus-5', ...large, ...newest, ...priced([5, 25, 0.5, 6.25, 10]) },
  { model: 'claude-opus-4-8', ...large, ...newest, ...priced([5, 25, 0.5, 6.25, 10]) },
  { model: 'claude-opus-4-7', ...large, ...priced([5, 25, 0.5, 6.25, 10]) },
  { model: 'claude-haiku-5-5', ...large, ...newest, ...priced([0.1, 0.5, 0.01, 0.125, 0.2], longHaiku) },
  { model: 'claude-haiku-5', ...large, ...unpriced },
  { model: 'claude-fable-5-1', ...large, ...newest, ...priced([10, 50, 0.25, 12.5, 20]) },
  { model: 'claude-fable-5', ...large, ...newest, ...priced([10, 50, 1, 12.5, 20]) },
  { model: 'claude-mythos-5-1', ...large, ...priced([10, 50, 0.25, 12.5, 20]) },
  { model: 'claude-mythos-5', ...large, ...priced([10, 50, 1, 12.5, 20]) },
  { model: 'claude-mythos-', ...large, ...unpriced },
  { model: 'claude-sonnet-4-6', ...large, ...priced([3, 15, 0.3, 3.75, 6]), bedrockVersion: old },
  { model: 'claude-opus-4-6', ...large, ...priced([5, 25, 0.5, 6.25, 10]), bedrockVersion: old },
  { model: 'claude-sonnet-4-5', ...small, ...priced([3, 15, 0.3, 3.75, 6]), retiresOn: '2026-11-30' },
  { model: 'claude-opus-4-5', ...small, ...priced([5, 25, 0.5, 6.25, 10]) },
  { model: 'claude-haiku-4-5', ...small, ...priced([1, 5, 0.1, 1.25, 2]) },
]

/**
 * Returns the card of a model; undefined for an unknown one. The id may have the prefix of a Bedrock inference profile.
 */
export function cardOf(modelId: string): Card | undefined {
  const id = modelId.replace(/^(?:[a-z]+\.)*anthropic\./, '')
  return cards.find(({ model }) => id.startsWith(model))
}

/** Returns the facts that the settings of a model may leave out; empty for an unknown model. */
export function factsOf(modelId: string): Partial<Facts> {
  const card = cardOf(modelId)
  if (!card) return {}
  const { capabilities, contextTokens, maxOutputTokens, prices, pricesAsOf } = card
  return { capabilities, contextTokens, maxOutputTokens, prices, pricesAsOf }
}

/** Number of days before a model's retirement from which `endOf` announces it. */
export const warnedDays = 60

/** Returns a sentence if the model's retirement is over or less than `warnedDays` away; else undefined. */
export function endOf(modelId: string, now: number): string | undefined {
  const day = cardOf(modelId)?.retiresOn
  if (!day) return undefined
  const days = Math.ceil((Date.parse(day) - now) / dayMs)
  if (days > warnedDays) return undefined
  const when = days > 0 ? `retires on ${day}, in ${days} days` : `has been retired since ${day}`
  return `${modelId} ${when}: choose another model. Bedrock may have another date.`
}
