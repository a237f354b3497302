import { SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { hash } from '../canonical.ts'
import { isPersonal } from '../connection/grant.ts'
import { NotConnected } from '../connection/token.ts'
import type { McpServer } from '../settings/schema.ts'
import { type Asker, connect } from './connect.ts'
import { definitionOf, type Listed, plain } from './definition.ts'
import { remember } from './seen.ts'

/** How long a list is used that its server gives no time for, and the longest that a server's own time counts. */
const usualMs = 60_000
const longestMs = 300_000
/** A server that did not answer is not asked again for so long: a turn in between does without its tools. */
const downMs = 30_000
/** A turn waits at most this long for a list. */
const listTimeoutMs = 5_000
/** The most tools of a server that are looked at, and the most lists that a process keeps. */
const maxTools = 500
const maxKept = 500

let kept: Map<string, { listed: Listed; until: number }> | undefined

/**
 * The tools of a server, from memory as long as the protocol allows it. Never rejects: a server that is down
 * costs a turn nothing but its tools. `fresh` asks the server whatever is in memory.
 */
export async function listingOf(server: McpServer, asker: Asker, fresh = false): Promise<Listed> {
  kept ??= new Map()
  const key = hash([server, isPersonal(server) ? [asker.uid, asker.since ?? null] : null])
  const known = kept.get(key)
  if (!fresh && known && asker.now < known.until) return known.listed
  const { listed, lifeMs, isOfUser = false } = await ask(server, asker)
  if (kept.size >= maxKept) kept.clear()
  kept.set(key, { listed, until: asker.now + lifeMs })
  // That one user has no grant says nothing of the server.
  if (!isOfUser) await remember(server.name, listed, asker.now)
  return listed
}

/** Forgets every list; for a process whose stage, or whose servers, have changed. */
export function forgetListings(): void {
  kept = undefined
}

/** The answer of a server, and for how long it counts; `isOfUser` where the grant of the user is what was wrong. */
type Asked = { listed: Listed; lifeMs: number; isOfUser?: boolean }

async function ask(server: McpServer, asker: Asker): Promise<Asked> {
  const timeout = Math.min(server.timeoutMs, listTimeoutMs)
  try {
    const client = await connect(server, asker, timeout)
    try {
      const signal = AbortSignal.timeout(timeout)
      const { tools, ttlMs } = await client.listTools(undefined, {
        timeout,
        maxTotalTimeout: timeout,
        signal,
      })
      const { title, name } = client.getServerVersion() ?? {}
      const listing = {
        title: plain(title ?? name ?? server.name, 60),
        tools: tools.slice(0, maxTools).map(definitionOf),
      }
      const lifeMs = typeof ttlMs === 'number' ? Math.min(Math.max(ttlMs, 0), longestMs) : usualMs
      return { listed: { listing }, lifeMs }
    } finally {
      await client.close()
    }
  } catch (error) {
    const failure = error instanceof Error ? plain(error.message, 300) : 'unknown'
    return { listed: { failure }, lifeMs: downMs, isOfUser: isPersonal(server) && isUnauthorized(error) }
  }
}

/** Whether the server, or the chat before it, has refused who asks. */
export function isUnauthorized(error: unknown): boolean {
  if (error instanceof NotConnected || error instanceof UnauthorizedError) return true
  return error instanceof SdkHttpError && (error.status === 401 || error.status === 403)
}
