import { expect, test } from 'vitest'
import { simulate } from '../../scripts/bench/overload/simulate.ts'
import { model, provider, settings } from '../support/settings.ts'

/** A hundredth of a stage whose provider takes 70 % of what is asked of it; `npm run bench:overload` plays the whole. */
const played = (requestsPerMinute: number | null) =>
  simulate({
    editors: 100,
    turnsPerSecond: 0.46,
    seconds: 300,
    consumers: 9,
    quota: 48,
    seed: 1,
    settings: settings({
      providers: [provider({ requestsPerMinute })],
      models: [model()],
      maxActiveConversations: null,
      maxConversationsPerUser: null,
    }),
  })

test('consumers that share the limits of a provider are never refused by it, and no turn fails', async () => {
  const outcome = await played(48)

  expect(outcome).toMatchObject({ throttled: 0, failed: 0, refused: 0 })
  expect(outcome.done).toBe(outcome.sent)
})

test('without them, calls are refused and turns fail', async () => {
  const { throttled, failed } = await played(null)

  expect([throttled > 0, failed > 0]).toEqual([true, true])
})
