import { cardOf } from '../../stage/settings/cards.ts'

/** Facts of a model that the rules of a request depend on. */
export type ModelFacts = {
  contextTokens: number
  maxOutputTokens: number
  /** True if a conversation may end with a turn of the assistant. */
  prefill: boolean
  /** True if a system message may stand within the messages. */
  systemMessages: boolean
  /** True if it takes search results and cites. */
  citations: boolean
  images: number
  pdfPages: number
}

const demo = {
  contextTokens: 200_000,
  maxOutputTokens: 64_000,
  prefill: false,
  systemMessages: false,
  citations: true,
}

/** The facts of a model id, also with the prefix of a Bedrock inference profile; undefined for an unknown model. */
export function factsOf(model: string): ModelFacts | undefined {
  const facts = model.startsWith('demo-') ? demo : cardOf(model)
  if (!facts) return undefined
  const { contextTokens, maxOutputTokens, prefill, systemMessages, citations } = facts
  const count = contextTokens >= 1_000_000 ? 600 : 100
  return {
    contextTokens,
    maxOutputTokens,
    prefill,
    systemMessages,
    citations,
    images: count,
    pdfPages: count,
  }
}
