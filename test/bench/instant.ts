import { type Answer, limits, type Model, type ModelRequest } from '../../core/model/model.ts'

export type InstantOptions = {
  /** The number of answers with a tool call before the last answer, which is text. */
  rounds?: number
  latencyMs?: number
  /** The table whose records the tool reads; pages if absent. */
  table?: string
  /** Called with each request before the model answers it. */
  onAsk?(request: ModelRequest): void
}

/**
 * Returns a model that answers at once, or after a fixed time. In each round it reads another record of the seeded
 * site; at the end it answers with one sentence. The cost of a turn with this model is the cost of the product only.
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

/**
 * The uid of the record that the tool of a round reads. Three reads of the same record would be refused as a
 * repetition.
 */
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
