import type { Actor } from '../../base/actor.ts'
import { VisibleError } from '../../base/error.ts'
import type { Capabilities } from '../capabilities.ts'
import { askedBy, type Cms } from '../cms.ts'
import { type Input, isAlone, type Operation, type Output, operations } from '../operation.ts'
import type { Language } from '../schema.ts'
import { isGiven, type UserId, type UserNumbers, userIdIn } from '../user-number/schema.ts'
import * as UserNumber from '../user-number/user-number.ts'
import { gatherer } from './gather.ts'
import { ask as askAlone, checked, type Line, misconfigured } from './line.ts'

/** How long answers that are the same for all users are kept, in milliseconds. */
const keptMs = 60_000
/** Most users that a process keeps. */
const mostUsers = 1_000

/**
 * A connected CMS, over the bridge. The CMS acts as the user whom the request names and decides by its own rights, at
 * the moment of the act. Calls made at the same time for one user become one request. Throws CmsFailure if the CMS
 * does not answer in three attempts or its set-up is wrong. If the ids of users are texts, `numbers` has the number
 * of each in the stage; the CMS gets only its own ids.
 */
export function bridge(options: Line, numbers: UserNumbers = UserNumber): Cms {
  const line = checked(options)
  const gather = gatherer(line)
  const askAs = async <K extends Operation>(
    operation: K,
    user: UserId | 0,
    input: Input<K>,
  ): Promise<Output<K>> => {
    const result = isAlone(operation, input)
      ? await askAlone(line, operation, user, input)
      : await gather(user, operation, input)
    return read(line, operation, result)
  }
  const texts = kept<number, string>()
  /** Maps a user's number to the CMS's id; undefined if that id was erased. */
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
  // Asked in the user's own name, so that it joins the other calls for this user in one request.
  const answeredFor = async (id: UserId) => {
    const answered = await askAs('user', id, { uid: id })
    // A CMS whose ids became texts, or numbers, has no user with an id of the other kind.
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
      // Looked up before the other calls, which then share one request.
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
    ...askedBy(
      async (operation, actor, question) =>
        (await ask(operation, actor.uid, question as Input<typeof operation>)) ?? undefined,
    ),
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
