import type { Actor } from '../../base/actor.ts'
import { ToolError, VisibleError } from '../../base/error.ts'
import { askedBy, type Cms } from '../cms.ts'
import {
  BatchAnswer,
  type Input,
  isAlone,
  maxCalls,
  type Operation,
  type Output,
  operations,
} from '../operation.ts'
import { isGiven, type UserId, type UserNumbers, userIdIn } from '../user-number/schema.ts'
import * as UserNumber from '../user-number/user-number.ts'
import { ask as askAlone, checked, type Line, misconfigured, refused, TooLarge } from './line.ts'

/** Answers that are the same for all users are cached this long, in milliseconds. */
const keptMs = 60_000
/** The number of users that a process caches. */
const mostUsers = 1_000

/**
 * Returns a CMS that is connected over the bridge. The CMS acts as the user whom the request names, with that user's
 * current rights. Calls for one user at the same time become one request. Throws CmsFailure if the CMS does not answer
 * in three attempts or its set-up is wrong. If user ids are texts, `numbers` maps them to the numbers of the stage; the
 * CMS only gets its own ids.
 */
export function bridge(options: Line, numbers: UserNumbers = UserNumber): Cms {
  const { ask, idOf, answeredFor, user, capabilities, languages } = asking(checked(options), numbers)
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
      const answered = (await capabilities()).userIds === 'string' ? await answeredFor(id) : undefined
      const uid = answered && (await numbers.numberOf(id))
      return answered && uid !== undefined ? { ...answered, uid } : undefined
    },
    opening: async (uid, open, table) => {
      // Looks up the user's id first, so that the other calls share one request.
      if ((await idOf(uid)) === undefined) return undefined
      const [actor, page, record, ownCapabilities, ownLanguages] = await Promise.all([
        user(uid),
        open !== 0 && table === undefined ? ask('page', uid, { uid: open }).catch(skipOpen) : null,
        open !== 0 && table !== undefined ? ask('record', uid, { table, uid: open }).catch(skipOpen) : null,
        capabilities(),
        languages(),
      ])
      const seen = { page: page ?? undefined, record: record ?? undefined }
      return actor && { actor, ...seen, capabilities: ownCapabilities, languages: ownLanguages }
    },
    languages,
    ...askedBy(
      async (operation, actor, question) =>
        (await ask(operation, actor.uid, question as Input<typeof operation>)) ?? undefined,
    ),
  }
}

/** Returns the functions that ask one CMS, with a cache of its answers. */
function asking(line: Line, numbers: UserNumbers) {
  const gather = gatherer(line)
  const texts = cached<number, string>()
  const users = cached<number, Actor>()
  const common = cached<string, unknown>()
  async function askAs<K extends Operation>(operation: K, user: UserId | 0, input: Input<K>) {
    const askNow = isAlone(operation, input) ? askAlone.bind(null, line) : gather
    return read(line, operation, await askNow(operation, user, input))
  }
  /** Maps a user's number to the CMS's id; undefined if that id was erased. */
  async function idOf(uid: number): Promise<UserId | undefined> {
    return isGiven(uid) ? texts(uid, Number.POSITIVE_INFINITY, () => numbers.textOf(uid)) : uid
  }
  async function ask<K extends Operation>(operation: K, uid: number, input: Input<K>) {
    const user = await idOf(uid)
    if (user === undefined) throw new VisibleError('access.denied')
    return askAs(operation, user, input)
  }
  /** Asks as this user, so that the call joins the user's other calls in one request. */
  async function answeredFor(id: UserId) {
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
  const capabilities = () =>
    common('capabilities', keptMs, () => ask('capabilities', 0, {})) as Promise<Output<'capabilities'>>
  const languages = () =>
    common('languages', keptMs, () => ask('languages', 0, {})) as Promise<Output<'languages'>>
  return { ask, idOf, answeredFor, user, capabilities, languages }
}

/** Checks the shape of an answer. Throws CmsFailure for any other shape. */
export function read<K extends Operation>({ url }: Line, operation: K, result: unknown): Output<K> {
  const { success, data, error } = operations[operation].output.safeParse(result)
  if (success) return data as Output<K>
  const { path = [], message = '' } = error.issues[0] ?? {}
  const where = path.map(String).join('.') || 'the whole answer'
  throw misconfigured(`The CMS at ${url} answers ${operation} in another shape: ${where}: ${message}`)
}

/**
 * Returns null if the CMS refuses the open record, which may be too large for an answer, or if the acting user is gone,
 * which the answer to `user` already says. Throws any other error again.
 */
function skipOpen(error: unknown): null {
  if (error instanceof ToolError || (error instanceof VisibleError && error.code === 'access.denied'))
    return null
  throw error
}

/** Caches answers with their time. Asks again after an undefined answer or a failure. */
function cached<Key, Value>() {
  const answers = new Map<Key, { at: number; value: Value }>()
  return async (key: Key, maxAgeMs: number, load: () => Promise<Value | undefined>) => {
    const known = answers.get(key)
    const now = Date.now()
    if (known && now - known.at < maxAgeMs) return known.value
    const value = await load()
    answers.delete(key)
    if (value === undefined) return undefined
    answers.set(key, { at: now, value })
    const [oldest] = answers.keys()
    if (answers.size > mostUsers && oldest !== undefined) answers.delete(oldest)
    return value
  }
}

/** A call that waits until its request is sent. */
type Waiting = {
  operation: string
  user: UserId
  input: unknown
  done(result: unknown): void
  failed(error: unknown): void
}

/** Collects calls. Calls that are made for one user at the same time become one request. */
function gatherer(line: Line) {
  let waiting: Waiting[] = []
  const sendAll = () => {
    // Calls without an acting user join the request of a user.
    const { user: some = 0 } = waiting.find(({ user }) => user !== 0) ?? {}
    const byUser = Map.groupBy(waiting, ({ user }) => (user === 0 ? some : user))
    waiting = []
    for (const [user, calls] of byUser)
      for (let at = 0; at < calls.length; at += maxCalls)
        void send(line, user, calls.slice(at, at + maxCalls))
  }
  return (operation: string, user: UserId | 0, input: unknown): Promise<unknown> =>
    new Promise((done, failed) => {
      // A caller makes all its parallel calls before `setImmediate` runs, so that they become one batch.
      if (waiting.length === 0) setImmediate(sendAll)
      waiting.push({ operation, user, input, done, failed })
    })
}

async function send(line: Line, user: UserId, calls: Waiting[]): Promise<void> {
  const alone = () => {
    for (const { operation, input, done, failed } of calls)
      void askAlone(line, operation, user, input).then(done, failed)
  }
  if (calls.length === 1) return alone()
  try {
    const asked = calls.map(({ operation, input }) => ({ operation, input }))
    const answer = await askAlone(line, 'batch', user, { calls: asked })
    const { data } = BatchAnswer.safeParse({ result: answer })
    if (data?.result.length !== calls.length)
      throw misconfigured(`The CMS at ${line.url} answers a batch in another shape than the bridge has.`)
    for (const [at, { operation, done, failed }] of calls.entries()) {
      const answered = data.result[at]
      if (answered && 'error' in answered) failed(refused(operation, answered))
      else done(answered?.result)
    }
  } catch (error) {
    if (error instanceof TooLarge) return alone()
    for (const call of calls) call.failed(error)
  }
}
