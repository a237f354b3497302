import type { Actor } from '../../base/actor.ts'
import { dayMs } from '../../base/clock.ts'
import { ToolError } from '../../base/error.ts'
import * as Port from '../cms.ts'
import type { Input, Operation } from '../operation.ts'
import { userIdIn } from '../user-number/schema.ts'
import * as Item from './item.ts'
import * as Log from './log.ts'
import { rootline } from './permission.ts'
import * as Read from './read.ts'
import { capabilities, tableNamed } from './registry.ts'
import * as Rows from './rows.ts'
import { Looks, open, rowsOf, type Site } from './site.ts'

type Reading<K extends Operation> = (
  site: Site,
  question: Input<K>,
) => Port.Answer<K> | Promise<Port.Answer<K>>

/** The operations that only read the site as its actor sees it. */
const readings = {
  page: Read.page,
  pageTree: Read.pageTree,
  pageContent: Read.pageContent,
  tables: Read.selectable,
  search: Read.search,
  list: Read.list,
  history: Read.history,
  log: Log.log,
  users,
} satisfies { [K in keyof Port.Asked]?: Reading<K> }

/**
 * Returns the embedded CMS: the port over its own DynamoDB table. The reads of one tool call share one check of the
 * actor's rights; each put reads the rights again. `clock` returns the current time in milliseconds since the epoch.
 * `file` reads the files of the site; it is absent in a process without the right to read them.
 */
export function reference(options: { table: string; clock?: () => number; file?: Port.ReadFile }): Port.Cms {
  const { table: store, clock = Date.now, file = noFile } = options
  const read = Rows.reader(store)
  const looks = new Looks()
  const site = <T>(actor: Actor, act: (site: Site) => T | Promise<T>): Promise<T> =>
    looks.share(actor, clock(), () => open(store, actor, clock(), read), act)
  const user = async (uid: number) => Item.actorOf(await read(Item.recordKey('be_users', uid)), clock())
  const record: Port.Cms['record'] = async (actor, { table, uid, revision }) => {
    // Reads the record in parallel with the rights, which then decide if the actor sees it.
    const item = tableNamed(table) ? read(Item.recordKey(table, Item.ownId(uid))) : undefined
    const [seen, found] = await Promise.all([site(actor, (it) => it), item])
    return revision === undefined
      ? Read.record(seen, table, found)
      : Read.revisionOf(seen, table, found, revision)
  }
  return {
    ...Port.askedBy(
      (operation, actor, question) =>
        site<unknown>(actor, (seen) => readings[operation](seen, question as never)),
      Object.keys(readings) as (keyof typeof readings)[],
    ),
    ...writes(store, looks, site, read),
    capabilities: async () => capabilities(),
    languages: async () => Item.decodeSite(await read(Item.siteKey)).languages,
    user,
    userNamed: async (id) => {
      const uid = userIdIn(id)
      return typeof uid === 'number' ? user(uid) : undefined
    },
    userRow: Item.userRow(store),
    opening: async (uid, open, table) => {
      const [actor, row] = await Promise.all([user(uid), read(Item.siteKey)])
      if (!actor) return undefined
      const isPage = open !== 0 && table === undefined
      const seen = {
        page: isPage ? await site(actor, (it) => Read.page(it, { uid: open })) : undefined,
        record: open !== 0 && table !== undefined ? await record(actor, { table, uid: open }) : undefined,
      }
      return { actor, capabilities: capabilities(), languages: Item.decodeSite(row).languages, ...seen }
    },
    record,
    picture: (actor, question) => site(actor, (seen) => Read.picture(seen, question, file)),
    facts: (actor) => site(actor, (seen) => facts(seen, clock())),
    abilities: async () => [],
    ability: () => Promise.reject(new ToolError('This CMS has no such function.')),
  }
}

/** Returns the write operations. Each loads the site again, and makes the next read load it again. */
function writes(
  store: string,
  looks: Looks,
  site: (actor: Actor, act: (site: Site) => Promise<Port.PutAnswer>) => Promise<Port.PutAnswer>,
  read: Rows.Reader,
): Pick<Port.Cms, 'put' | 'settle'> {
  // Imports the module only at the first put, because most functions only read.
  const load = () => import('./put.ts')
  return {
    put: async (actor, asked) => {
      const Put = await load()
      if ('dry' in asked) return site(actor, (seen) => Put.show(seen, asked))
      return Put.make(await open(store, actor, asked.now, read), asked).finally(() => looks.forget(actor))
    },
    settle: async (actor, { key }) =>
      (await load()).settle(store, actor, key).finally(() => looks.forget(actor)),
  }
}

const noFile: Port.ReadFile = async () => undefined

/** Returns the backend users by uid, without password hashes; empty unless the actor is an administrator. */
async function users(site: Site): Promise<Port.BackendUser[]> {
  if (!site.rights.isAdmin) return []
  const rows = await rowsOf(site, 'be_users')
  return rows.map((row) => ({
    uid: row.uid,
    username: Item.textOf(row, 'username'),
    name: Item.textOf(row, 'name'),
    isAdmin: row.fields.admin === true,
    disabled: row.fields.disable === true,
    groups: Item.uidsOf(row, 'usergroup').flatMap((uid) => {
      const group = site.groups.get(uid)
      return group ? Item.textOf(group, 'title') : []
    }),
    lang: Item.textOf(row, 'lang'),
    lastLogin: Item.textOf(row, 'lastlogin') || null,
  }))
}

/** Returns figures of the CMS for the system status; empty unless the actor is an administrator. */
async function facts(site: Site, now: number): Promise<Record<string, string | number>> {
  if (!site.rights.isAdmin) return {}
  const [content, news, backendUsers] = await Promise.all(
    ['content', 'news', 'be_users'].map((table) => rowsOf(site, table)),
  )
  const since = new Date(now - dayMs).toISOString()
  const errors = await Log.log(site, { level: 'error', since, limit: Number.MAX_SAFE_INTEGER })
  const inPlace = (rows: Item.Row[] = []) => rows.filter(({ pid }) => pid === 0 || rootline(site.pages, pid))
  return {
    cms: 'reference CMS',
    languages: site.languages.map((language) => language.locale).join(', '),
    pages: [...site.pages.values()].filter((page) => !Item.isTranslation(page)).length,
    contentElements: inPlace(content).length,
    news: inPlace(news).length,
    backendUsers: backendUsers?.length ?? 0,
    errorsOfLastDay: errors.length,
  }
}
