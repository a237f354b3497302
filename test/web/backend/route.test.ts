import { expect, test } from 'vitest'
import { addressOf, type BackendPlace, moduleOf, parseAddress } from '../../../web/backend/route.ts'

const at = (address: string) => parseAddress(new URL(address, 'http://stage'))

test.each<[string, BackendPlace]>([
  ['/backend/page', { module: 'page', page: null, isEditing: false }],
  ['/backend/page/3', { module: 'page', page: 3, isEditing: false }],
  ['/backend/page/3/edit', { module: 'page', page: 3, isEditing: true }],
  ['/backend/list', { module: 'list', table: null, page: null, offset: 0 }],
  ['/backend/list?page=3', { module: 'list', table: null, page: 3, offset: 0 }],
  ['/backend/list/content?page=3&from=50', { module: 'list', table: 'content', page: 3, offset: 50 }],
  ['/backend/list/content/12', { module: 'record', table: 'content', uid: 12 }],
  ['/backend/log', { module: 'log' }],
  ['/backend/usage', { module: 'usage' }],
  ['/backend/chat', { module: 'chat', conversationId: null }],
  ['/backend/chat/2-01jv', { module: 'chat', conversationId: '2-01jv' }],
])('%s is an address and the place has it', (address, place) => {
  expect(at(address)).toEqual(place)
  expect(addressOf(place)).toBe(address)
})

test.each([
  '/backend',
  '/backend/',
  '/backend/elsewhere',
  '/backend/page/0',
  '/backend/page/three',
  '/backend/%',
])('%s is the start', (address) => {
  expect(at(address)).toEqual({ module: 'page', page: null, isEditing: false })
})

test('an edit needs a page', () => {
  expect(at('/backend/page/x/edit')).toEqual({ module: 'page', page: null, isEditing: false })
})

test('a record belongs to the List module', () => {
  expect(moduleOf({ module: 'record', table: 'content', uid: 12 })).toBe('list')
})
