import { expect, test } from 'vitest'
import { draftsMode } from '../../../core/agent/gate.ts'
import type { DraftsMode } from '../../../core/stage/settings/schema.ts'

type Groups = Record<string, DraftsMode>

test.each<[rule: string, mode: DraftsMode, groups: Groups, actor: (string | number)[], is: DraftsMode]>([
  ['the mode of the stage where no group has one', 'first', {}, [1], 'first'],
  ['the mode of a group of the actor', 'off', { 2: 'first' }, [1, 2], 'first'],
  ['no mode of another group', 'off', { 3: 'only' }, [1, 2], 'off'],
  ['a group that may more than the stage', 'only', { editor: 'off' }, ['editor'], 'off'],
  ['the strictest of several groups', 'off', { 1: 'first', 2: 'off', 3: 'only' }, [1, 2, 3], 'only'],
  ['a group by its number as a text', 'off', { 2: 'only' }, ['2'], 'only'],
])('drafts first has %s', (_, mode, groups, actor, is) => {
  expect(draftsMode({ drafts: { mode, groups } }, { groups: actor, isAdmin: false })).toBe(is)
})

test('administrators have the mode of the stage, whatever their groups have', () => {
  const drafts = { mode: 'first' as const, groups: { 1: 'off' as const, 2: 'only' as const } }

  expect(draftsMode({ drafts }, { groups: [1, 2], isAdmin: true })).toBe('first')
})
