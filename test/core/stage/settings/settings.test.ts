import { describe, expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import * as Settings from '../../../../core/stage/settings/settings.ts'
import { apply } from '../../../../core/stage/settings/settings.ts'
import { configuration, model, provider, settings, task } from '../../../support/settings.ts'

const editor = { groups: [1], isAdmin: false }
const admin = { groups: [], isAdmin: true }

describe('load', () => {
  test('says what to do when no settings were ever applied', async () => {
    await expect(Settings.load(0)).rejects.toThrow('No settings are stored')
  })

  test('answers what was applied', async () => {
    const applied = settings({ maxMessageLength: 1_234, dailyTokensPerUser: 5_000 })
    await apply(applied)

    expect(await Settings.load(0)).toEqual(applied)
  })

  test('keeps what it read for 30 seconds, and not longer', async () => {
    await apply(settings({ maxMessageLength: 1 }))
    await Settings.load(1_000)
    await changeBehindItsBack('maxMessageLength', 2)

    expect((await Settings.load(30_999)).maxMessageLength).toBe(1)
    expect((await Settings.load(31_000)).maxMessageLength).toBe(2)
  })

  test('sees at once what this process has applied', async () => {
    await apply(settings({ maxMessageLength: 1 }))
    await Settings.load(0)
    await apply(settings({ maxMessageLength: 2 }))

    expect((await Settings.load(0)).maxMessageLength).toBe(2)
  })
})

describe('resolve', () => {
  test('links task, configuration, model and provider', () => {
    expect(Settings.resolve(settings(), editor)).toEqual({
      resolved: { task: task(), configuration: configuration(), model: model(), provider: provider() },
    })
  })

  test.each([
    { rule: 'no pair: the task of llmTaskUid', mapping: [], groups: [5], taskUid: 1 },
    { rule: 'a pair of a foreign group does not count', mapping: [[9, 2]], groups: [5], taskUid: 1 },
    { rule: 'the pair of the user’s group wins over llmTaskUid', mapping: [[5, 2]], groups: [5], taskUid: 2 },
    { rule: 'an inherited group counts like an own one', mapping: [[6, 2]], groups: [5, 6], taskUid: 2 },
    {
      rule: 'the written order decides, not the order of the groups',
      mapping: [
        [6, 3],
        [5, 2],
      ],
      groups: [5, 6],
      taskUid: 3,
    },
    {
      rule: 'the first of two pairs of one group wins',
      mapping: [
        [5, 3],
        [5, 2],
      ],
      groups: [5],
      taskUid: 3,
    },
  ])('$rule', ({ mapping, groups, taskUid }) => {
    const given = settings({
      groupTaskMapping: mapping as [number, number][],
      tasks: [task(), task({ uid: 2 }), task({ uid: 3 })],
    })

    expect(Settings.resolve(given, { groups, isAdmin: false }).resolved?.task.uid).toBe(taskUid)
  })

  test.each([
    {
      broken: 'task',
      over: { llmTaskUid: 7 },
      missing: 'Task 7, named by llmTaskUid, does not exist.',
    },
    {
      broken: 'task of a pair, without falling back to llmTaskUid',
      over: { groupTaskMapping: [[1, 7]] as [number, number][] },
      missing: 'Task 7, named by groupTaskMapping of group 1, does not exist.',
    },
    {
      broken: 'inactive task',
      over: { tasks: [task({ active: false })] },
      missing: 'Task 1 (Backend chat), named by llmTaskUid, is not active.',
    },
    {
      broken: 'configuration',
      over: { tasks: [task({ configuration: 7 })] },
      missing: 'Configuration 7 of task 1 (Backend chat) does not exist.',
    },
    {
      broken: 'inactive configuration',
      over: { configurations: [configuration({ active: false })] },
      missing: 'Configuration 1 (Website assistant) of task 1 (Backend chat) is not active.',
    },
    {
      broken: 'configuration of other groups',
      over: { configurations: [configuration({ allowedGroups: [2, 3] })] },
      missing: 'Configuration 1 (Website assistant) is not open to the groups of this user.',
    },
    {
      broken: 'model',
      over: { models: [model({ uid: 2 })] },
      missing: 'Model 1 of configuration 1 (Website assistant) does not exist.',
    },
    {
      broken: 'provider',
      over: { providers: [] },
      missing: 'Provider 1 of model 1 does not exist.',
    },
    {
      broken: 'inactive provider',
      over: { providers: [provider({ active: false })] },
      missing: 'Provider 1 (Demo) of model 1 is not active.',
    },
  ])('a broken link is reported in technical words: $broken', ({ over, missing }) => {
    expect(Settings.resolve(settings(over), editor)).toEqual({ missing })
  })

  test('every pair is examined for broken links, each of which is reported once', () => {
    const groupTaskMapping: [number, number][] = [
      [1, 7],
      [2, 1],
      [3, 2],
      [4, 2],
    ]
    const tasks = [task(), task({ uid: 2, name: 'Other', active: false })]

    expect(Settings.brokenLinks(settings({ groupTaskMapping, tasks }))).toEqual([
      'Task 7, named by groupTaskMapping of group 1, does not exist.',
      'Task 2 (Other), named by groupTaskMapping of group 3, is not active.',
      'Task 2 (Other), named by groupTaskMapping of group 4, is not active.',
    ])
    expect(Settings.brokenLinks(settings({ llmTaskUid: 7, groupTaskMapping: [[2, 1]] }))).toEqual([
      'Task 7, named by llmTaskUid, does not exist.',
    ])
  })

  test('a configuration of named groups is open to their members and to administrators', () => {
    const given = settings({ configurations: [configuration({ allowedGroups: [1] })] })

    expect(Settings.resolve(given, editor).missing).toBeUndefined()
    expect(Settings.resolve(given, admin).missing).toBeUndefined()
  })
})

async function changeBehindItsBack(name: string, value: unknown): Promise<void> {
  await Table.assign({ pk: 'settings', sk: 'settings' }, { set: { [`settings.${name}`]: value } })
}
