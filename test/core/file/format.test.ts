import { expect, test } from 'vitest'
import { acceptAttribute, declares, formatOf, supportedFormats } from '../../../core/file/format.ts'

test.each([
  [[], ['pdf', 'docx', 'xlsx', 'txt']],
  [['vision'], ['png', 'jpg', 'jpeg', 'gif', 'webp', 'pdf', 'docx', 'xlsx', 'txt']],
  [
    ['pdf', 'tools'],
    ['pdf', 'docx', 'xlsx', 'txt'],
  ],
  [
    ['tools', 'pdf', 'vision'],
    ['png', 'jpg', 'jpeg', 'gif', 'webp', 'pdf', 'docx', 'xlsx', 'txt'],
  ],
] as const)('a model with %j takes %j', (capabilities, formats) => {
  expect(supportedFormats(capabilities)).toEqual(formats)
})

test('the file picker gets extensions and types', () => {
  expect(acceptAttribute(['jpg', 'jpeg', 'pdf'])).toBe('.jpg,.jpeg,.pdf,image/jpeg,application/pdf')
})

test.each([
  ['a.pdf', 'pdf'],
  ['A.JPEG', 'jpeg'],
  ['a.tar.txt', 'txt'],
  ['a.docm', undefined],
  ['pdf', undefined],
  ['a.', undefined],
])('%s claims the format %s', (name, format) => {
  expect(formatOf(name)).toBe(format)
})

test.each([
  ['image/jpeg', 'jpg', true],
  ['IMAGE/JPEG', 'jpeg', true],
  ['text/plain; charset=utf-8', 'txt', true],
  ['', 'docx', true],
  ['application/octet-stream', 'xlsx', true],
  ['image/png', 'jpg', false],
  ['text/html', 'txt', false],
] as const)('type %j agrees with %s: %s', (type, format, agrees) => {
  expect(declares(type, format)).toBe(agrees)
})
