import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bridge } from '../../../core/cms/bridge/bridge.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import { type Done, evaluateIn, type WantedRun } from '../../../scripts/eval/evaluate.ts'
import { tasksAnywhere } from '../../../scripts/eval/tasks.ts'
import { openVisit } from '../../../scripts/eval/visit.ts'
import { seededCms } from '../../support/cms.ts'
import { serveCms } from '../../support/cms-server.ts'
import { faultsIn, passedIn, standingIn, wantedIn } from '../../support/evaluation.ts'
import { settings } from '../../support/settings.ts'
import { withTextIds } from '../../support/text-ids.ts'

/** A CMS with the work of others, which the evaluation reaches over the bridge. */
const { cms: behind, table } = await seededCms(Date.now())
const key = 'the key that both sides have'
let served: Cms = behind
const asked: Cms = new Proxy(behind, { get: (_, name) => Reflect.get(served, name) })
const server = await serveCms(asked, new Map([['eval', key]]))
afterAll(() => server.close())

let folder: string
let lines: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'visit-'))
  lines = []
  served = behind
})
afterEach(() => rm(folder, { recursive: true }))

const destination = (user = '2') => ({
  cms: bridge({ url: server.base, keyId: 'eval', secret: key }),
  url: server.base,
  user,
  folder,
})
const wanted = (over: Partial<WantedRun> = {}) => ({
  stopped: new AbortController().signal,
  ...wantedIn(folder, {
    qualities: ['perfect'],
    tell: (line) => void lines.push(line),
    ...over,
  }),
})

const standing = () => standingIn(table)

describe('in a CMS with the work of others', () => {
  test.each([
    ['whose ids are numbers, a right way', 'perfect' as const, (cms: Cms) => cms],
    ['whose ids are texts, another right way', 'natural' as const, withTextIds],
  ])('%s of each task passes, and what the tasks made is taken back', async (_, quality, as) => {
    served = as(behind)
    const before = await standing()
    const out = join(folder, 'out')
    const done = await evaluateIn(destination(), settings(), wanted({ qualities: [quality], out }))

    expect(faultsIn(...done)).toEqual([])
    expect(done.map(({ report }) => report.summary.attempts)).toEqual([tasksAnywhere().length])
    expect(await standing()).toEqual(before)
    expect(await readdir(folder)).toEqual(['out'])
    expect(lines.filter((line) => line.startsWith('Could not'))).toEqual([])
  })

  test('a careless model fails, and the records of others stay as they are', async () => {
    const before = await standing()
    const only = ['any-bin-en', 'any-copy-fr', 'any-many-en', 'any-title-en']
    const [done] = await evaluateIn(destination(), settings(), wanted({ qualities: ['careless'], only }))

    expect(passedIn(done as Done)).toEqual([])
    expect(await standing()).toEqual(before)
  })

  test('a task of an organisation reads its records, and changes and publishes none of them', async () => {
    const task = {
      id: 'own',
      kind: 'change',
      lang: 'en',
      records: [{ name: 'note', table: 'news', page: 7, fields: { title: 'A note of ours' } }],
      messages: ['Call the note “Ours”.'],
      decides: ['approve'],
      expected: { reads: ['pages:3'], changes: { 'news:{note}': { title: 'Ours' } }, decisions: [1, 4] },
      ways: [
        [
          { get_record: { table: 'pages', uid: 3 } },
          { update_record: { table: 'pages', uid: 3, fields: { title: 'Ours' } } },
          { update_record: { table: 'news', uid: '{note}', fields: { title: 'Ours' } } },
          { set_state: { table: 'news', uid: '{note}', state: 'visible' } },
          'The note is called “Ours” now.',
        ],
        [],
      ],
    }
    const path = join(folder, 'tasks.json')
    await writeFile(path, JSON.stringify([task]))
    const before = await standing()
    const [done] = await evaluateIn(destination(), settings(), wanted({ tasks: path }))

    expect(done?.report.tasks[0]?.attempts[0]?.faults).toEqual([
      expect.stringMatching(/^The field state of news:\d+ was changed\.$/),
      'pages:3 was changed: title.',
    ])
    expect(await standing()).toEqual(before)
  })
})

describe('a run that ends too early takes back what it made:', () => {
  const runs = (over: Partial<WantedRun> & { stopped?: AbortSignal }) =>
    evaluateIn(destination(), settings(), wanted({ only: ['any-title-en'], ...over }))

  test('after a failure', async () => {
    const before = await standing()
    served = { ...behind, search: () => Promise.reject(new Error('The disk is full.')) }

    await expect(runs({})).rejects.toThrow('any-title-en could not be measured: cms.unavailable')
    expect(await standing()).toEqual(before)
  })

  test('after Ctrl-C, also what was being made', async () => {
    const before = await standing()
    const controller = new AbortController()
    served = {
      ...behind,
      put: async (actor, question) => {
        const answer = await behind.put(actor, question)
        if (!('dry' in question)) controller.abort()
        return answer
      },
    }

    await expect(runs({ stopped: controller.signal })).rejects.toThrow('The run was stopped.')
    expect(await standing()).toEqual(before)
  })

  test('and names what it cannot take back, which the next run does', async () => {
    const before = await standing()
    served = {
      ...behind,
      put: async (actor, question) => {
        if (question.put.remove) throw new Error('The disk is full.')
        return behind.put(actor, question)
      },
    }
    await runs({})
    expect(lines.filter((line) => line.startsWith('Could not be taken back: pages'))).toHaveLength(1)
    expect((await standing()).length).toBe(before.length + 2)

    served = behind
    await runs({ since: Date.now() })
    expect(await standing()).toEqual(before)
  })
})

describe('a user', () => {
  test('whom the CMS does not know is told', async () => {
    await expect(openVisit(destination('99'))).rejects.toThrow(
      'The CMS has no user 99 who may log in; name another one with --user.',
    )
  })

  test('without the right to make a record is told, and nothing is made', async () => {
    const before = await standing()
    await expect(openVisit(destination('4'))).rejects.toThrow(
      'The user guest may make no record with a title and a text that can be taken back; name another one with --user.',
    )
    expect(await standing()).toEqual(before)
  })
})
