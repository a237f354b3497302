import { randomBytes } from 'node:crypto'
import * as Table from '../../base/aws/table.ts'
import { sha256 } from '../../base/hash.ts'
import * as Session from './session.ts'
import type { SessionName } from './token.ts'

/**
 * Manages the sessions that began by exchange, by user and CMS session: a logout in the CMS also ends them. The table
 * stores only a hash of the CMS session's name.
 */
const partitionOf = (uid: number) => `exchanged#${uid}`
const unnamed = '-'

/** The time for which the stage rejects older statements of an ended CMS session, in milliseconds. */
const endedMs = Session.absoluteMs

/** The lifetime of a session in a page of another site, in milliseconds; the page renews it with a new statement. */
export const embeddedMs = 15 * 60_000

/** Returns the stored name of a CMS session; sessions without one share a name. */
export const storedName = (cmsSession: string | undefined): string =>
  cmsSession === undefined ? unnamed : sha256(cmsSession)

/**
 * Starts a session of the user for `lastsMs`; `of` is the stored name of its CMS session. With `isElsewhere`, its token
 * is for a connected CMS, not for a cookie. Returns undefined if the CMS has ended its own session, even at the same
 * moment.
 */
export async function start(uid: number, of: string, lastsMs: number, now: number, isElsewhere = false) {
  const started = await Session.start(uid, now, lastsMs, isElsewhere)
  const pk = partitionOf(uid)
  await Table.put({ pk, sk: `${of}#${started.sid}`, ...Table.expiresAt(now + lastsMs) })
  // `end` writes its mark before it looks for sessions. Either `end` finds this session, or this check finds the mark.
  const isEnded = of !== unnamed && (await Table.get({ pk, sk: `ended#${of}` })) !== undefined
  if (!isEnded) return started
  await Session.end({ uid, sid: started.sid })
  return undefined
}

/**
 * Ends the user's sessions that belong to a CMS session; all exchanged sessions if no CMS session is given. Returns
 * true if it ended any.
 */
export async function end(uid: number, cmsSession: string | undefined, now: number): Promise<boolean> {
  const pk = partitionOf(uid)
  const of = cmsSession === undefined ? undefined : sha256(cmsSession)
  if (of) await Table.put({ pk, sk: `ended#${of}`, ...Table.expiresAt(now + endedMs) })
  const rows = await Table.below({ pk, sk: of ? `${of}#` : '' })
  const keys = rows.map(({ sk }) => String(sk)).filter((sk) => !sk.startsWith('ended#'))
  await Promise.all(keys.map((sk) => Session.end({ uid, sid: sk.slice(sk.indexOf('#') + 1) })))
  await Table.removeAll(keys.map((sk) => ({ pk, sk })))
  return keys.length > 0
}

/**
 * The form of a ticket, which logs a browser in at the stage's own origin. An embedded chat keeps its session in the
 * memory of its page. The consent page of OAuth is another page, and needs a session of its own.
 */
const ticketForm = /^([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{32})$/
const key = (uid: number, word: string): Table.Key => ({ pk: `user#${uid}`, sk: `ticket#${sha256(word)}` })

/** The lifetime of a ticket, in milliseconds. */
const ticketMs = 60_000
/** The lifetime of the session that a ticket starts, in milliseconds. */
export const enteredMs = 10 * 60_000

/**
 * Returns a ticket for the user of a session, valid once within a minute; the table stores only its hash. Its session
 * ends with the same session of the CMS.
 */
export async function issue({ uid, sid }: SessionName, now: number): Promise<string> {
  const word = randomBytes(24).toString('base64url')
  const names = (await Table.below({ pk: partitionOf(uid), sk: '' })).map(({ sk }) => String(sk).split('#'))
  const [of = unnamed] = names.find(([, own]) => own === sid) ?? []
  await Table.put({ ...key(uid, word), cms_session: of, ...Table.expiresAt(now + ticketMs) })
  return `${uid}.${word}`
}

/**
 * Starts the session of a ticket, and returns its user and token; undefined if the ticket is unknown, used or expired.
 */
export async function enter(ticket: string, now: number) {
  const [, owner = '', word = ''] = ticketForm.exec(ticket) ?? []
  const uid = Number(owner)
  const { cms_session: of = unnamed } = (await Table.get(key(uid, word))) ?? {}
  const isGood = { condition: 'expires_at > :now', values: { ':now': now / 1000 } }
  const isTaken = await Table.writeOnce(Table.removeWrite(key(uid, word), isGood))
  const started = isTaken ? await start(uid, String(of), enteredMs, now) : undefined
  return started && { uid, token: started.token }
}
