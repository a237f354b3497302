import { expect, test } from 'vitest'
import type { Comparison } from '../../../../web/chat/approval/diff.ts'
import { Comparisons } from '../../../../web/chat/approval/reading-progress.ts'

const comparison = (before: string, after: string): Comparison => ({
  was: [{ text: before, changed: true, short: null }],
  will: [{ text: after, changed: true, short: null }],
})

test('each comparison is made once, outside of the drawing that asks for it, also for equal texts of another poll', async () => {
  const made: string[] = []
  const drawings = Promise.withResolvers<void>()
  const comparisons = new Comparisons((before, after) => {
    made.push(`${before} ${after}`)
    return comparison(before, after)
  }, drawings.resolve)
  const draw = () => ['a', 'b', 'c'].map((word) => comparisons.of({ before: word, after: 'x' }))

  expect([draw(), draw()]).toEqual([
    [null, null, null],
    [null, null, null],
  ])
  expect(made).toEqual([])
  await drawings.promise

  expect(draw()).toEqual(['a', 'b', 'c'].map((word) => comparison(word, 'x')))
  expect(made).toEqual(['a x', 'b x', 'c x'])
})

test('a value that is missing is compared as an empty text', async () => {
  const drawings = Promise.withResolvers<void>()
  const comparisons = new Comparisons(comparison, drawings.resolve)
  comparisons.of({ before: null, after: 'New' })
  await drawings.promise

  expect(comparisons.of({ before: null, after: 'New' })).toEqual(comparison('', 'New'))
})

test('long work is done in slices, with a drawing after each', async () => {
  let drawings = 0
  const done = Promise.withResolvers<void>()
  const made: string[] = []
  const comparisons = new Comparisons(
    (before, after) => {
      const end = performance.now() + 10
      while (performance.now() < end);
      made.push(before)
      return comparison(before, after)
    },
    () => {
      drawings++
      if (made.length === 3) done.resolve()
    },
  )
  for (const word of ['a', 'b', 'c']) comparisons.of({ before: word, after: 'x' })
  await done.promise

  expect(drawings).toBe(3)
})
