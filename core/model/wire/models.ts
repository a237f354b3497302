/** What the Messages API accepts per model, as far as the rules of a request depend on it. */
export type ModelFacts = {
  contextTokens: number
  maxOutputTokens: number
  /** Whether a conversation may end with a turn of the assistant. */
  prefill: boolean
  images: number
  pdfPages: number
}

const large: ModelFacts = {
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  prefill: false,
  images: 600,
  pdfPages: 600,
}
const small: ModelFacts = {
  contextTokens: 200_000,
  maxOutputTokens: 64_000,
  prefill: false,
  images: 100,
  pdfPages: 100,
}

const known: [prefix: string, facts: ModelFacts][] = [
  ['claude-haiku-4-5', { ...small, prefill: true }],
  ['claude-sonnet-4-5', { ...small, prefill: true }],
  ['claude-opus-4-5', { ...small, prefill: true }],
  ['claude-haiku-', small],
  ['claude-sonnet-', large],
  ['claude-opus-', large],
  ['claude-fable-', large],
  ['claude-mythos-', large],
  ['demo-', small],
]

/** The facts of a model id, with or without the prefix of a Bedrock inference profile; undefined: there is none such. */
export function factsOf(model: string): ModelFacts | undefined {
  const id = model.replace(/^(?:[a-z]+\.)*anthropic\./, '')
  return known.find(([prefix]) => id.startsWith(prefix))?.[1]
}
