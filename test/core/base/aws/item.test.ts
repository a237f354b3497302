import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  choice,
  flag,
  item,
  json,
  list,
  number,
  omitted,
  optional,
  text,
  time,
} from '../../../../core/base/aws/item.ts'

const lamp = item('lamp', 3, {
  title: text('title'),
  titleFixed: flag('title_fixed', false),
  colour: choice('colour', z.enum(['red', 'green']), 'green'),
  watts: number('watts', 0),
  soldAt: optional(time('sold_at')),
  note: omitted(text('note')),
  parts: list('parts', z.number()),
  detail: json('detail', z.record(z.string(), z.number()), {}),
})

const value = {
  title: 'Aurora',
  titleFixed: true,
  colour: 'red' as const,
  watts: 7,
  soldAt: '2026-11-20T12:00:00.000Z',
  note: 'New',
  parts: [1, 2],
  detail: { a: 1 },
}
const row = {
  schema: 3,
  title: 'Aurora',
  title_fixed: true,
  colour: 'red',
  watts: 7,
  sold_at: '2026-11-20T12:00:00.000Z',
  note: 'New',
  parts: [1, 2],
  detail: '{"a":1}',
}

describe('one declaration', () => {
  test('gives the row of a value and the value of a row', () => {
    expect(lamp.encode(value)).toEqual(row)
    expect(lamp.read(row)).toEqual({ value, unread: {} })
  })

  test('gives the attributes, the empty value and the attributes of a change', () => {
    expect(lamp.attributes).toEqual({
      title: 'title',
      titleFixed: 'title_fixed',
      colour: 'colour',
      watts: 'watts',
      soldAt: 'sold_at',
      note: 'note',
      parts: 'parts',
      detail: 'detail',
    })
    const empty = { title: '', titleFixed: false, colour: 'green', watts: 0, parts: [], detail: {} }
    expect(lamp.empty).toStrictEqual({ ...empty, soldAt: undefined })
    expect(lamp.changed({ titleFixed: false, detail: { b: 2 }, soldAt: undefined })).toStrictEqual({
      title_fixed: false,
      detail: '{"b":2}',
      sold_at: undefined,
    })
  })
})

describe('reading', () => {
  test('takes attributes that may be missing as empty, without damage', () => {
    const { title_fixed: _, watts: __, sold_at: ___, note: ____, parts: _____, ...rest } = row
    const { note: ______, ...known } = value
    const expected = { ...known, titleFixed: false, watts: 0, soldAt: undefined, parts: [] }
    expect(lamp.read(rest)).toStrictEqual({ value: expected, unread: {} })
  })

  test('leaves out what a later release added, under a later schema number', () => {
    expect(lamp.read({ ...row, schema: 4, later: { a: 1 } })).toEqual({ value, unread: {} })
  })

  test.each([
    ['title', undefined, { title: '' }],
    ['title', null, { title: '' }],
    ['title_fixed', 'yes', { titleFixed: false }],
    ['colour', 'blue', { colour: 'green' }],
    ['watts', '7', { watts: 0 }],
    ['sold_at', 'yesterday', { soldAt: undefined }],
    ['note', 7, { note: undefined }],
    ['parts', [1, 'x', 2], {}],
    ['parts', 'x', { parts: [] }],
    ['detail', '{', { detail: {} }],
    ['detail', '{"a":"x"}', { detail: {} }],
    ['detail', { a: 1 }, { detail: {} }],
  ])('%s as %j is empty and handed over as it is, and the rest is read', (attribute, stored, over) => {
    expect(lamp.read({ ...row, [attribute]: stored })).toEqual({
      value: { ...value, ...over },
      unread: { [attribute]: stored },
    })
  })
})
