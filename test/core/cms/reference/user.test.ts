import { describe, expect, test } from 'vitest'
import { actorOf, encode, type Row } from '../../../../core/cms/reference/item.ts'
import { effectiveGroups } from '../../../../core/cms/reference/permission.ts'
import { row } from './row.ts'

const now = Date.parse('2026-05-01T12:00:00Z')

const user = (fields: Row['fields'] = {}, more: Partial<Row> = {}) =>
  encode(
    { ...row('be_users', 2, 0, { username: 'editor', name: 'Edgar', lang: 'de', ...fields }), ...more },
    { password: 'scrypt$…', effective_groups: [1, 9] },
  )

describe('the actor of a row', () => {
  test('is the user with the effective groups of the row, and nothing of the credentials', () => {
    expect(actorOf(user(), now)).toEqual({
      uid: 2,
      username: 'editor',
      name: 'Edgar',
      isAdmin: false,
      groups: [1, 9],
      lang: 'de',
    })
  })

  test.each<[string, Record<string, unknown> | undefined]>([
    ['no row', undefined],
    ['deleted', user({}, { deleted: true })],
    ['disabled', user({ disable: true })],
    ['before their time', user({ starttime: '2026-05-01T12:00:00.001Z' })],
    ['at the end of their time', user({ endtime: '2026-05-01T12:00:00.000Z' })],
  ])('is no user: %s', (_, item) => {
    expect(actorOf(item, now)).toBeUndefined()
  })

  test('is there from the first to the last moment of their time', () => {
    const timed = { starttime: '2026-05-01T12:00:00.000Z', endtime: '2026-05-01T12:00:00.001Z' }

    expect(actorOf(user(timed), now)?.uid).toBe(2)
  })
})

describe('effective groups', () => {
  const groups = (of: Record<number, Row['fields']>) =>
    new Map(
      Object.entries(of).map(([uid, fields]) => [Number(uid), row('be_groups', Number(uid), 0, fields)]),
    )

  test.each<[string, number[], Record<number, Row['fields']>, number[]]>([
    ['own ones in their order', [2, 1], { 1: {}, 2: {} }, [2, 1]],
    [
      'inherited ones behind their group',
      [1, 4],
      { 1: { subgroup: '2' }, 2: { subgroup: '3' }, 3: {}, 4: {} },
      [1, 2, 3, 4],
    ],
    ['each once', [1, 2], { 1: { subgroup: '2,3' }, 2: { subgroup: '3' }, 3: {} }, [1, 2, 3]],
    ['a circle ends', [1], { 1: { subgroup: '2' }, 2: { subgroup: '1' } }, [1, 2]],
    ['a missing group is none', [1, 9], { 1: { subgroup: '8' } }, [1]],
    [
      'a disabled group passes nothing on',
      [1],
      { 1: { subgroup: '2' }, 2: { subgroup: '3', hidden: true }, 3: {} },
      [1],
    ],
  ])('%s', (_, own, all, effective) => {
    expect(effectiveGroups(own, groups(all))).toEqual(effective)
  })
})
