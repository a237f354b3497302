import { isIPv6 } from 'node:net'
import * as z from 'zod'
import type { Actor } from '../../base/actor.ts'
import * as Table from '../../base/aws/table.ts'
import type { Clock } from '../../base/clock.ts'
import { VisibleError } from '../../base/error.ts'
import { sha256 } from '../../base/hash.ts'
import type { Credentials } from './schema.ts'
import * as Session from './session.ts'

/** Returns the CMS user with this name and password; undefined if they are wrong or the user may not log in now. */
export type Authenticate = (username: string, password: string, now: number) => Promise<Actor | undefined>

/** A session that has just begun; only this answer contains the token. */
export type Started = { user: Actor; token: string; csrfToken: string }

/**
 * Starts a session for a name and its password. Rejects with `login.failed`, without a reason, and with
 * `login.throttled` after too many failures, even for the right password.
 */
export async function login(
  authenticate: Authenticate,
  { username, password }: Credentials,
  address: string,
  clock: Clock,
): Promise<Started> {
  const taken = await takeAttempts(username, network(address), clock)
  const now = clock.now()
  const user = await authenticate(username, password, now).catch(async (error: unknown) => {
    // The CMS could not check the password, so the attempt does not count.
    await Promise.all(taken.map(giveBack))
    throw error
  })
  if (!user) {
    await Promise.all(taken.map(countFailure))
    throw new VisibleError('login.failed')
  }
  const [ofUser, ofAddress] = taken
  await Promise.all([Table.remove(ofUser.key, sameWindow(ofUser)), giveBack(ofAddress)])
  const { token, csrfToken } = await Session.start(user.uid, now)
  return { user, token, csrfToken }
}

/**
 * The window in which failed logins are limited, in milliseconds from the first attempt. The limits are 10 failures per
 * user and address, and 50 per address. An attempt is counted before the password check, so that parallel guesses
 * cannot pass the limit. While an attempt is undecided, others wait a moment instead of being refused.
 */
export const windowMs = 15 * 60_000
/** The failures in the window after which a login is throttled: of a user from one address, and of one address. */
export const loginLimits = { user: 10, address: 50 } as const
/** A login attempt waits at most this long for attempts that are not decided yet, in milliseconds. */
const slotWaitMs = 5_000

const Row = z.object({ taken: z.number(), failures: z.number(), until: z.number() })
type Row = z.infer<typeof Row>
/** An attempt that is counted in the window that ends at `until`. */
type Slot = { key: Table.Key; until: number }

/**
 * Counts an attempt for the user in this network and for the network. Rejects with `login.throttled` and the time to
 * wait, whether or not the password is right.
 */
async function takeAttempts(username: string, source: string, clock: Clock): Promise<[Slot, Slot]> {
  const user = await takeAttempt('user', `${fold(username)} ${source}`, clock)
  try {
    return [user, await takeAttempt('address', source, clock)]
  } catch (error) {
    await giveBack(user)
    throw error
  }
}

/**
 * Reduces an address to the network that the limits count. The network is an IPv4 address (also in IPv6 notation) or
 * the /64 of an IPv6 address. One household can use every address of its /64.
 */
export function network(address: string): string {
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return address
  // The URL parser normalizes every notation of an address; its last 32 bits are two groups.
  const parts = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const [before = [], after] = parts.map((part) => part.split(':').filter(Boolean))
  const zeros = after ? 8 - before.length - after.length : 0
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...(after ?? [])]
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff'
  if (!isMapped) return `${groups.slice(0, 4).join(':')}::/64`
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 255])
    .join('.')
}

const fold = (username: string) => username.normalize('NFKC').trim().toLowerCase()

async function takeAttempt(kind: keyof typeof loginLimits, subject: string, clock: Clock): Promise<Slot> {
  // The key contains only a hash, because people type passwords and texts of any length into the name field.
  const key = { pk: `login#${kind}#${sha256(subject)}`, sk: 'throttle' }
  const limit = loginLimits[kind]
  const giveUpAt = clock.now() + slotWaitMs
  for (;;) {
    const now = clock.now()
    const until = (await takeOne(key, limit, now)) ?? (await openWindow(key, now))
    if (until) return { key, until }
    const row = await Table.get(key)
    if (!row) continue
    const { failures, until: end } = Row.parse(row)
    if (end <= now) continue
    if (failures >= limit || now >= giveUpAt)
      throw new VisibleError('login.throttled', { retryAfterMs: end - now })
    await clock.sleep(20 + Math.random() * 60)
  }
}

async function takeOne(key: Table.Key, limit: number, now: number): Promise<number | undefined> {
  const row = await Table.assigned(key, {
    add: { taken: 1 },
    condition: '#until > :now AND #taken < :limit',
    values: { ':now': now, ':limit': limit },
  })
  return row && Row.parse(row).until
}

async function openWindow(key: Table.Key, now: number): Promise<number | undefined> {
  const row: Row = { taken: 1, failures: 0, until: now + windowMs }
  const condition = 'attribute_not_exists(pk) OR #until <= :now'
  const isOpened = await Table.put(
    { ...key, ...row, ...Table.expiresAt(row.until) },
    { condition, values: { ':now': now } },
  )
  return isOpened ? row.until : undefined
}

const countFailure = (taken: Slot): Promise<boolean> =>
  Table.assign(taken.key, { add: { failures: 1 }, ...sameWindow(taken) })

const giveBack = (taken: Slot): Promise<boolean> =>
  Table.assign(taken.key, { add: { taken: -1 }, ...sameWindow(taken) })

/** Limits a change to the window of the attempt: after its end, the next window counts from its own first attempt. */
const sameWindow = ({ until }: Slot) => ({
  condition: '#until = :until',
  values: { ':until': until },
})
