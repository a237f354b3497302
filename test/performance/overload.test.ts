import { expect, test } from 'vitest'
import { simulate } from '../../scripts/bench/overload/simulate.ts'
import { model, provider, settings } from '../support/settings.ts'

/**
 * A hundredth of a stage whose provider takes 70 % of what is asked of it; `npm run bench:overload` plays the whole. It has
 * consumers to spare, as so few are all busy by chance: a call that waits for one comes later than it was booked.
 */
const played = (requestsPerMinute: number | null) =>
  simulate({
    editors: 100,
    turnsPerSecond: 0.46,
    seconds: 300,
    consumers: 12,
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

/** 40 consumers under a light load, into which one group sends 600 turns at once. */
const besideBatch = async (isFair: boolean) => {
  const outcome = await simulate({
    editors: 100,
    groups: 5,
    turnsPerSecond: 0.5,
    seconds: 300,
    consumers: 40,
    quota: 1_000,
    seed: 1,
    isFair,
    batch: { turns: 600, afterMs: 30_000, weights: [1] },
    settings: settings({
      providers: [provider()],
      models: [model()],
      maxActiveConversations: null,
      maxConversationsPerUser: null,
    }),
  })
  return { ...outcome, late: outcome.waits.filter((wait) => wait > 30).length }
}

test('the many turns of one group delay no other group, which they do where the queue knows no groups', async () => {
  const [fair, unfair] = [await besideBatch(true), await besideBatch(false)]

  expect([fair.late, fair.others - fair.waits.length]).toEqual([0, 0])
  expect(fair.batchWaits.flat().length).toBeGreaterThan(300)
  expect(unfair.late).toBeGreaterThan(fair.waits.length / 4)
})
