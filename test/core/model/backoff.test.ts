import { describe, expect, test } from 'vitest'
import { TransientError } from '../../../core/base/error.ts'
import { retrying } from '../../../core/model/deadline.ts'
import { ModelError } from '../../../core/model/model.ts'
import { manualClock } from '../../support/clock.ts'

/** Attempts that end as listed, an error or a value, and the pauses between them. */
async function run(ends: unknown[], options: { forMs?: number; random?: number; signal?: AbortSignal } = {}) {
  const { forMs = 240_000, random = 0.5, signal = new AbortController().signal } = options
  const clock = manualClock()
  const pauses: number[] = []
  let attempts = 0
  const outcome = await retrying(
    async () => {
      const end = ends[attempts]
      attempts += 1
      if (end instanceof Error) throw end
      return end
    },
    {
      until: clock.now() + forMs,
      clock: {
        now: clock.now,
        async sleep(ms, signal) {
          signal?.throwIfAborted()
          pauses.push(ms)
          await clock.pass(ms)
        },
      },
      random: () => random,
      signal,
    },
  ).catch((error: unknown) => error)
  return { outcome, attempts, pauses }
}

const busy = new TransientError('529 overloaded_error: Overloaded')
const busyFor = (retryAfterMs: number) => new TransientError('429 rate_limit_error', { retryAfterMs })
const given = (error: TransientError) => new ModelError('model.unavailable', error.message, { cause: error })

describe('retrying', () => {
  test.each<[string, unknown[], Parameters<typeof run>[1], Awaited<ReturnType<typeof run>>]>([
    ['takes the first answer', ['yes'], {}, { outcome: 'yes', attempts: 1, pauses: [] }],
    [
      'pauses for a random part of an ever longer time',
      [busy, busy, busy, busy, busy, 'yes'],
      {},
      { outcome: 'yes', attempts: 6, pauses: [500, 1_000, 2_000, 4_000, 8_000] },
    ],
    [
      'gives up after six attempts',
      [busy, busy, busy, busy, busy, busy, 'never'],
      { random: 0 },
      { outcome: given(busy), attempts: 6, pauses: [0, 0, 0, 0, 0] },
    ],
    [
      'pauses as long as the provider asks',
      [busyFor(30_000), 'yes'],
      {},
      { outcome: 'yes', attempts: 2, pauses: [30_000] },
    ],
    [
      'pauses by its own rule when the provider asks for no pause at all',
      [busyFor(0), busyFor(0), 'yes'],
      {},
      { outcome: 'yes', attempts: 3, pauses: [500, 1_000] },
    ],
    [
      'gives up at once when that is longer than it may take',
      [busyFor(240_000), 'never'],
      {},
      { outcome: given(busyFor(240_000)), attempts: 1, pauses: [] },
    ],
    [
      'gives up when the time is over',
      [busy, busy, 'never'],
      { forMs: 1_200 },
      { outcome: given(busy), attempts: 2, pauses: [500] },
    ],
  ])('%s', async (_, ends, options, expected) => {
    expect(await run(ends, options)).toEqual(expected)
  })

  test('passes on what will not pass by itself', async () => {
    const refused = new ModelError('model.rejected', '400 invalid_request_error')

    expect(await run([refused, 'never'])).toEqual({ outcome: refused, attempts: 1, pauses: [] })
  })

  test('ends with the reason of the signal', async () => {
    const reason = new Error('cancelled')

    expect((await run([busy, 'never'], { signal: AbortSignal.abort(reason) })).outcome).toBe(reason)
  })
})
