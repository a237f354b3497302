import { randomBytes } from 'node:crypto'
import { flag, item, number, type Of, optional, text } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { isSameSecret, sha256 } from '../../base/hash.ts'
import * as Token from './token.ts'

/**
 * The longest lifetime of a session, in milliseconds. A session is a row that stores only the token's hash. Logout
 * removes the row and so ends the session everywhere at once.
 */
export const absoluteMs = 12 * 60 * 60_000
/** The time without a request after which a session ends, in milliseconds; polls do not count. */
export const idleMs = 2 * 60 * 60_000
/** The minimum time between two writes of a session's last use, in milliseconds; it saves writes. */
const touchMs = 5 * 60_000

/** The stored form of a session; times in milliseconds since the epoch. */
export const codec = item('session', 1, {
  uid: number('uid'),
  sid: text('sid'),
  tokenHash: text('token_hash'),
  createdAt: number('created_at'),
  usedAt: number('used_at'),
  until: optional(number('until')),
  /** True if a page or server of a connected CMS holds the token, and no cookie does. */
  isElsewhere: flag('elsewhere', false),
})

export type Session = Of<typeof codec.fields>

/** Returns the table key of a session. */
export function key({ uid, sid }: Token.SessionName): Table.Key {
  return { pk: `session#${uid}#${sid}`, sk: 'session' }
}

/**
 * Starts a session of the user that lasts `lastsMs` at most. Only this answer contains the token; the table stores its
 * hash.
 */
export async function start(
  uid: number,
  now: number,
  lastsMs = absoluteMs,
  isElsewhere = false,
): Promise<{ sid: string; token: string; csrfToken: string }> {
  const sid = randomBytes(16).toString('hex')
  const token = Token.sign({ uid, sid })
  await Table.put({
    ...key({ uid, sid }),
    ...codec.encode({
      uid,
      sid,
      tokenHash: sha256(token),
      createdAt: now,
      usedAt: now,
      until: now + lastsMs,
      isElsewhere,
    }),
    ...Table.expiresAt(now + lastsMs),
  })
  return { sid, token, csrfToken: Token.csrf(sid) }
}

/** Returns the session in a row; undefined unless it belongs to the token and is valid at `now`. */
export function check(row: Table.Row | undefined, token: string, now: number): Session | undefined {
  if (!row) return undefined
  const { value: session, unread } = codec.read(row)
  // A damaged row ends the session, so its user logs in again.
  if (Object.keys(unread).length > 0) return undefined
  if (!isSameSecret(session.tokenHash, sha256(token))) return undefined
  const { until = session.createdAt + absoluteMs } = session
  if (now >= until || now >= session.usedAt + idleMs) return undefined
  return session
}

/** Returns the session of a token; undefined unless it is valid at `now`. */
export async function find(token: string, now: number): Promise<Session | undefined> {
  const name = Token.verify(token)
  return name && check(await Table.get(key(name)), token, now)
}

/** Stores the time of use, at most every five minutes. A session that ended meanwhile stays ended. */
export async function touch(session: Session, now: number): Promise<void> {
  if (now - session.usedAt < touchMs) return
  await Table.assign(key(session), { set: { used_at: now }, condition: 'attribute_exists(pk)' })
}

/** Ends the session at once. */
export async function end(session: Token.SessionName): Promise<void> {
  await Table.remove(key(session))
}
