import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Actor } from '../../../core/base/actor.ts'
import * as Table from '../../../core/base/aws/table.ts'
import { config } from '../../../core/base/config.ts'
import { ToolError } from '../../../core/base/error.ts'
import { bridge } from '../../../core/cms/bridge/bridge.ts'
import type { ServerOptions } from '../../../core/cms/bridge/server.ts'
import type { Cms, Put } from '../../../core/cms/cms.ts'
import type { CmsRecord } from '../../../core/cms/schema.ts'
import { createCmsTable } from '../../../infra/local/resources.ts'
import type { Users } from '../../../scripts/connect/kit/bench.ts'
import { runKit } from '../../../scripts/connect/kit/kit-run.ts'
import { numbersHere } from '../../../scripts/connect/kit/undoing.ts'
import { seededCms } from '../../support/cms.ts'
import { type CmsServer, serveCms } from '../../support/cms-server.ts'
import { textUser, withTextUsers } from '../../support/text-users.ts'

/** A site of its own for each test: the bins of earlier tests would make each read of it longer. */
let cms: Cms
let sites = 0
beforeEach(async () => {
  const table = `${config().cmsTable}-${++sites}`
  await createCmsTable(Table.documents(), table)
  cms = (await seededCms(Date.now(), table)).cms
})
const users = { writer: 1, limited: undefined }
const key = 'the key that both sides have'
const servers: CmsServer[] = []
afterAll(() => Promise.all(servers.map((server) => server.close())))

async function lineTo(behind: Cms, wrong: Partial<ServerOptions> = {}) {
  const server = await serveCms(behind, new Map([['kit', key]]), wrong)
  servers.push(server)
  return { url: server.base, keyId: 'kit', secret: key }
}

const failedIn = ({ results }: Awaited<ReturnType<typeof runKit>>) =>
  results.filter(({ end }) => end !== 'kept')
/** The capabilities of the checks that did not suit; what was broken, whole. */
const leftOutIn = (report: Awaited<ReturnType<typeof runKit>>) =>
  failedIn(report).map((result) => (result.end === 'leftOut' ? result.capability : result))

describe('the reference CMS keeps every sentence, and nothing of the kit is left in it,', () => {
  test('in this process', async () => {
    const report = await runKit(cms, users)

    expect([leftOutIn(report), report.left]).toEqual([['parts'], []])
    expect(report.lacks).toEqual(['locks', 'abilities', 'parts'])
  })

  test('over the bridge', async () => {
    const line = await lineTo(cms)
    const report = await runKit(bridge(line), users, { line })

    expect([leftOutIn(report), report.left]).toEqual([['parts'], []])
  })
})

test('a CMS whose ids of users are texts keeps every sentence over the bridge', async () => {
  const line = await lineTo(withTextUsers(cms))
  const people = { writer: textUser(1), limited: undefined }
  const report = await runKit(bridge(line, numbersHere()), people, { line })

  expect([leftOutIn(report), report.left]).toEqual([['parts'], []])
})

describe('a CMS keeps every sentence that it can keep', () => {
  test('where titles are unique', async () => {
    const titles = new Map<unknown, unknown>()
    const put: Cms['put'] = async (actor, asked) => {
      const { table, uid, fields } = asked.put
      const id = `${table} ${uid}`
      const others = [...titles].filter(([place]) => place !== id).map(([, title]) => title)
      const title = typeof fields?.title === 'string' ? fields.title : undefined
      if (title !== undefined && others.includes(title)) throw new ToolError('There is a page of this title.')
      const answer = await cms.put(actor, asked)
      if (answer.state !== 'done' || 'dry' in asked) return answer
      if (asked.put.remove) titles.delete(id)
      if (title !== undefined) titles.set(`${table} ${answer.uid}`, title)
      return answer
    }
    const report = await runKit({ ...cms, put }, users)

    expect([leftOutIn(report), report.left]).toEqual([['parts'], []])
  })

  test('where it has no drafts, on a record that is named and stays as it was', async () => {
    const capabilities = async () => {
      const whole = await cms.capabilities()
      return { ...whole, writes: { ...whole.writes, create: [], remove: [] } }
    }
    const bare = { ...cms, capabilities }
    await expect(runKit(bare, users)).rejects.toThrow('as --record articles:12.')
    const admin = (await cms.user(1)) as Actor
    const before = await cms.record(admin, { table: 'pages', uid: 2 })
    const report = await runKit(bare, { ...users, record: 'pages:2' })
    const after = await cms.record(admin, { table: 'pages', uid: 2 })

    expect([after?.fields, report.left]).toEqual([before?.fields, []])
    expect(report.results.filter(({ end }) => end === 'broken')).toEqual([])
    expect(report.results.filter(({ end }) => end === 'kept').length).toBeGreaterThan(25)
    await expect(runKit(bare, { ...users, record: 'pages:999' })).rejects.toThrow('pages:999')
  })
})

describe('a kit', () => {
  const taken = async (behind: Cms, people: Users) => {
    let names: unknown
    await runKit(behind, people, {
      only: 'none',
      begin: ({ writer, limited, disabled }) => {
        names = [writer.username, limited?.username, disabled]
      },
    })
    return names
  }

  test('names the users that it takes, and the disabled ones that it passes over', async () => {
    const last = {
      uid: 9,
      username: 'rita',
      name: 'Rita',
      isAdmin: false,
      disabled: true,
      groups: [],
      lang: 'en',
    }
    const list: Cms['users'] = async (actor) => [...(await cms.users(actor)), { ...last, lastLogin: null }]

    expect(await taken({ ...cms, users: list }, users)).toEqual(['admin', 'redakteurin', ['rita']])
  })

  test('takes the limited user who is named, and no other one', async () => {
    expect(await taken(cms, { writer: 1, limited: 2 })).toEqual(['admin', 'editor', []])
    await expect(taken(cms, { writer: 1, limited: 99 })).rejects.toThrow('no user 99 who may log in')
  })

  test('tells the error of a CMS that fails, not that the user may make no record', async () => {
    const put: Cms['put'] = async () => {
      throw new Error('The CMS is broken')
    }
    await expect(taken({ ...cms, put }, users)).rejects.toThrow('The CMS is broken')
  })

  test.each([
    [
      'a user who may not publish is told why a state was not tried',
      2,
      'leftOut',
      'editor may not: You may not publish.',
    ],
    [
      'an administrator who may give no state has found a fault',
      1,
      'broken',
      expect.stringContaining('None of these'),
    ],
  ])('as %s', async (_who, writer, end, why) => {
    const put: Cms['put'] = async (actor, asked) => {
      const { state } = asked.put
      if (!state) return cms.put(actor, asked)
      // The state that the record has.
      if (state.state === 'hidden')
        return cms.put(actor, { ...asked, put: { ...asked.put, state: { state: 'hidden' } } })
      throw new ToolError('You may not publish.')
    }
    const only = 'a record is given another state, and undo gives the old one back'
    const { results } = await runKit({ ...cms, put }, { writer, limited: undefined }, { only })

    expect(results).toEqual([{ name: only, capability: 'state', end, why }])
  })
})

test('of a capability alone the kit makes the checks of that', async () => {
  const { results } = await runKit(cms, users, { only: 'races:' })

  expect(results.map(({ capability, end }) => [capability, end])).toEqual([
    ['races', 'kept'],
    ['races', 'kept'],
  ])
})

const withFields = (put: Put, fieldsOf: (fields: object) => Record<string, unknown>): Put =>
  put.fields && put.uid !== null ? { ...put, fields: fieldsOf(put.fields) } : put
const emptied = { nav_title: '', description: '' }
const withoutTags = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/<[^>]*>/g, '').trim() : value,
    ]),
  )
/** The ids of records that were taken back. */
const free: (string | number | null)[] = []

/** Searches that make a mistake with what they found and with the question. */
const searches: Record<
  string,
  (found: CmsRecord[], question: { text: string; limit: number }) => CmsRecord[]
> = {
  'tells capitals apart in a search': (found, { text, limit }) =>
    found
      .filter(({ fields }) => text.split(' ').every((it) => JSON.stringify(fields).includes(it)))
      .slice(0, limit),
  'searches for a whole text': (found, { text, limit }) =>
    found
      .filter(({ fields }) => JSON.stringify(fields).toLowerCase().includes(text.toLowerCase()))
      .slice(0, limit),
  'searches titles alone': (found, { text, limit }) =>
    found
      .filter(({ title }) => text.split(' ').every((it) => title.toLowerCase().includes(it.toLowerCase())))
      .slice(0, limit),
  'finds the oldest change first': (found, { limit }) =>
    found.map((it, at) => ({ ...it, changedAt: new Date(at * 1_000).toISOString() })).slice(0, limit),
  'ignores the limit of a search': (found) => found,
}

describe('the kit finds a CMS that', () => {
  test('ignores nonces', async () => {
    const line = await lineTo(cms, { spend: async () => true })
    const only = 'takes a nonce once, also of four requests at the same time'

    expect(failedIn(await runKit(bridge(line), users, { line, only }))).toHaveLength(1)
  })

  test.each<[what: string, only: string, wrong: Partial<Cms>]>([
    [
      'writes twice with one key',
      'a put answers the record as it was and as it is, and a known key the same',
      {
        put: (actor, asked) =>
          cms.put(
            actor,
            'dry' in asked ? asked : { ...asked, versions: [], key: `${asked.key}${Math.random()}` },
          ),
      },
    ],
    [
      'overwrites what changed meanwhile',
      'a write on an old version is a conflict',
      { put: (actor, asked) => cms.put(actor, { ...asked, versions: [] }) },
    ],
    [
      'writes after it was settled',
      'a key that was settled before its write is void for ever',
      { settle: async () => ({ state: 'void' }) },
    ],
    [
      'shows another change than it makes',
      'a preview stores nothing and shows what a put stores, which empties no other field',
      {
        put: async (actor, asked) => {
          const answer = await cms.put(actor, asked)
          if (!('dry' in asked) || answer.state !== 'done' || !answer.after.record) return answer
          const names = Object.keys(asked.put.fields ?? {})
          const others = Object.fromEntries(names.map((name) => [name, 'something else']))
          const fields = { ...answer.after.record.fields, ...others }
          return { ...answer, after: { record: { ...answer.after.record, fields } } }
        },
      },
    ],
    [
      'lets a limited user read on',
      'what is for administrators is empty for a limited user',
      { users: async () => cms.users((await cms.user(1)) as never) },
    ],
    [
      'does not say what was there before',
      'undo puts back what was there, and nothing more when asked again',
      {
        put: async (actor, asked) => {
          const answer = await cms.put(actor, asked)
          return answer.state === 'done' && answer.before ? { ...answer, before: answer.after } : answer
        },
      },
    ],
    [
      'repeats records from page to page',
      'pages of a list hold each record once, in one order',
      { list: (actor, query) => cms.list(actor, { ...query, offset: 0 }) },
    ],
    [
      'takes the title from a field that is not there',
      'a record is named by what is written in it',
      {
        record: async (actor, place) => {
          const record = await cms.record(actor, place)
          return record && { ...record, title: `[${record.uid}]` }
        },
      },
    ],
    [
      'shows another change at each preview',
      'two previews of one change are the same, also of a new record and a new part',
      {
        put: (actor, asked) =>
          cms.put(
            actor,
            'dry' in asked
              ? { ...asked, put: withFields(asked.put, (it) => ({ ...it, nav_title: `${Math.random()}` })) }
              : asked,
          ),
      },
    ],
    [
      'empties the fields that a put does not name',
      'a preview stores nothing and shows what a put stores, which empties no other field',
      {
        put: (actor, asked) =>
          cms.put(
            actor,
            'dry' in asked
              ? asked
              : { ...asked, put: withFields(asked.put, (it) => ({ ...emptied, ...it })) },
          ),
      },
    ],
    [
      'cleans what it stores and not what it shows',
      'a preview stores nothing and shows what a put stores, which empties no other field',
      {
        put: (actor, asked) =>
          cms.put(actor, 'dry' in asked ? asked : { ...asked, put: withFields(asked.put, withoutTags) }),
      },
    ],
    [
      'cuts its keys',
      'keys that differ only at their end are two puts',
      {
        put: (actor, asked) =>
          cms.put(actor, 'dry' in asked ? asked : { ...asked, key: asked.key.slice(0, 64) }),
      },
    ],
    [
      'gives an id again',
      'a new record that is taken back is gone, and no other gets its id',
      {
        put: async (actor, asked) => {
          const answer = await cms.put(actor, asked)
          if ('dry' in asked || answer.state !== 'done') return answer
          if (asked.put.remove) free.push(answer.uid)
          const [uid] = free
          return asked.put.uid === null && uid ? { ...answer, uid } : answer
        },
      },
    ],
    [
      'counts what a limited user may not see',
      'what a limited user may not see is in no answer, what they may not change is refused',
      {
        list: async (actor, query) => {
          const list = await cms.list(actor, query)
          return list && { ...list, total: list.total + (actor.isAdmin ? 0 : 1) }
        },
      },
    ],
    [
      'reads to a limited user what it does not list',
      'what a limited user may not see is in no answer, what they may not change is refused',
      {
        record: async (_actor, place) => cms.record((await cms.user(1)) as Actor, place),
        search: async (actor, query) => (actor.isAdmin ? cms.search(actor, query) : []),
      },
    ],
    [
      'lets a disabled user act',
      'no user who is disabled is there to act',
      {
        users: async (actor) => (await cms.users(actor)).map((it) => ({ ...it, disabled: it.uid === 2 })),
      },
    ],
    [
      'gives addresses of a whole site',
      'every type can be listed, and a record of the list reads the same alone',
      {
        list: async (actor, query) => {
          const list = await cms.list(actor, query)
          const records = list?.records.map((it) => ({ ...it, addresses: ['https://www.example.com/'] }))
          return list && { ...list, records: records ?? [] }
        },
      },
    ],
    ...Object.entries(searches).map(([what, search]): [string, string, Partial<Cms>] => [
      what,
      'search finds every word, in any case, order and text, newest change first',
      { search: async (actor, query) => search(await cms.search(actor, { ...query, limit: 50 }), query) },
    ]),
  ])('%s', async (_what, only, wrong) => {
    expect(failedIn(await runKit({ ...cms, ...wrong }, users, { only }))).toHaveLength(1)
  })
})
