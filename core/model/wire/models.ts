import { cardOf } from '../../settings/cards.ts'

/** What the Messages API accepts per model, as far as the rules of a request depend on it. */
export type ModelFacts = {
  contextTokens: number
  maxOutputTokens: number
  /** Whether a conversation may end with a turn of the assistant. */
  prefill: boolean
  images: number
  pdfPages: number
}

const demo = { contextTokens: 200_000, maxOutputTokens: 64_000, prefill: false }

/** The facts of a model id, with or without the prefix of a Bedrock inference profile; undefined: there is none such. */
export function factsOf(model: string): ModelFacts | undefined {
  const facts = model.startsWith('demo-') ? demo : cardOf(model)
  if (!facts) return undefined
  const { contextTokens, maxOutputTokens, prefill } = facts
  const count = contextTokens >= 1_000_000 ? 600 : 100
  return { contextTokens, maxOutputTokens, prefill, images: count, pdfPages: count }
}
