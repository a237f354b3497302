import { type Answer, limits, type Model, type ModelRequest } from '../../core/model/model.ts'

export type InstantOptions = {
  /** The number of answers of a turn that want a tool before the last one is text. */
  rounds?: number
  latencyMs?: number
  /** The table whose records the tool reads; absent: pages. */
  table?: string
  /** Hears of each call before it is answered. */
  onAsk?(request: ModelRequest): void
}

/**
 * A model that answers at once, or after a fixed time: it reads another record of the seeded site in each round, then
 * it answers a sentence. The cost of a turn with it is the product's own part.
 */
export function instant({ rounds = 0, latencyMs = 0, table = 'pages', onAsk }: InstantOptions = {}): Model {
  return {
    about: { provider: 'Bench', model: 'instant', isAI: true },
    capabilities: ['tools'],
    limits: limits({ contextTokens: 200_000, maxOutputTokens: 64_000 }, 'anthropic'),
    ask: async (request) => {
      onAsk?.(request)
      if (latencyMs > 0) await new Promise((done) => setTimeout(done, latencyMs))
      return answer(roundsSoFar(request), rounds, table)
    },
  }
}

/** The record that the tool of a round reads; the same one thrice would be refused as a repetition. */
export const pageOf = (round: number) => 2 + (round % 6)

function answer(round: number, rounds: number, table: string): Answer {
  const usage = { input: 1_000, output: 50, cacheRead: 0, cacheWrite: 0 }
  if (round >= rounds) return { text: sentence, calls: [], stop: 'end', usage }
  const call = {
    id: `toolu_${round + 1}`,
    name: 'get_record',
    arguments: { table, uid: pageOf(round) },
  }
  return { text: '', calls: [call], stop: 'calls', usage }
}

const sentence = 'The pages were read, and nothing on them has to be changed at the moment.'

function roundsSoFar({ messages }: ModelRequest): number {
  const asked = messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.some((block) => block.type === 'text'),
  )
  return messages.slice(asked + 1).filter(({ role }) => role === 'assistant').length
}
