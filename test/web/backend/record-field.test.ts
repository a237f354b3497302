import { beforeEach, expect, test } from 'vitest'
import type { CmsRecord, Field, FieldKind } from '../../../core/cms/schema.ts'
import {
  changeValue,
  drafts,
  type FieldValue,
  formatForControl,
  keepDraft,
  readControl,
  validateDraft,
} from '../../../web/backend/record-field.ts'

const field = (kind: FieldKind, over: Partial<Field> = {}): Field => ({
  name: 'title',
  label: 'Title',
  kind,
  required: false,
  max: null,
  readOnly: false,
  ...over,
})

const record = (fields: CmsRecord['fields']): CmsRecord => ({
  table: 'pages',
  uid: 3,
  pid: 2,
  title: 'Aurora lamp',
  hidden: false,
  language: 0,
  fields,
  addresses: [],
  changedAt: '2026-01-15T12:00:00.000Z',
  version: '1',
  mayEdit: true,
})

beforeEach(() => drafts.clear())

test('what was typed is kept, until nothing of it is left', () => {
  keepDraft('/records/pages/3', { version: '1', values: { title: 'Lamp' } })
  expect(drafts.get('/records/pages/3')).toEqual({ version: '1', values: { title: 'Lamp' } })

  keepDraft('/records/pages/3', { version: '1', values: {} })
  expect(drafts.get('/records/pages/3')).toBeUndefined()
  expect(drafts.size).toBe(0)
})

test('a value that is the record’s own again is no change', () => {
  const aurora = record({ title: 'Aurora lamp', starttime: null })
  const typed = changeValue(aurora, {}, 'title', 'Lamp')

  expect(typed).toEqual({ title: 'Lamp' })
  expect(changeValue(aurora, typed, 'title', 'Aurora lamp')).toEqual({})
  expect(changeValue(aurora, typed, 'starttime', null)).toEqual({ title: 'Lamp' })
})

test.each<[string, Field, FieldValue, string | undefined]>([
  ['an empty value of a required field', field('text', { required: true }), ' ', 'Required'],
  ['an empty value of another', field('text'), '', undefined],
  ['a text that is too long', field('text', { max: 2 }), 'abc', 'At most 2 characters are possible.'],
  ['signs by what a reader counts', field('text', { max: 2 }), '🌌🌌', undefined],
  ['what is no number', field('number'), Number.NaN, 'A number is needed.'],
  ['a number', field('number'), 0, undefined],
])('%s', (_, of, value, expected) => {
  expect(validateDraft([of], { title: value })).toEqual(expected ? { title: expected } : {})
})

test('a field that was not changed is not looked at', () => {
  expect(validateDraft([field('text', { required: true })], {})).toEqual({})
})

test.each<[FieldKind, string, boolean, FieldValue]>([
  ['text', ' as typed ', false, ' as typed '],
  ['number', '12', false, 12],
  ['number', '', false, Number.NaN],
  ['boolean', 'on', true, true],
  ['relation', '', false, null],
  ['relation', '7', false, 7],
  ['date', '', false, null],
])('reads %s from "%s"', (kind, text, isChecked, value) => {
  expect(readControl(field(kind), text, isChecked)).toEqual(value)
})

test('a moment is shown in the time of the browser and stored in UTC', () => {
  const moment = '2026-01-15T12:30:00.000Z'

  expect(readControl(field('date'), formatForControl(field('date'), moment), false)).toBe(moment)
})

test.each<[FieldKind, FieldValue, string]>([
  ['text', null, ''],
  ['number', Number.NaN, ''],
  ['number', 0, '0'],
  ['select', 'text', 'text'],
])('shows %s %s as "%s"', (kind, value, text) => {
  expect(formatForControl(field(kind), value)).toBe(text)
})
