import { expect, test } from 'vitest'
import { recordHref } from '../../../../web/chat/view/record-link.ts'

const view = { recordHref: '/admin/collections/{table}/{uid} /admin/globals/{global.table}' }

test.each([
  ['a record', 'posts', 3, '/admin/collections/posts/3'],
  ['a type of one record, without its prefix', 'global.site header', 1, '/admin/globals/site%20header'],
  ['a type that begins alike', 'globals', 2, '/admin/collections/globals/2'],
])('the template gives the address of %s', (_, table, uid, address) => {
  expect(recordHref(view, table, uid)).toBe(address)
})
