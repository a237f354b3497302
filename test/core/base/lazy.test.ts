import { expect, test } from 'vitest'
import { lazy } from '../../../core/base/lazy.ts'

test('makes the value once, also for calls at the same time', async () => {
  let made = 0
  const value = lazy(async () => ++made)

  expect(await Promise.all([value(), value()])).toEqual([1, 1])
  expect(await value()).toBe(1)
})

test('makes nothing before the first call', () => {
  let made = 0
  lazy(async () => ++made)

  expect(made).toBe(0)
})

test('forgets a failure: the next call tries again, and its value is kept', async () => {
  let attempts = 0
  const value = lazy(async () => {
    if (++attempts === 1) throw new Error('not yet')
    return attempts
  })

  const [first, second] = await Promise.allSettled([value(), value()])

  expect([first.status, second.status]).toEqual(['rejected', 'rejected'])
  expect(await value()).toBe(2)
  expect(await value()).toBe(2)
})

test('an error that is thrown before anything is awaited rejects, and is forgotten too', async () => {
  let attempts = 0
  const value = lazy((): Promise<string> => {
    if (++attempts === 1) throw new Error('at once')
    return Promise.resolve('here')
  })

  await expect(value()).rejects.toThrow('at once')
  expect(await value()).toBe('here')
})
