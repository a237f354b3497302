import { expect, test } from 'vitest'
import type { TreePage } from '../../../core/cms/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { above, branches, filtered, type Move, move, visible } from '../../../web/backend/branch.ts'

const page = (uid: number, title: string, parent: number, depth: number): TreePage => ({
  uid,
  title,
  parent,
  depth,
  hidden: false,
  hasChildren: false,
  mayEdit: true,
})

const pages = [
  page(1, 'Home', 0, 1),
  page(2, 'Products', 1, 2),
  page(3, 'Aurora lamp', 2, 3),
  page(4, 'Borealis desk', 2, 3),
  page(5, 'About us', 1, 2),
]
const all = branches(pages)
const open =
  (...uids: RecordId[]) =>
  (uid: RecordId) =>
    uids.includes(uid)
const titles = (isOpen: (uid: RecordId) => boolean) =>
  visible(all, isOpen).map(({ page, level }) => `${level} ${page.title}`)

test('shows what is open, with its level', () => {
  expect(titles(open())).toEqual(['1 Home'])
  expect(titles(open(1))).toEqual(['1 Home', '2 Products', '2 About us'])
  expect(titles(open(1, 2))).toEqual([
    '1 Home',
    '2 Products',
    '3 Aurora lamp',
    '3 Borealis desk',
    '2 About us',
  ])
})

test('tells of each row its place among its siblings', () => {
  expect(visible(all, open(1)).map(({ position, siblings }) => [position, siblings])).toEqual([
    [1, 1],
    [1, 2],
    [2, 2],
  ])
})

test('a page whose parent is not to be seen stands at the top', () => {
  expect(branches([page(3, 'Aurora lamp', 2, 3)]).map((branch) => branch.page.uid)).toEqual([3])
})

test.each([
  ['lamp', ['Home', 'Products', 'Aurora lamp']],
  ['LAMP', ['Home', 'Products', 'Aurora lamp']],
  ['5', ['Home', 'About us']],
  ['  ', ['Home', 'Products', 'Aurora lamp', 'Borealis desk', 'About us']],
  ['nothing', []],
])('the filter "%s" leaves matches and what is above them', (text, expected) => {
  const found = visible(filtered(all, text), () => true)

  expect(found.map(({ page }) => page.title)).toEqual(expected)
})

test('knows what is above a page, the nearest first', () => {
  expect(above(pages, 3)).toEqual([2, 1])
  expect(above(pages, 99)).toEqual([])
})

test.each<[string, number, string, Move]>([
  ['down goes to the next row', 2, 'ArrowDown', { focus: 5 }],
  ['down stays at the end', 5, 'ArrowDown', undefined],
  ['up goes to the row before', 2, 'ArrowUp', { focus: 1 }],
  ['up stays at the start', 1, 'ArrowUp', undefined],
  ['Home goes to the first row', 5, 'Home', { focus: 1 }],
  ['End goes to the last row', 1, 'End', { focus: 5 }],
  ['forward opens what is closed', 2, 'forward', { open: 2 }],
  ['forward enters what is open', 1, 'forward', { focus: 2 }],
  ['forward does nothing on a leaf', 5, 'forward', undefined],
  ['backward closes what is open', 1, 'backward', { close: 1 }],
  ['backward goes to the parent', 2, 'backward', { focus: 1 }],
  ['a letter goes to the next title that starts with it', 1, 'a', { focus: 5 }],
  ['a letter finds the row itself last', 5, 'A', { focus: 5 }],
  ['other keys are left alone', 1, 'Escape', undefined],
  ['space is no letter', 1, ' ', undefined],
])('%s', (_, focused, key, expected) => {
  expect(move(visible(all, open(1)), focused, key)).toEqual(expected)
})
