import type { Actor } from '../base/actor.ts'
import { ignoreRefusal } from '../base/error.ts'
import { cut } from '../base/safety/invisible.ts'
import type { Mention, MentionKind, MentionName, RecordId } from '../conversation/schema.ts'
import type { Capabilities } from './capabilities.ts'
import { type BackendUser, type Cms, mediaTables } from './cms.ts'
import type { CmsRecord } from './schema.ts'

/**
 * The records and users of the site that a user can mention in a message. The CMS answers with that user's current
 * rights. So the user finds and sends, and the model reads, only what this user may see now.
 */

/** The table name of backend users in mentions, because a CMS may keep users apart from its records. */
const users = 'users'

const maxFound = 20
/** Search hits to ask for: more than are shown, so that hits with the words in their title can come first. */
const maxAsked = 60

/**
 * The search of the user. Without words it lists the elements of the open page (0: no page) and the pages at the top.
 */
type Wanted = { query: string; kind: MentionKind | undefined; page: RecordId }

/**
 * Returns the mentions that contain the words and that the actor may see, at most 20. Mentions with the words in their
 * title come first.
 */
export async function find(cms: Cms, actor: Actor, wanted: Wanted): Promise<Mention[]> {
  const capabilities = await cms.capabilities()
  const ground = groundOf(capabilities)
  const query = wanted.query.trim()
  const [records, people] = await Promise.all([
    query === '' ? offered(cms, actor, wanted, ground) : searched(cms, actor, wanted, ground),
    query === '' && wanted.kind !== 'user' ? [] : backendUsers(cms, actor, capabilities, wanted.kind),
  ])
  // A CMS whose users are also records finds each user twice.
  const others = records.filter(({ uid, title }) => !people.some((user) => isUser(user, uid, title)))
  const named = people.filter((user) => isNamed(user, query)).map(mentionOfUser)
  const found = [...others, ...named].filter(({ kind }) => !wanted.kind || kind === wanted.kind)
  const ranked = query === '' ? found : found.toSorted((a, b) => rank(a, query) - rank(b, query))
  const unique = new Map(ranked.map((mention) => [keyOf(mention), mention]))
  return [...unique.values()].slice(0, maxFound)
}

/**
 * Returns the current mentions for these names, in their order; undefined for a name that is gone or hidden from the
 * actor.
 */
export async function resolve(
  cms: Cms,
  actor: Actor,
  names: readonly MentionName[],
): Promise<(Mention | undefined)[]> {
  const capabilities = await cms.capabilities()
  const ground = groundOf(capabilities)
  const wantsUsers = names.some(({ kind }) => kind === 'user')
  const people = wantsUsers ? await backendUsers(cms, actor, capabilities, 'user') : []
  return Promise.all(
    names.map(async ({ kind, table, uid }) => {
      if (kind === 'user') return people.filter((user) => user.uid === uid).map(mentionOfUser)[0]
      const record = await cms.record(actor, { table, uid }).catch(ignoreRefusal)
      return record && mentionOf(record, ground)
    }),
  )
}

/** Returns a key that identifies a mention in a list. */
export const keyOf = ({ kind, table, uid }: MentionName): string => `${kind === 'user'} ${table} ${uid}`

/** The facts about a CMS that decide the kind of a record. */
type Ground = Pick<Capabilities, 'tree'> & { files: ReadonlySet<string> }

type Named = Pick<CmsRecord, 'table' | 'uid' | 'pid' | 'title'>

const groundOf = ({ tree, types }: Capabilities): Ground => ({ tree, files: mediaTables(types) })

function mentionOf({ table, uid, pid, title }: Named, { tree, files }: Ground): Mention {
  const isPage = tree?.pages === table
  const other = files.has(table) ? 'file' : 'record'
  const kind = isPage ? 'page' : other
  return { kind, table, uid, title: line(title), ...(!isPage && pid !== 0 && { page: pid }) }
}

const mentionOfUser = ({ uid, name, username }: BackendUser): Mention => ({
  kind: 'user',
  table: users,
  uid,
  title: line(name || username),
})

async function searched(cms: Cms, actor: Actor, { query, kind }: Wanted, ground: Ground): Promise<Mention[]> {
  if (kind === 'user') return []
  const { tree, files } = ground
  const others = kind === 'page' && tree ? [tree.pages] : [undefined]
  const tables = kind === 'file' ? [...files] : others
  const found = await Promise.all(
    tables.map((table) => cms.search(actor, { text: query, ...(table && { table }), limit: maxAsked })),
  )
  return found.flat().map((record) => mentionOf(record, ground))
}

async function offered(cms: Cms, actor: Actor, { kind, page }: Wanted, ground: Ground): Promise<Mention[]> {
  if (kind === 'file') {
    const lists = [...ground.files].map((table) => cms.list(actor, { table, limit: maxFound, offset: 0 }))
    const listed = (await Promise.all(lists)).flatMap((list) => list?.records ?? [])
    return listed.map((record) => mentionOf(record, ground))
  }
  const { tree } = ground
  if (!tree || kind === 'user') return []
  const [open, content, top] = await Promise.all([
    page === 0 ? undefined : cms.page(actor, { uid: page }),
    page === 0 || !tree.content ? [] : cms.pageContent(actor, { uid: page }),
    cms.pageTree(actor, { root: 0, depth: 2, limit: maxFound }),
  ])
  const pages = [...(open ? [open] : []), ...top]
  const own = (content ?? []).slice(0, maxFound / 2).map((record) => mentionOf(record, ground))
  const named = pages.map(({ uid, title }) => mentionOf({ table: tree.pages, uid, pid: 0, title }, ground))
  return open ? [...named.slice(0, 1), ...own, ...named.slice(1)] : named
}

/** Returns the backend users, if the actor may list them. */
async function backendUsers(
  cms: Cms,
  actor: Actor,
  capabilities: Capabilities,
  kind: MentionKind | undefined,
): Promise<BackendUser[]> {
  return capabilities.users && actor.isAdmin && (!kind || kind === 'user') ? cms.users(actor) : []
}

const isUser = (user: BackendUser, uid: RecordId, title: string): boolean =>
  user.uid === uid && (user.username === title || user.name === title)

const isNamed = ({ name, username }: BackendUser, query: string): boolean =>
  `${name}\n${username}`.toLowerCase().includes(query.toLowerCase())

/**
 * Returns the sort rank, lowest first. The best title begins with the words; next is a title with the words at the
 * start of a word, then within a word. Titles without the words come last.
 */
function rank({ kind, title }: Mention, query: string): number {
  const text = title.toLowerCase()
  const at = text.indexOf(query.toLowerCase())
  return 2 * placeRank(text, at) + (kind === 'page' ? 0 : 1)
}

/**
 * Returns the rank by the position of the hit: 0 at the start, 1 at the start of a word, 2 within a word, 3 without a
 * hit.
 */
function placeRank(text: string, at: number): number {
  if (at <= 0) return at === 0 ? 0 : 3
  return /[\p{L}\p{N}]/u.test(text[at - 1] ?? '') ? 2 : 1
}

/** Returns the title as one line of limited length, because strangers may have written it. */
function line(title: string): string {
  const visible = title
    .toWellFormed()
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
  return cut(visible, 200)
}
