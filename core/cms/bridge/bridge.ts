import type { Actor } from '../../actor.ts'
import { VisibleError } from '../../error.ts'
import { isGiven, type UserId, type UserNumbers, userIdIn } from '../../user-number/schema.ts'
import * as UserNumber from '../../user-number/user-number.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Cms } from '../cms.ts'
import type { Language } from '../schema.ts'
import { gatherer } from './gather.ts'
import { ask as askAlone, checked, type Line, misconfigured } from './line.ts'
import { alone, type Input, type Operation, type Output, operations } from './operation.ts'

/** How long what is the same for all users is kept, in milliseconds. */
const keptMs = 60_000
/** A process keeps so many users at most. */
const mostUsers = 1_000

/**
 * A CMS elsewhere, over the bridge: the CMS acts as the user whom the request names and decides by its own rights, at
 * the moment of the act. What is asked at the same time for one user is one request. Throws CmsFailure where the CMS
 * does not answer in three attempts or is not set up as it has to be. Where ids of users are texts, `numbers` has the number
 * that each is known by here; the CMS gets its own ids alone.
 */
export function bridge(options: Line, numbers: UserNumbers = UserNumber): Cms {
  const line = checked(options)
  const gather = gatherer(line)
  const askAs = async <K extends Operation>(
    operation: K,
    user: UserId | 0,
    input: Input<K>,
  ): Promise<Output<K>> => {
    const result = alone.has(operation)
      ? await askAlone(line, operation, user, input)
      : await gather(user, operation, input)
    return read(line, operation, result)
  }
  const texts = kept<number, string>()
  /** What the CMS calls a user; undefined for a number that no text has any more. */
  const idOf = async (uid: number): Promise<UserId | undefined> =>
    isGiven(uid) ? texts(uid, Number.POSITIVE_INFINITY, () => numbers.textOf(uid)) : uid
  const ask = async <K extends Operation>(operation: K, uid: number, input: Input<K>): Promise<Output<K>> => {
    const user = await idOf(uid)
    if (user === undefined) throw new VisibleError('access.denied')
    return askAs(operation, user, input)
  }
  const users = kept<number, Actor>()
  const common = kept<string, Capabilities | Language[]>()
  const capabilities = () =>
    common('capabilities', keptMs, () => ask('capabilities', 0, {})) as Promise<Capabilities>
  const languages = () => common('languages', keptMs, () => ask('languages', 0, {})) as Promise<Language[]>
  // Asked in the user's own name, so that it travels with what is asked for them.
  const answeredFor = async (id: UserId) => {
    const answered = await askAs('user', id, { uid: id })
    // A CMS whose ids have become texts, or numbers, has no user of the other kind.
    if (!answered || typeof answered.uid !== typeof id) return undefined
    if (answered.uid === id) return answered
    throw misconfigured(`The CMS at ${line.url} answers for another user than ${id}: an id has one form.`)
  }
  const user = (uid: number, maxAgeMs = 0) =>
    users(uid, maxAgeMs, async () => {
      const id = await idOf(uid)
      const answered = id === undefined ? undefined : await answeredFor(id)
      return answered && { ...answered, uid }
    })
  return {
    capabilities,
    user,
    userNamed: async (name) => {
      const id = userIdIn(name)
      if (id === undefined) return undefined
      if (typeof id === 'number') {
        const [{ userIds }, actor] = await Promise.all([capabilities(), user(id)])
        return userIds === 'number' ? actor : undefined
      }
      if ((await capabilities()).userIds !== 'string') return undefined
      const answered = await answeredFor(id)
      if (!answered) return undefined
      const uid = await numbers.numberOf(id)
      return uid === undefined ? undefined : { ...answered, uid }
    },
    opening: async (uid, open, table) => {
      // Looked up before the rest, which is then one request.
      if ((await idOf(uid)) === undefined) return undefined
      const [actor, page, record, ...common] = await Promise.all([
        user(uid),
        open !== 0 && table === undefined ? ask('page', uid, { uid: open }).catch(ofNobody) : null,
        open !== 0 && table !== undefined ? ask('record', uid, { table, uid: open }).catch(ofNobody) : null,
        capabilities(),
        languages(),
      ])
      const seen = { page: page ?? undefined, record: record ?? undefined }
      return actor && { actor, ...seen, capabilities: common[0], languages: common[1] }
    },
    languages,
    page: async (actor, uid) => (await ask('page', actor.uid, { uid })) ?? undefined,
    pageTree: (actor, query) => ask('page-tree', actor.uid, query),
    pageContent: async (actor, uid) => (await ask('page-content', actor.uid, { uid })) ?? undefined,
    tables: (actor) => ask('tables', actor.uid, {}),
    search: (actor, query) => ask('search', actor.uid, query),
    list: async (actor, query) => (await ask('list', actor.uid, query)) ?? undefined,
    record: async (actor, table, uid) => (await ask('record', actor.uid, { table, uid })) ?? undefined,
    picture: async (actor, table, uid) => {
      const picture = (await ask('picture', actor.uid, { table, uid })) ?? undefined
      if (picture?.state !== 'there') return picture
      return { state: 'there', bytes: Buffer.from(picture.base64, 'base64') }
    },
    history: async (actor, table, uid, limit) =>
      (await ask('history', actor.uid, { table, uid, limit })) ?? undefined,
    log: (actor, query) => ask('log', actor.uid, query),
    exception: async (actor, index) => (await ask('exception', actor.uid, { index })) ?? undefined,
    users: (actor) => ask('users', actor.uid, {}),
    facts: (actor) => ask('facts', actor.uid, {}),
    preview: (actor, write, earlier) => ask('preview', actor.uid, { write, earlier }),
    write: (actor, write, settings) => ask('write', actor.uid, { write, ...settings }),
    settle: (actor, key) => ask('settle', actor.uid, { key }),
    changesOf: (actor, runId) => ask('changes-of', actor.uid, { runId }),
    undo: (actor, runId, now, only) => ask('undo', actor.uid, { runId, now, ...(only && { only }) }),
  }
}

/** The answer in the shape that the operation has. Throws CmsFailure for any other. */
export function read<K extends Operation>({ url }: Line, operation: K, result: unknown): Output<K> {
  const { success, data, error } = operations[operation].output.safeParse(result)
  if (success) return data as Output<K>
  const { path = [], message = '' } = error.issues[0] ?? {}
  const where = path.map(String).join('.') || 'the whole answer'
  throw misconfigured(`The CMS at ${url} answers ${operation} in another shape: ${where}: ${message}`)
}

/** A user who is gone sees no page and no record; whether they are gone, the answer to `user` says. */
function ofNobody(error: unknown): null {
  if (error instanceof VisibleError && error.code === 'access.denied') return null
  throw error
}

/** Remembers answers with their time. An answer that is undefined or failed is asked for again. */
function kept<Key, Value>() {
  const answers = new Map<Key, { at: number; value: Value }>()
  return async (key: Key, maxAgeMs: number, load: () => Promise<Value | undefined>) => {
    const known = answers.get(key)
    const now = Date.now()
    if (known && now - known.at < maxAgeMs) return known.value
    const value = await load()
    answers.delete(key)
    if (value === undefined) return undefined
    answers.set(key, { at: now, value })
    for (const oldest of answers.size > mostUsers ? answers.keys() : []) {
      answers.delete(oldest)
      break
    }
    return value
  }
}
