import type { Actor } from '../../actor.ts'
import { VisibleError } from '../../error.ts'
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
 * does not answer in three attempts or is not set up as it has to be.
 */
export function bridge(options: Line): Cms {
  const line = checked(options)
  const gather = gatherer(line)
  const ask = async <K extends Operation>(
    operation: K,
    user: number,
    input: Input<K>,
  ): Promise<Output<K>> => {
    const result = alone.has(operation)
      ? await askAlone(line, operation, user, input)
      : await gather(user, operation, input)
    return read(line, operation, result)
  }
  const users = kept<number, Actor>()
  const common = kept<string, Capabilities | Language[]>()
  const capabilities = () =>
    common('capabilities', keptMs, () => ask('capabilities', 0, {})) as Promise<Capabilities>
  const languages = () => common('languages', keptMs, () => ask('languages', 0, {})) as Promise<Language[]>
  // Asked in the user's own name, so that it travels with what is asked for them.
  const user = (uid: number, maxAgeMs = 0) =>
    users(uid, maxAgeMs, async () => (await ask('user', uid, { uid })) ?? undefined)
  return {
    capabilities,
    user,
    opening: async (uid, open) => {
      const [actor, page, ...common] = await Promise.all([
        user(uid),
        open !== 0 ? ask('page', uid, { uid: open }).catch(ofNobody) : null,
        capabilities(),
        languages(),
      ])
      return actor && { actor, page: page ?? undefined, capabilities: common[0], languages: common[1] }
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

/** A user who is gone sees no page; whether they are gone, the answer to `user` says. */
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
