import { startMessagesApi } from '../../../test/support/messages-api.ts'
import { startStage } from '../../../test/support/stage.ts'
import type { Row } from '../result-table.ts'
import { quantile } from '../sample.ts'
import { section } from '../section.ts'
import { logIn } from '../visitor.ts'

const times = 60
/** The poller's interval, in milliseconds; a browser polls every 1.5 s, which adds half of that on average. */
const lookMs = 20

/**
 * Measures the time from an accepted send to the first step that a poller sees, through the whole local stage, with a
 * model that answers at once.
 */
section(async () => {
  const api = await startMessagesApi()
  api.always({ text: 'Nothing is new.' })
  const stage = await startStage({ env: { ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url } })
  try {
    const editor = await logIn(stage.origin, 'editor')
    const waits: number[] = []
    let conversationId: string | undefined
    for (let at = -5; at < times; at++) {
      const { conversation } = await editor.send('What is new on the site?', conversationId)
      const acceptedAt = performance.now()
      conversationId = conversation.id
      const seen = await until(async () => {
        const answer = await editor.poll(conversationId as string, conversation.version)
        return answer.activity.length > 0 ? performance.now() : undefined
      })
      if (at >= 0) waits.push(seen - acceptedAt)
      await until(async () => {
        const { conversation } = await editor.poll(conversationId as string)
        return conversation.status === 'idle' ? true : undefined
      })
    }
    return rows(waits)
  } finally {
    await stage.remove()
    await api.stop()
  }
})

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((done) => setTimeout(done, lookMs))
  }
}

function rows(waits: number[]): Row[] {
  return [
    {
      what: 'first step seen after an accepted send, p50',
      value: quantile(waits, 0.5),
      unit: 'ms',
      note: 'without the model; the poller looks every 20 ms',
    },
    { what: 'first step seen after an accepted send, p95', value: quantile(waits, 0.95), unit: 'ms' },
  ]
}
