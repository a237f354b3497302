import { choice, item, number, type Of, optional, text, time } from '../../base/aws/item.ts'
import type { Key } from '../../base/aws/table.ts'
import { ConnectionState } from './schema.ts'

/**
 * The stored form of a user's grant for an MCP server, below its owner (`user#<uid>`, `connection#<server>`), so that
 * an erasure of the user finds it.
 */
export const codec = item('connection', 1, {
  server: text('server'),
  /** The server's address; the grant goes to no other. */
  url: text('url'),
  state: choice('connection_state', ConnectionState, 'ended'),
  /** The grant, encrypted; empty when it has ended. */
  sealed: text('sealed', ''),
  /** The token's expiry in milliseconds since the epoch; undefined if the server named none. */
  until: optional(number('until')),
  since: time('since'),
  /** Increases with every stored grant: a concurrent writer with an older version loses. */
  version: number('version'),
  /** Other processes wait until then for a renewal in progress, in milliseconds since the epoch. */
  renewingUntil: number('renewing_until', 0),
})

/** A user's grant for a server, its secret part encrypted. */
export type Connection = Of<typeof codec.fields>

/** Secret attributes: no export contains them. */
export const secretAttributes = [codec.attributes.sealed]

/** The key of a grant: below its owner. */
export const key = (uid: number, server: string): Key => ({ pk: `user#${uid}`, sk: `connection#${server}` })

/** The context that encryption binds a grant to: user, server and address. */
export const grantContext = (uid: number, server: string, url: string): string => `${uid} ${server} ${url}`

/** The stored form of an attempt to connect, while the user is at the authorization server; it expires by itself. */
export const attemptCodec = item('attempt to connect', 1, {
  server: text('server'),
  sealed: text('sealed'),
  until: number('until'),
})

/** The key of an attempt: below its owner, under the hash of the `state` that comes back with the browser. */
export const attemptKey = (uid: number, hash: string): Key => ({
  pk: `user#${uid}`,
  sk: `connecting#${hash}`,
})

/** The time that a user has to consent at the authorization server, in milliseconds. */
export const attemptMs = 10 * 60_000
