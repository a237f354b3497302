import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Connection } from '../../../../web/chat/store/connection.ts'

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
