import { expect, test } from 'vitest'
import { recordAt } from '../../../web/chat/follow.ts'

const pattern = '/admin/collections/{table}/{uid}'

test.each([
  ['a record', pattern, '/admin/collections/posts/12', { table: 'posts', uid: 12 }],
  [
    'a record whose id is a text',
    pattern,
    '/admin/collections/posts/a-b.c',
    { table: 'posts', uid: 'a-b.c' },
  ],
  ['a new record', pattern, '/admin/collections/posts/create', undefined],
  ['a list', pattern, '/admin/collections/posts', undefined],
  ['a page below a record', pattern, '/admin/collections/posts/12/versions', undefined],
  ['another address with the same end', pattern, '/other/admin/collections/posts/12', undefined],
  ['a query of another page', pattern, '/admin/collections/posts/12?tab=2', { table: 'posts', uid: 12 }],
  [
    'a query that names it',
    '/edit?table={table}&uid={uid}',
    '/edit?table=news&uid=4',
    { table: 'news', uid: 4 },
  ],
  [
    'a type of one record',
    `${pattern} /admin/globals/{global.table}`,
    '/admin/globals/header',
    { table: 'global.header', uid: 1 },
  ],
  [
    'a page below a type of one record',
    `${pattern} /admin/globals/{global.table}`,
    '/admin/globals/header/versions',
    undefined,
  ],
  ['signs of a pattern', '/a.b+(c)/{table}/{uid}', '/axbb(c)/news/4', undefined],
])('the address of %s', (_, recordHref, address, record) => {
  expect(recordAt(recordHref, new URL(address, 'https://cms.example.com'))).toEqual(record)
})
