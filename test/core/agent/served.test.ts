import { expect, test } from 'vitest'
import { advance, begin, isHeld } from '../../../core/agent/served.ts'

const refused = { state: 'refused' as const, reason: 'It was changed meanwhile.' }

test('after a write that was refused the other singles of its batch run, and no other write', () => {
  const served = begin(undefined)
  advance(served, 'c1#0', refused)

  expect(['c1#1', 'c2'].map((id) => isHeld(served, id))).toEqual([false, true])
})

test('after a write whose end is unknown no write runs, of its own batch neither', () => {
  const served = begin(undefined)
  advance(served, 'c1#0', undefined)

  expect(['c1#1', 'c2'].map((id) => isHeld(served, id))).toEqual([true, true])
})

test('after a write that was made, later ones expect the record as it left it', () => {
  const version = (version: string) => ({ table: 'pages', uid: 3, version })
  const served = begin(undefined)
  served.versions = { c2: [version('1'), { ...version('1'), uid: 4 }] }
  advance(served, 'c1', { state: 'done', ...version('2'), before: {}, after: {} })

  expect(served.versions).toEqual({ c2: [version('2'), { ...version('1'), uid: 4 }] })
  expect(isHeld(served, 'c2')).toBe(false)
})
