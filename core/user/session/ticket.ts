import { randomBytes } from 'node:crypto'
import type { Actor } from '../../base/actor.ts'
import * as Table from '../../base/aws/table.ts'
import { sha256 } from '../../base/hash.ts'
import * as Exchanged from './exchanged.ts'

/**
 * Tickets with which a browser enters the stage's own origin. The session of a chat within a connected CMS is in the
 * memory of that page; the consent page of OAuth is none of its pages, and needs a session of its own.
 */
const form = /^([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{32})$/
const key = (uid: number, word: string): Table.Key => ({ pk: `user#${uid}`, sk: `ticket#${sha256(word)}` })

/** The life of a ticket, in milliseconds. */
const ticketMs = 60_000
/** The life of the session that a ticket begins, in milliseconds. */
export const enteredMs = 10 * 60_000

/** A ticket of the user, good for once within a minute; only its hash is stored. */
export async function issue({ uid }: Pick<Actor, 'uid'>, now: number): Promise<string> {
  const word = randomBytes(24).toString('base64url')
  const until = Math.ceil((now + ticketMs) / 1000)
  await Table.put({ ...key(uid, word), expires_at: until })
  return `${uid}.${word}`
}

/** Begins the session of a ticket; undefined if the ticket is not good, or not any more. */
export async function enter(
  ticket: string,
  now: number,
): Promise<{ uid: number; token: string } | undefined> {
  const [, owner = '', word = ''] = form.exec(ticket) ?? []
  const uid = Number(owner)
  const isTaken = await Table.remove(key(uid, word), {
    condition: 'expires_at > :now',
    values: { ':now': now / 1000 },
  })
  const started = isTaken ? await Exchanged.start(uid, undefined, enteredMs, now) : undefined
  return started && { uid, token: started.token }
}
