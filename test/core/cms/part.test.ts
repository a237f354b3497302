import { describe, expect, test } from 'vitest'
import { type PartEdit, withPart } from '../../../core/cms/change.ts'

const list = () => [
  { id: 'a', blockType: 'quote', text: 'One', by: 'Ada' },
  { id: 'b', blockType: 'rows', rows: [{ id: 'c', line: 'Two' }] },
]
const edit = (act: PartEdit['act'], at: string, value?: Record<string, unknown>) =>
  withPart(list(), { field: 'layout', act, at, ...(value && { value }) })
const [a, b] = list()
const added = { blockType: 'quote', text: 'New' }

describe('one part of a list, by its id', () => {
  test.each([
    [
      'is changed in the fields that are named',
      edit('change', 'a', { text: 'Uno', id: 'x' }),
      [{ ...a, text: 'Uno' }, b],
    ],
    ['is removed', edit('remove', 'b'), [a]],
    ['has a new one behind it', edit('insert', 'a', added), [a, added, b]],
    ['is the first where no place is named', edit('insert', '', added), [added, a, b]],
    [
      'is changed inside of another',
      edit('change', 'c', { line: 'Due' }),
      [a, { ...b, rows: [{ id: 'c', line: 'Due' }] }],
    ],
  ])('%s', (_, result, value) => {
    expect(result).toEqual({ times: 1, value })
  })

  test.each([
    ['that is not there', edit('remove', 'z').times, 0],
    ['without an id', edit('remove', '').times, 0],
    ['that is there twice', withPart([a, a], { field: 'f', act: 'remove', at: 'a' }).times, 2],
    ['in a text', withPart('a', { field: 'f', act: 'remove', at: 'a' }).times, 0],
  ])('%s is counted', (_, times, expected) => {
    expect(times).toBe(expected)
  })

  test('begins an empty list', () => {
    expect(withPart(null, { field: 'f', act: 'insert', at: '', value: added })).toEqual({
      times: 1,
      value: [added],
    })
  })
})
