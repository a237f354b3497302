import { describe, expect, test } from 'vitest'
import { digest, fits, type Shown, writeKey } from '../../../core/agent/approval.ts'
import { hash } from '../../../core/base/hash.ts'

const change = { field: 'title', label: 'Title', before: 'Lamp', after: 'Aurora lamp' }
const version = { table: 'pages', uid: 3, version: 'v1' }
const call = {
  id: 'c1',
  tool: 'update_record',
  arguments: { table: 'pages', uid: 3, fields: { title: 'Aurora lamp', nav: 'Aurora' } },
  title: 'Change 1 field',
  preview: { table: 'pages', uid: 3, label: 'Lamp', changes: [change] },
}
const proposal: Shown = {
  runId: 'r1',
  owner: 2,
  calls: [call],
  versions: { c1: [version] },
  definitions: {},
}
const withCall = (changes: Partial<Shown['calls'][number]>): Shown => ({
  ...proposal,
  calls: [{ ...call, ...changes }],
})

describe('the digest', () => {
  test('is the same for the same proposal, whatever the order of the arguments', () => {
    const other = { uid: 3, fields: { nav: 'Aurora', title: 'Aurora lamp' }, table: 'pages' }

    expect(digest(withCall({ arguments: other }))).toBe(digest(proposal))
    expect(digest(proposal)).toMatch(/^[0-9a-f]{64}$/)
  })

  test.each<[string, Shown]>([
    ['the run', { ...proposal, runId: 'r2' }],
    ['the owner', { ...proposal, owner: 1 }],
    ['the call', withCall({ id: 'c2' })],
    ['the tool', withCall({ tool: 'create_page_draft' })],
    ['an argument', withCall({ arguments: { ...call.arguments, uid: 4 } })],
    ['an argument that no preview shows', withCall({ arguments: { ...call.arguments, note: '' } })],
    ['the version of a record', { ...proposal, versions: { c1: [{ ...version, version: 'v2' }] } }],
    ['the tool of another server', { ...proposal, definitions: { c1: 'd1' } }],
    ['what is shown', withCall({ preview: { table: 'pages', uid: 3, label: 'Lamp', changes: [] } })],
    ['the words of the user', withCall({ wording: { title: 'Lamp Aurora' } })],
    ['the effect for visitors', withCall({ effect: 'hidden' })],
    ['a value that the settings add', withCall({ added: { hidden: 'true' } })],
    ['the call that it needs', withCall({ needs: 'c0' })],
    ['the preview of another server', withCall({ word: 'Costs 9 EUR' })],
    ['the missing of a preview', withCall({ preview: null })],
    ['the number of calls', { ...proposal, calls: [call, { ...call, id: 'c2' }] }],
  ])('differs with %s', (_, other) => {
    expect(digest(other)).not.toBe(digest(proposal))
  })

  test('differs with the order of the calls', () => {
    const second = { ...call, id: 'c2' }

    expect(digest({ ...proposal, calls: [second, call] })).not.toBe(
      digest({ ...proposal, calls: [call, second] }),
    )
  })
})

describe('a preview', () => {
  const changes = (before: string | null, after: string | null) => ({
    changes: [{ ...change, before, after }],
  })

  test.each([
    ['nothing', { changes: [] }, true],
    ['20,000 characters', changes('a'.repeat(10_000), 'b'.repeat(10_000)), true],
    ['one more', changes('a'.repeat(10_000), 'b'.repeat(10_001)), false],
    ['20,000 characters of two units each', changes(null, '🪔'.repeat(20_000)), true],
    [
      'too much over several fields',
      { changes: Array(3).fill({ ...change, after: 'x'.repeat(7_000) }) },
      false,
    ],
    ['an original of 20,000 characters', { changes: [{ ...change, original: 'o'.repeat(20_000) }] }, true],
    ['an original of one more', { changes: [{ ...change, original: 'o'.repeat(20_001) }] }, false],
  ])('of %s fits: %#', (_, preview, expected) => {
    expect(fits(preview)).toBe(expected)
  })
})

test('the key of a write names run, call, arguments and the words of the user', () => {
  const key = writeKey('r1', call)

  expect(key).toBe(`r1/c1/${hash(call.arguments)}`)
  expect(writeKey('r1', { ...call, arguments: { ...call.arguments, uid: 4 } })).not.toBe(key)
  expect(writeKey('r1', call, { title: 'Lamp' })).not.toBe(key)
  expect(writeKey('r1', call, { title: 'Lamp' })).not.toBe(writeKey('r1', call, { title: 'Lantern' }))
})
