import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../core/base/clock.ts'
import { TransientError } from '../../../core/base/error.ts'
import { watched } from '../../../core/model/deadline.ts'
import { manualClock, standStill } from '../../support/clock.ts'

/** An attempt that the test ends by hand, watched for 100 ms of silence and 250 ms altogether. */
function watch(signal = new AbortController().signal) {
  const clock = manualClock()
  const attempt = Promise.withResolvers<string>()
  const seen: { signal?: AbortSignal; touch: () => void } = { touch: () => undefined }
  const outcome = watched({ signal, clock, idleMs: 100, until: clock.now() + 250 }, (signal, touch) => {
    Object.assign(seen, { signal, touch })
    return attempt.promise
  }).catch((error: unknown) => error)
  return { clock, attempt, seen, outcome }
}

describe('watched', () => {
  test('hands over what the attempt gives, and sleeps no more', async () => {
    const { attempt, outcome, clock } = watch()
    attempt.resolve('yes')

    expect(await outcome).toBe('yes')
    expect(clock.sleeping()).toEqual([])
  })

  test('hands over how the attempt fails', async () => {
    const { attempt, outcome } = watch()
    const error = new Error('broken')
    attempt.reject(error)

    expect(await outcome).toBe(error)
  })

  test('ends an attempt that goes silent, although it does not react', async () => {
    const { clock, outcome, seen } = watch()
    await clock.pass(100)

    expect(await outcome).toEqual(new TransientError('The provider went silent'))
    expect(seen.signal?.aborted).toBe(true)
  })

  test('lets one go on that shows signs of life, until its time is over', async () => {
    const { clock, outcome, seen } = watch()
    for (const _ of [1, 2, 3, 4]) {
      await clock.pass(60)
      expect(seen.signal?.aborted).toBe(false)
      seen.touch()
    }
    await clock.pass(10)

    expect(await outcome).toEqual(new TransientError('The provider did not answer in time'))
  })

  test('ends at once with the reason of the caller', async () => {
    const caller = new AbortController()
    const reason = new Error('cancelled')
    const { outcome, clock } = watch(caller.signal)
    caller.abort(reason)

    expect(await outcome).toBe(reason)
    expect(clock.sleeping()).toEqual([])
  })

  test('does not begin when the caller has ended already', async () => {
    const reason = new Error('cancelled')
    const { outcome, seen } = watch(AbortSignal.abort(reason))

    expect(await outcome).toBe(reason)
    expect(seen.signal).toBeUndefined()
  })
})

test('an answer that came while this process stood still is no silence', async () => {
  const { port1: provider, port2: socket } = new MessageChannel()
  const limits = { signal: new AbortController().signal, clock: systemClock, idleMs: 20, until: Infinity }

  const outcome = watched(limits, async (_, touch) => {
    const [answer] = await once(socket, 'message')
    touch()
    return answer
  })
  await new Promise(setImmediate)
  provider.postMessage('answered')
  standStill(100)

  expect(await outcome).toBe('answered')
  provider.close()
})
