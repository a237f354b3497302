import { randomBytes } from 'node:crypto'
import type { Actor } from '../../base/actor.ts'
import * as Table from '../../base/aws/table.ts'
import { VisibleError } from '../../base/error.ts'
import { isSameSecret, sha256 } from '../../base/hash.ts'
import { type AccessToken, type CreateTokenBody, codec, key, maxTokens, type TokenView } from './schema.ts'

/**
 * Manages tokens of users' programs: tokens that users create, and tokens of OAuth grants. A token contains its owner
 * and its id, so that one read finds it. It is valid only for `POST /ai-chat/mcp`, with the owner's rights at the time
 * of the request.
 */
const tokenForm = /^aict_([1-9][0-9]{0,15})_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/

/** The time for which an expired token stays in its owner's list, in milliseconds. */
const shownMs = 30 * 86_400_000

/** Returns the tokens of a user, newest first. */
export async function list({ uid }: Pick<Actor, 'uid'>): Promise<TokenView[]> {
  const tokens = await ofUser(uid)
  return tokens.toSorted((one, other) => other.createdAt - one.createdAt).map(view)
}

/** Creates a token; only this answer contains it. Rejects with `token.tooMany`. */
export async function create(
  { uid }: Pick<Actor, 'uid'>,
  { name, days }: CreateTokenBody,
  now: number,
): Promise<{ id: string; token: string }> {
  const tooMany = new VisibleError('token.tooMany', { params: { max: maxTokens } })
  const countGood = async () => (await goodOf(uid, now)).length
  if ((await countGood()) >= maxTokens) throw tooMany
  const id = randomBytes(8).toString('hex')
  const token = `aict_${uid}_${id}_${randomBytes(32).toString('base64url')}`
  const until = now + days * 86_400_000
  await Table.put({
    ...key(uid, id),
    ...codec.encode({ ...codec.empty, id, name, tokenHash: sha256(token), createdAt: now, until }),
    ...Table.expiresAt(until + shownMs),
  })
  // Counts again after the token is stored. Of several concurrent creations, the last one sees all tokens, so together
  // they never exceed the limit.
  if ((await countGood()) > maxTokens) {
    await revoke({ uid }, id)
    throw tooMany
  }
  return { id, token }
}

/** Revokes a token at once; does nothing if the user has no token with that id. */
export async function revoke({ uid }: Pick<Actor, 'uid'>, id: string): Promise<void> {
  await Table.remove(key(uid, id))
}

/** Returns the stored token and its owner; undefined unless the token is valid at `now`. */
export async function find(
  token: string,
  now: number,
): Promise<{ uid: number; token: AccessToken } | undefined> {
  const [, owner, id = ''] = tokenForm.exec(token) ?? []
  if (owner === undefined) return undefined
  const uid = Number(owner)
  const stored = await read(uid, id)
  if (!stored || now >= (stored.accessUntil ?? stored.until)) return undefined
  return isHashOf(stored.tokenHash, token) ? { uid, token: stored } : undefined
}

/** Returns the stored token; undefined if the id is unknown or the row is damaged. A damaged row grants nothing. */
export async function read(uid: number, id: string): Promise<AccessToken | undefined> {
  const row = await Table.get(key(uid, id))
  if (!row) return undefined
  const { value, unread } = codec.read(row)
  return Object.keys(unread).length === 0 ? value : undefined
}

/** Returns true if the hash belongs to the secret; takes the same time for every secret. */
export function isHashOf(known: string | undefined, secret: string): boolean {
  return isSameSecret(known ?? '', sha256(secret))
}

/** Returns the tokens of a user that are valid at `now`, without unredeemed OAuth codes. */
export async function goodOf(uid: number, now: number): Promise<AccessToken[]> {
  return (await ofUser(uid)).filter(({ until }) => now < until)
}

async function ofUser(uid: number): Promise<AccessToken[]> {
  const rows = await Table.below(key(uid, ''))
  return rows.map(codec.decode).filter(({ challenge }) => challenge === undefined)
}

const at = (time: number) => new Date(time).toISOString()

function view({ id, name, host, createdAt, usedAt, until }: AccessToken): TokenView {
  return {
    id,
    name,
    host: host ?? null,
    createdAt: at(createdAt),
    usedAt: usedAt === undefined ? null : at(usedAt),
    expiresAt: at(until),
  }
}

/**
 * The limits of uses, each with the attributes that count them. Each access token has its own count. All sessions that
 * a user's programs use share one count.
 */
export const tokenLimits = {
  /** Requests in a minute. */
  minute: { ms: 60_000, most: 60, attribute: codec.attributes.minute, uses: codec.attributes.minuteUses },
  /** Proposals in an hour: each is a conversation that the user has to look at. */
  hour: { ms: 3_600_000, most: 20, attribute: codec.attributes.hour, uses: codec.attributes.hourUses },
} as const

/** Returns the row that counts the uses of all sessions of a user: a program may use a new session for each call. */
const ofSessions = (uid: number) => ({ pk: key(uid, '').pk, sk: 'session-calls' })

/**
 * Counts a use of a token, or of a session, and stores its time. Rejects with `token.throttled` and the time to wait,
 * and with `session.expired` for a token that was revoked meanwhile.
 */
export async function takeCall(
  uid: number,
  { id, isSession }: { id: string; isSession?: true },
  window: keyof typeof tokenLimits,
  now: number,
): Promise<void> {
  const { ms, most, attribute, uses } = tokenLimits[window]
  const began = now - (now % ms)
  const place = isSession ? ofSessions(uid) : key(uid, id)
  const { usedAt } = codec.attributes
  const goesOn = () =>
    Table.assign(place, {
      set: { [usedAt]: now },
      add: { [uses]: 1 },
      condition: `attribute_exists(pk) AND #${attribute} = :began AND #${uses} < :most`,
      values: { ':began': began, ':most': most },
    })
  if (await goesOn()) return
  const canBegin = isSession ? `attribute_not_exists(#${attribute}) OR` : 'attribute_exists(pk) AND'
  const begins = await Table.assign(place, {
    set: { [attribute]: began, [uses]: 1, [usedAt]: now },
    condition: `${canBegin} #${attribute} < :began`,
    values: { ':began': began },
  })
  // Another request may have started the same window meanwhile; then this use counts in that window.
  if (begins || (await goesOn())) return
  if (!(await Table.get(place))) throw new VisibleError('session.expired')
  throw new VisibleError('token.throttled', { retryAfterMs: began + ms - now })
}
