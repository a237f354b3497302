import { afterAll, describe, expect, test } from 'vitest'
import { bridge } from '../../../core/cms/bridge/bridge.ts'
import type { ServerOptions } from '../../../core/cms/bridge/server.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import { reference } from '../../../core/cms/reference/reference.ts'
import { ToolError } from '../../../core/error.ts'
import { siteFile } from '../../../core/file/site.ts'
import { config } from '../../../core/stage/config.ts'
import type { Users } from '../../../scripts/connect/kit/bench.ts'
import { numbersHere } from '../../../scripts/connect/kit/numbers.ts'
import { runKit } from '../../../scripts/connect/kit/run.ts'
import { seededCms } from '../../support/cms.ts'
import { type CmsServer, serveCms } from '../../support/cms-server.ts'
import { textUser, withTextUsers } from '../../support/text-users.ts'

const { cms } = await seededCms(Date.now())
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

    expect([leftOutIn(report), report.left]).toEqual([['undo', 'undo', 'parts', 'parts', 'parts'], []])
    expect(report.lacks).toEqual(['locks', 'parts'])
  })

  test('over the bridge', async () => {
    const line = await lineTo(cms)
    const report = await runKit(bridge(line), users, { line })

    expect([leftOutIn(report), report.left]).toEqual([['undo', 'undo', 'parts', 'parts', 'parts'], []])
  })

  test('over the bridge without an undo of its own: the stage undoes by writes', async () => {
    const line = await lineTo(reference({ table: config().cmsTable ?? '', file: siteFile, undo: false }))
    const report = await runKit(bridge(line), users, { line })

    expect([leftOutIn(report), report.left]).toEqual([['parts', 'parts', 'parts'], []])
    expect(report.lacks).toEqual(['locks', 'parts', 'undo'])
  })
})

test('a CMS whose ids of users are texts keeps every sentence over the bridge', async () => {
  const line = await lineTo(withTextUsers(cms))
  const people = { writer: textUser(1), limited: undefined }
  const report = await runKit(bridge(line, numbersHere()), people, { line })

  expect([leftOutIn(report), report.left]).toEqual([['undo', 'undo', 'parts', 'parts', 'parts'], []])
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

    expect(await taken({ ...cms, users: list }, users)).toEqual(['admin', 'guest', ['rita']])
  })

  test('takes the limited user who is named, and no other one', async () => {
    expect(await taken(cms, { writer: 1, limited: 2 })).toEqual(['admin', 'editor', []])
    await expect(taken(cms, { writer: 1, limited: 99 })).rejects.toThrow('no user 99 who may log in')
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
    const preview: Cms['preview'] = async (actor, write, earlier) => {
      if (write.kind !== 'state') return cms.preview(actor, write, earlier)
      // The state that the record has.
      if (write.state === 'draft') return { ...(await cms.preview(actor, write, earlier)), changes: [] }
      throw new ToolError('You may not publish.')
    }
    const only = 'a record is given another state, and undo gives the old one back'
    const { results } = await runKit({ ...cms, preview }, { writer, limited: undefined }, { only })

    expect(results).toEqual([{ name: only, capability: 'state', end, why }])
  })
})

describe('the kit finds a CMS that', () => {
  test('ignores nonces', async () => {
    const line = await lineTo(cms, { spend: async () => true })
    const only = 'takes a nonce once, also of four requests at the same time'

    expect(failedIn(await runKit(bridge(line), users, { line, only }))).toHaveLength(1)
  })

  test.each<[what: string, only: string, wrong: Partial<Cms>]>([
    [
      'writes twice with one key',
      'a write with a known key is answered as before and stores nothing',
      {
        write: (actor, write, options) =>
          cms.write(actor, write, { ...options, versions: [], key: `${options.key}${Math.random()}` }),
      },
    ],
    [
      'overwrites what changed meanwhile',
      'a write on an old version is a conflict',
      { write: (actor, write, options) => cms.write(actor, write, { ...options, versions: [] }) },
    ],
    [
      'writes after it was settled',
      'a key that was settled before its write is void for ever',
      { settle: async () => ({ state: 'void' }) },
    ],
    [
      'shows another change than it makes',
      'a preview stores nothing and shows what the sanitizers leave',
      {
        preview: async (actor, write, earlier) => {
          const preview = await cms.preview(actor, write, earlier)
          return {
            ...preview,
            changes: preview.changes.map((change) => ({ ...change, after: 'something else' })),
          }
        },
      },
    ],
    [
      'lets a limited user read on',
      'what is for administrators is empty for a limited user',
      { users: async () => cms.users((await cms.user(1)) as never) },
    ],
    [
      'takes back what was changed since',
      'undo leaves what was changed since, and says why',
      { undo: async () => ({ undone: [{ table: 'pages', uid: 1 }], conflicts: [] }) },
    ],
    [
      'repeats records from page to page',
      'pages of a list hold each record once, in one order',
      { list: (actor, query) => cms.list(actor, { ...query, offset: 0 }) },
    ],
  ])('%s', async (_what, only, wrong) => {
    expect(failedIn(await runKit({ ...cms, ...wrong }, users, { only }))).toHaveLength(1)
  })
})
