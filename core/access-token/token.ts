import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Actor } from '../actor.ts'
import * as Table from '../aws/table.ts'
import { VisibleError } from '../error.ts'
import { type AccessToken, codec, key } from './item.ts'
import { type CreateTokenBody, maxTokens, type TokenView } from './schema.ts'

/**
 * Tokens that a user makes for programs of theirs. A token names its owner and itself, so that one read finds it, and is
 * good for whatever its owner may do at the moment of the request, over `POST /ai-chat/mcp` alone.
 */
const form = /^aict_([1-9][0-9]{0,15})_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/

/** How long a token that has ended stays in the list of its owner, in milliseconds. */
const shownMs = 30 * 86_400_000

/** The tokens of a user, newest first. */
export async function list({ uid }: Pick<Actor, 'uid'>): Promise<TokenView[]> {
  const tokens = await ofUser(uid)
  return tokens.toSorted((one, other) => other.createdAt - one.createdAt).map(view)
}

/** Makes a token; only this answer contains it. Throws `token.tooMany`. */
export async function create(
  { uid }: Pick<Actor, 'uid'>,
  { name, days }: CreateTokenBody,
  now: number,
): Promise<{ id: string; token: string }> {
  const good = (await ofUser(uid)).filter(({ until }) => now < until)
  if (good.length >= maxTokens) throw new VisibleError('token.tooMany', { params: { max: maxTokens } })
  const id = randomBytes(8).toString('hex')
  const token = `aict_${uid}_${id}_${randomBytes(32).toString('base64url')}`
  const until = now + days * 86_400_000
  await Table.put({
    ...key(uid, id),
    ...codec.encode({ ...codec.empty, id, name, tokenHash: hash(token), createdAt: now, until }),
    expires_at: Math.ceil((until + shownMs) / 1000),
  })
  return { id, token }
}

/** Ends a token at once; harmless where the user has none of that id. */
export async function revoke({ uid }: Pick<Actor, 'uid'>, id: string): Promise<void> {
  await Table.remove(key(uid, id))
}

/** The stored token and its owner; undefined for anything but a token that is good at `now`. */
export async function find(
  token: string,
  now: number,
): Promise<{ uid: number; token: AccessToken } | undefined> {
  const [, owner, id = ''] = form.exec(token) ?? []
  if (owner === undefined) return undefined
  const uid = Number(owner)
  const row = await Table.get(key(uid, id))
  if (!row) return undefined
  const { value: stored, unread } = codec.read(row)
  // A token that cannot be read whole opens nothing: its owner makes another one.
  if (Object.keys(unread).length > 0 || now >= stored.until) return undefined
  const [given, known] = [Buffer.from(hash(token)), Buffer.from(stored.tokenHash)]
  if (given.length !== known.length || !timingSafeEqual(given, known)) return undefined
  return { uid, token: stored }
}

async function ofUser(uid: number): Promise<AccessToken[]> {
  const rows = await Table.all({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': key(uid, '').pk, ':prefix': key(uid, '').sk },
  })
  return rows.map(codec.decode)
}

const hash = (token: string) => createHash('sha256').update(token).digest('hex')

const at = (time: number) => new Date(time).toISOString()

function view({ id, name, createdAt, usedAt, until }: AccessToken): TokenView {
  return {
    id,
    name,
    createdAt: at(createdAt),
    usedAt: usedAt === undefined ? null : at(usedAt),
    expiresAt: at(until),
  }
}
