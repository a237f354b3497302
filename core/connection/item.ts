import { choice, item, number, type Of, optional, text, time } from '../aws/item.ts'
import type { Key } from '../aws/table.ts'
import { ConnectionState } from './schema.ts'

/**
 * The stored form of a user's grant for a server of tools, below its owner (`user#<uid>`, `connection#<server>`), so that
 * an erasure of the user finds it.
 */
export const codec = item('connection', 1, {
  server: text('server'),
  /** Address for which the grant was given: it is sent to no other. */
  url: text('url'),
  state: choice('connection_state', ConnectionState, 'ended'),
  /** The grant, encrypted; empty when it has ended. */
  sealed: text('sealed', ''),
  /** When the token ends, in milliseconds since the epoch; undefined where the server named no time. */
  until: optional(number('until')),
  since: time('since'),
  /** Goes up with every grant that is stored: who stores over another one has lost. */
  version: number('version'),
  /** A renewal that another process has begun is waited for until then, in milliseconds since the epoch. */
  renewingUntil: number('renewing_until', 0),
})

/** A user's grant for a server, its secret part encrypted. */
export type Connection = Of<typeof codec.fields>

/** Attributes that open a door: no export shows them. */
export const secretAttributes = [codec.attributes.sealed]

/** Key of a grant: below its owner. */
export const key = (uid: number, server: string): Key => ({ pk: `user#${uid}`, sk: `connection#${server}` })

/** What a grant is sealed to. */
export const placeOf = (uid: number, server: string, url: string): string => `${uid} ${server} ${url}`

/** How an attempt to get a grant is stored while the user is at the server; it goes by itself after its time. */
export const attemptCodec = item('attempt to connect', 1, {
  server: text('server'),
  sealed: text('sealed'),
  until: number('until'),
})

/** Key of an attempt: below its owner, under the hash of the word that comes back with the browser. */
export const attemptKey = (uid: number, hash: string): Key => ({
  pk: `user#${uid}`,
  sk: `connecting#${hash}`,
})

/** How long the user may take at the server of grants, in milliseconds. */
export const attemptMs = 10 * 60_000
