import { expect, test } from 'vitest'
import { acceptAttribute, declares, formatOf, supportedFormats } from '../../../core/file/format.ts'

const pictures = ['png', 'jpg', 'jpeg', 'gif', 'webp']
const documents = ['pdf', 'docx', 'xlsx', 'pptx', 'odt', 'ods', 'rtf', 'eml']
const texts = ['txt', 'md', 'markdown', 'csv', 'tsv', 'html', 'htm', 'json', 'xml']

test.each([
  [[], [...documents, ...texts]],
  [['vision'], [...pictures, ...documents, ...texts]],
  [
    ['pdf', 'tools'],
    [...documents, ...texts],
  ],
])('a model with %j takes %j', (capabilities, formats) => {
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
  ['application/vnd.ms-excel', 'csv', true],
  ['text/plain', 'md', true],
] as const)('type %j agrees with %s: %s', (type, format, agrees) => {
  expect(declares(type, format)).toBe(agrees)
})
