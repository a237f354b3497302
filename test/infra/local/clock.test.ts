import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { every } from '../../../infra/local/stage.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

test('an act runs at each interval until it is stopped', async () => {
  let runs = 0
  const stop = every(
    1_000,
    async () => runs++,
    (error) => expect.unreachable(String(error)),
  )

  await vi.advanceTimersByTimeAsync(3_500)
  stop()
  await vi.advanceTimersByTimeAsync(3_000)

  expect(runs).toBe(3)
})

test('an act that still runs is not begun again', async () => {
  let runs = 0
  let end = () => {}
  const act = () => {
    runs++
    return new Promise<void>((done) => {
      end = done
    })
  }
  const stop = every(1_000, act, (error) => expect.unreachable(String(error)))

  await vi.advanceTimersByTimeAsync(5_000)
  expect(runs).toBe(1)
  end()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(runs).toBe(2)
  stop()
})

test('a failure is reported, and the next run comes all the same', async () => {
  const reported: unknown[] = []
  const failure = new Error('no')
  const stop = every(
    1_000,
    () => Promise.reject(failure),
    (error) => reported.push(error),
  )

  await vi.advanceTimersByTimeAsync(2_000)
  stop()

  expect(reported).toEqual([failure, failure])
})
