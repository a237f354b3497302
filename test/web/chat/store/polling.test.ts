import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiError } from '../../../../web/chat/api.ts'
import { backoffDelay, Connection, pollDelay, startPolling } from '../../../../web/chat/store/poller.ts'

describe('the next question', () => {
  test.each([
    ['at first', 'processing', 0, 1_500, 0.5, 1_000],
    ['later, as the stage asks', 'locked', 20_000, 1_500, 0.5, 1_500],
    ['never before a second', 'locked', 20_000, 1_000, 0, 1_000],
    ['never after two', 'locked', 20_000, 2_000, 0.99, 2_000],
    ['while it waits for a decision', 'awaiting_approval', 0, 1_000, 0.5, 2_000],
  ] as const)('%s', (_, status, runningMs, interval, random, expected) => {
    expect(pollDelay(status, runningMs, interval, random)).toBe(expected)
  })

  test.each([
    ['later, as the answer asks while many wait', 6_000, 6_000],
    ['no sooner, where the answer asks for less', 500, 1_500],
    ['after 15 seconds at the latest, whatever the answer asks', 3_600_000, 15_000],
  ])('%s', (_, pollAfterMs, expected) => {
    expect(pollDelay('processing', 20_000, 1_500, 0.5, pollAfterMs)).toBe(expected)
  })
})

describe('the next attempt', () => {
  test.each([
    [1, undefined, 0, 500],
    [1, undefined, 1, 1_000],
    [3, undefined, 1, 4_000],
    [9, undefined, 1, 8_000],
    [1, 6_000, 0, 6_000],
  ])('after %i failures', (failures, retryAfterMs, random, expected) => {
    expect(backoffDelay(failures, retryAfterMs, random)).toBe(expected)
  })
})

describe('polling', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const counted = (fails?: (call: number) => unknown) => {
    let calls = 0
    const failed = vi.fn()
    const ask = async () => {
      const error = fails?.(++calls)
      if (error) throw error
      if (!fails) calls++
    }
    return { ask, failed, delayMs: () => 1_000, count: () => calls }
  }

  test('asks after each answer, until it is stopped', async () => {
    const polling = counted()
    const stop = startPolling(polling)
    await vi.advanceTimersByTimeAsync(2_500)
    expect(polling.count()).toBe(3)

    stop()
    await vi.advanceTimersByTimeAsync(5_000)

    expect(polling.count()).toBe(3)
    expect(polling.failed).not.toHaveBeenCalled()
  })

  test('ends with the error that it meets', async () => {
    const error = new ApiError(401, { code: 'session.expired', message: '' })
    const polling = counted((call) => (call === 2 ? error : undefined))

    startPolling(polling)
    await vi.advanceTimersByTimeAsync(10_000)

    expect(polling.count()).toBe(2)
    expect(polling.failed).toHaveBeenCalledExactlyOnceWith(error)
  })

  test('waits as long as a throttled stage asks', async () => {
    const error = new ApiError(429, { code: 'x', message: '', retryAfterMs: 5_000 })
    const polling = counted((call) => (call === 1 ? error : undefined))

    startPolling(polling)
    await vi.advanceTimersByTimeAsync(4_900)
    expect(polling.count()).toBe(1)
    await vi.advanceTimersByTimeAsync(200)

    expect(polling.count()).toBe(2)
  })

  test('leaves the questions to the tab that holds the lock', async () => {
    const polling = counted()
    let grant: (() => unknown) | undefined
    const request = (_name: string, _options: unknown, act: () => Promise<void>) => {
      grant = act
      return Promise.resolve()
    }
    const locks = { request } as unknown as LockManager

    const stop = startPolling({ ...polling, lock: { name: 'n', locks } })
    await vi.advanceTimersByTimeAsync(3_000)
    expect(polling.count()).toBe(0)

    void grant?.()
    await vi.advanceTimersByTimeAsync(1_500)
    expect(polling.count()).toBe(2)
    stop()
  })
})

describe('a lost connection', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('attempts follow one another while none succeeds, one however many requests fail', async () => {
    let attempts = 0
    const connection = new Connection(() => {
      attempts++
      connection.lost()
      connection.lost()
    })
    connection.lost()
    connection.lost()

    // The first comes after half a second to one, the second one to two seconds after that.
    await vi.advanceTimersByTimeAsync(1_000)
    expect(attempts).toBe(1)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(attempts).toBe(2)
    connection.reached()
    await vi.advanceTimersByTimeAsync(60_000)

    expect(attempts).toBe(2)
    expect(connection.retryAt).toBeNull()
  })

  test('attempts go on when the clock of the computer is set back', async () => {
    let attempts = 0
    const connection = new Connection(() => {
      attempts++
      connection.lost()
    })
    connection.lost()
    vi.setSystemTime(Date.now() - 60_000)

    await vi.advanceTimersByTimeAsync(1_000)
    await vi.advanceTimersByTimeAsync(2_000)

    expect(attempts).toBe(2)
  })
})
