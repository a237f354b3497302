import { createHash } from 'node:crypto'
import * as Table from '../aws/table.ts'
import * as Session from './session.ts'

/**
 * Sessions that began by exchange, by their user and the session of the CMS that they belong to, so that a logout there
 * ends them here. Its name is kept only as a hash.
 */
const partition = (uid: number) => `exchanged#${uid}`
const named = (cmsSession: string) => createHash('sha256').update(cmsSession).digest('hex')
const unnamed = '-'

/** A session of the CMS ends for good: a statement that was made before is refused for so long, in milliseconds. */
const endedMs = Session.absoluteMs

/** How long the session of a page of another site lasts, in milliseconds; the page renews it by another statement. */
export const embeddedMs = 15 * 60_000

/**
 * Starts a session of the user for as long as `lastsMs` says. Undefined where the CMS has ended the session that it
 * belongs to, also at the same moment.
 */
export async function start(
  uid: number,
  cmsSession: string | undefined,
  lastsMs: number,
  now: number,
): Promise<Awaited<ReturnType<typeof Session.start>> | undefined> {
  const of = cmsSession === undefined ? unnamed : named(cmsSession)
  const started = await Session.start(uid, now, lastsMs)
  const pk = partition(uid)
  await Table.put({ pk, sk: `${of}#${started.sid}`, expires_at: Math.ceil((now + lastsMs) / 1000) })
  // The mark of the end is put before the sessions are looked for: one of both sides sees the other.
  const isEnded = of !== unnamed && (await Table.get({ pk, sk: `ended#${of}` })) !== undefined
  if (!isEnded) return started
  await Session.end({ uid, sid: started.sid })
  return undefined
}

/** Ends the sessions of the user that belong to a session of the CMS; all that began by exchange where none is named. */
export async function end(uid: number, cmsSession: string | undefined, now: number): Promise<void> {
  const pk = partition(uid)
  const of = cmsSession === undefined ? undefined : named(cmsSession)
  if (of) await Table.put({ pk, sk: `ended#${of}`, expires_at: Math.ceil((now + endedMs) / 1000) })
  const rows = await Table.all({
    KeyConditionExpression: of ? 'pk = :pk AND begins_with(sk, :of)' : 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk, ...(of && { ':of': `${of}#` }) },
  })
  const keys = rows.map(({ sk }) => String(sk)).filter((sk) => !sk.startsWith('ended#'))
  await Promise.all(keys.map((sk) => Session.end({ uid, sid: sk.slice(sk.indexOf('#') + 1) })))
  await Table.removeAll(keys.map((sk) => ({ pk, sk })))
}
