import { SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { hash } from '../../base/hash.ts'
import { jsonBytes } from '../../base/json.ts'
import type { McpServer } from '../../stage/settings/server.ts'
import { isPersonal, type PersonalServer } from '../../user/connection/grant.ts'
import { NotConnected } from '../../user/connection/user-token.ts'
import { type Asker, connect, hangUp, type Session, sessionOf } from './connect.ts'
import { definitionOf, type Listed, plain } from './definition.ts'
import { remember } from './review.ts'

/** The usual lifetime of a list, and the longest lifetime that a server can give, in milliseconds. */
const usualMs = 60_000
const longestMs = 300_000
/**
 * The time for which the chat does not ask a failed server again, in milliseconds; turns in this time lack its tools.
 */
const downMs = 30_000
/** The longest wait of a turn for a list that is not cached, in milliseconds. */
const listTimeoutMs = 5_000
/**
 * The maximum number of tools that are read from one server, and of bytes of a name in JSON. One row of the table has
 * the names of all tools. A tool with a longer name is left out.
 */
const maxTools = 500
const maxNameBytes = 256
/** The maximum number of lists that a process caches. */
const maxKept = 500

let kept: Map<string, { listed: Listed; until: number }> | undefined

/**
 * Returns the tools of a server, from a cache for as long as the protocol allows. Never rejects: without the server, a
 * turn only lacks its tools. `fresh` bypasses the cache, with the timeout of a call. Uses the given session of the
 * turn, or a session of its own.
 */
export async function listingOf(
  server: McpServer,
  asker: Asker,
  fresh = false,
  session?: Session,
): Promise<Listed> {
  kept ??= new Map()
  const key = hash([server, isPersonal(server) ? [asker.uid, asker.since ?? null] : null])
  const known = kept.get(key)
  if (!fresh && known && asker.now < known.until) return known.listed
  const timeout = fresh ? server.timeoutMs : Math.min(server.timeoutMs, listTimeoutMs)
  const { listed, lifeMs, isOfUser } = await ask(server, asker, timeout, session)
  // Another turn may have heard from the server while this one waited.
  if (listed.failure !== undefined && kept.get(key) !== known) return listed
  if (kept.size >= maxKept) kept.clear()
  kept.set(key, { listed, until: asker.now + lifeMs })
  // A failure that the user's grant caused says nothing about the server, so it is not stored.
  if (!isOfUser) await remember(server.name, listed, asker.now)
  return listed
}

/** Clears the cache of lists, for a process whose stage or servers have changed. */
export function forgetListings(): void {
  kept = undefined
}

/** A server's answer and its lifetime in milliseconds; `isOfUser` is true if the user's grant caused the failure. */
type Asked = { listed: Listed; lifeMs: number; isOfUser?: boolean }

async function ask(
  server: McpServer,
  asker: Asker,
  timeout: number,
  shared: Session | undefined,
): Promise<Asked> {
  const session = shared ?? sessionOf(server, () => asker)
  try {
    const client = await session.client(timeout)
    const { tools, ttlMs } = await client.listTools(undefined, {
      timeout,
      maxTotalTimeout: timeout,
      signal: AbortSignal.timeout(timeout),
      cacheMode: 'refresh',
    })
    const { title, name } = client.getServerVersion() ?? {}
    const named = tools.filter(({ name }) => jsonBytes(name) <= maxNameBytes)
    // The API of a model refuses a request that has a tool twice.
    const definitions = new Map(named.slice(0, maxTools).map((tool) => [tool.name, definitionOf(tool)]))
    const listing = { title: plain(title ?? name ?? server.name, 60), tools: [...definitions.values()] }
    const lifeMs = typeof ttlMs === 'number' ? Math.min(Math.max(ttlMs, 0), longestMs) : usualMs
    return { listed: { listing }, lifeMs }
  } catch (error) {
    session.drop()
    const failure = error instanceof Error ? plain(error.message, 300) : 'unknown'
    return { listed: { failure }, lifeMs: downMs, isOfUser: isPersonal(server) && isUnauthorized(error) }
  } finally {
    if (!shared) await session.end()
  }
}

/** Returns true if the server refused the user, or if the chat itself refused the user before the request. */
export function isUnauthorized(error: unknown): boolean {
  if (error instanceof NotConnected || error instanceof UnauthorizedError) return true
  return error instanceof SdkHttpError && (error.status === 401 || error.status === 403)
}

/** The timeout of the server's check of a token, in milliseconds. */
const patienceMs = 5_000

/** Returns true if the server rejects the token; false if the server does not answer. */
export async function isRefused(server: PersonalServer, asker: Asker, token: string): Promise<boolean> {
  try {
    const client = await connect(server, asker, patienceMs, { token: async () => token })
    try {
      await client.listTools(undefined, { timeout: patienceMs, maxTotalTimeout: patienceMs })
    } finally {
      await hangUp(client)
    }
    return false
  } catch (error) {
    return isUnauthorized(error)
  }
}
