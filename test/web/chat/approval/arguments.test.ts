import { expect, test } from 'vitest'
import { leaves } from '../../../../web/chat/approval/arguments.ts'

test('every value that would be sent is a line of its own, under a name that no other has', () => {
  const sent = {
    item: 'lamp',
    count: 2,
    lines: [
      { sku: 'a', tags: [] },
      { sku: 'b', note: null },
    ],
    'item.price': true,
    item2: { price: false, 'a]': {} },
  }

  expect(leaves(sent)).toEqual([
    { path: 'item', value: 'lamp' },
    { path: 'count', value: 2 },
    { path: 'lines[0].sku', value: 'a' },
    { path: 'lines[0].tags', value: [] },
    { path: 'lines[1].sku', value: 'b' },
    { path: 'lines[1].note', value: null },
    { path: '["item.price"]', value: true },
    { path: 'item2.price', value: false },
    { path: 'item2["a]"]', value: {} },
  ])
})

test('a call without arguments has no line', () => {
  expect(leaves({})).toEqual([])
})
