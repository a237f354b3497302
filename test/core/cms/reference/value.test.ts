import { describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { loadLanguage } from '../../../../core/base/language.ts'
import { FieldSpec } from '../../../../core/cms/reference/registry.ts'
import { type Checked, check, explain, relationsOf, show } from '../../../../core/cms/reference/value.ts'

await loadLanguage('de')

const field = (kind: FieldSpec['kind'], more: Partial<z.input<typeof FieldSpec>> = {}) =>
  FieldSpec.parse({ name: kind, label: 'Label', kind, ...more })

const text = field('text', { max: 5 })
const needed = field('text', { required: true })
const long = field('longtext')
const html = field('html')
const number = field('number', { range: [0, 9] })
const flag = field('boolean')
const moment = field('date')
const select = field('select', { options: ['text', 'list'] })
const relation = field('relation', { relation: 'be_users' })
const uids = field('text', { list: true, relation: 'be_groups' })
const names = field('text', { list: true, options: ['pages', 'news'] })

describe('a value', () => {
  test.each<[string, FieldSpec, unknown, Checked]>([
    ['text is trimmed', text, ' ab ', { value: 'ab' }],
    ['text may be empty', text, '', { value: '' }],
    ['null empties a text', text, null, { value: '' }],
    ['a needed text may not be empty', needed, '  ', { problem: 'required' }],
    ['characters are code points', text, '😀😀😀😀😀', { value: '😀😀😀😀😀' }],
    ['too long', text, '123456', { problem: 'tooLong', max: 5 }],
    ['two lines in one', text, 'a\nb', { problem: 'oneLine' }],
    ['two lines where they may be', long, 'a\nb', { value: 'a\nb' }],
    ['markup as it is', html, ' <p>a</p> ', { value: ' <p>a</p> ' }],
    ['a number is no text', text, 5, { problem: 'text' }],
    ['an object is no text', text, { a: 1 }, { problem: 'text' }],
    ['a number', number, 3, { value: 3 }],
    ['a number in a text', number, '3', { value: 3 }],
    ['a fraction', number, 1.5, { problem: 'whole' }],
    ['no number', number, 'three', { problem: 'whole' }],
    ['nothing for a number', number, '', { problem: 'whole' }],
    ['not a number at all', number, Number.NaN, { problem: 'whole' }],
    ['out of range', number, 10, { problem: 'range', min: 0, max: 9 }],
    ['true', flag, true, { value: true }],
    ['false in a text', flag, 'false', { value: false }],
    ['1', flag, 1, { value: true }],
    ['maybe', flag, 'maybe', { problem: 'boolean' }],
    ['nothing for a switch', flag, null, { problem: 'boolean' }],
    ['a moment', moment, '2026-05-31T09:00:00+02:00', { value: '2026-05-31T07:00:00.000Z' }],
    ['a moment without offset is UTC', moment, '2026-05-31T09:00', { value: '2026-05-31T09:00:00.000Z' }],
    ['a day', moment, '2026-05-31', { value: '2026-05-31T00:00:00.000Z' }],
    ['no moment', moment, null, { value: null }],
    ['a day that does not exist', moment, '2026-02-30', { problem: 'date' }],
    ['tomorrow', moment, 'tomorrow', { problem: 'date' }],
    ['one of the options', select, 'list', { value: 'list' }],
    ['none of the options', select, 'video', { problem: 'option', options: ['text', 'list'] }],
    ['nothing for an option', select, '', { problem: 'required' }],
    ['a relation', relation, 4, { value: 4 }],
    ['no relation', relation, null, { value: null }],
    ['0 is no relation', relation, '0', { value: null }],
    ['a relation below 0', relation, -1, { problem: 'range', min: 0, max: Number.MAX_SAFE_INTEGER }],
    ['a list of uids, each once', uids, '1, 2,1', { value: '1,2' }],
    ['one uid as a number', uids, 2, { value: '2' }],
    ['a list of no uids', uids, '1,editors', { problem: 'uids' }],
    ['a list of options', names, 'news,pages', { value: 'news,pages' }],
    ['a list with something else', names, 'news,be_users', { problem: 'option', options: ['pages', 'news'] }],
  ])('%s', (_, field, given, checked) => {
    expect(check(field, given)).toEqual(checked)
  })

  test.each<[string, FieldSpec, Parameters<typeof show>[1], string, string | null]>([
    ['text', text, 'a', 'en', 'a'],
    ['a number', number, 0, 'en', '0'],
    ['a switch in English', flag, true, 'en', 'yes'],
    ['a switch in German', flag, false, 'de', 'nein'],
    ['nothing', moment, null, 'en', null],
  ])('is shown: %s', (_, field, value, lang, shown) => {
    expect(show(field, value, lang)).toBe(shown)
  })

  test('of a list names every record that it points at', () => {
    expect(relationsOf(uids, '1,2')).toEqual([
      { table: 'be_groups', uid: 1 },
      { table: 'be_groups', uid: 2 },
    ])
    expect(relationsOf(relation, null)).toEqual([])
    expect(relationsOf(names, 'news')).toEqual([])
  })
})

test('a problem is explained with its numbers in the language of the reader', () => {
  expect(explain({ problem: 'range', min: 0, max: 9 }, 'de')).toBe('Eine Zahl von 0 bis 9 ist nötig.')
  expect(explain({ problem: 'option', options: ['a', 'b'] }, 'eo')).toBe('Possible values: a, b.')
})
