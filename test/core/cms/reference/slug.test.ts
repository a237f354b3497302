import { expect, test } from 'vitest'
import type { Row } from '../../../../core/cms/reference/item.ts'
import { uniqueSlug } from '../../../../core/cms/reference/slug.ts'
import { row } from './row.ts'

const page = (uid: number, pid: number, slug: string): [number, Row] => [
  uid,
  row('pages', uid, pid, { slug }),
]
const pages = new Map([
  page(1, 0, '/'),
  page(2, 1, '/shop'),
  page(3, 2, '/shop/lamp'),
  page(4, 2, '/shop/lamp-1'),
  page(5, 0, `/${'a'.repeat(199)}`),
])

test.each<[string, { uid: number; pid: number; wanted: string }, string]>([
  ['a title goes below the page above', { uid: 0, pid: 2, wanted: 'Floor lamp' }, '/shop/floor-lamp'],
  ['below the home page', { uid: 0, pid: 1, wanted: 'Über uns & mehr' }, '/ueber-uns-mehr'],
  ['a slash in a title is no level', { uid: 0, pid: 2, wanted: 'On/off' }, '/shop/on-off'],
  ['accents go', { uid: 0, pid: 1, wanted: 'Café Señor Łódź' }, '/cafe-senor-lodz'],
  ['other scripts stay', { uid: 0, pid: 1, wanted: '照明' }, '/照明'],
  ['with the marks of their letters', { uid: 0, pid: 1, wanted: 'ガラス हिन्दी ёлка' }, '/ガラス-हिन्दी-ёлка'],
  ['in one form', { uid: 0, pid: 1, wanted: '한국'.normalize('NFD') }, '/한국'],
  ['an address is taken as it is', { uid: 0, pid: 2, wanted: '/sale//Winter 26/' }, '/sale/winter-26'],
  ['a taken one gets the next free number', { uid: 0, pid: 2, wanted: 'Lamp' }, '/shop/lamp-2'],
  ['a page does not collide with itself', { uid: 3, pid: 2, wanted: '/shop/lamp' }, '/shop/lamp'],
  ['200 characters remain', { uid: 0, pid: 1, wanted: 'b'.repeat(300) }, `/${'b'.repeat(199)}`],
  ['the number has room', { uid: 0, pid: 1, wanted: 'a'.repeat(300) }, `/${'a'.repeat(197)}-1`],
  ['no letter is cut in half', { uid: 0, pid: 1, wanted: '𠮷'.repeat(300) }, `/${'𠮷'.repeat(199)}`],
  ['no dash remains at the end', { uid: 0, pid: 1, wanted: `${'b'.repeat(198)} b` }, `/${'b'.repeat(198)}`],
  ['the home page keeps its slash', { uid: 1, pid: 0, wanted: '/' }, '/'],
])('%s', (_, wanted, slug) => {
  expect(uniqueSlug(pages, wanted)).toBe(slug)
})
