import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Actor } from '../../base/actor.ts'
import * as Table from '../../base/aws/table.ts'
import { config } from '../../base/config.ts'
import { VisibleError } from '../../base/error.ts'
import { sha256 } from '../../base/hash.ts'
import { type Client, hostOf } from './client.ts'
import { type AccessToken, codec, key, maxTokens, type Scope, scopes } from './schema.ts'
import { find as findAccess, goodOf, isHashOf, read, revoke } from './token.ts'

/**
 * Manages OAuth grants. A grant is a row of the access tokens, and begins as a code. The code is redeemed once for an
 * access token and a refresh token; each refresh token is used once for the next pair. Codes and refresh tokens of a
 * grant contain the secret of its family. So the stage can tell a used token from a guessed one, and a used token ends
 * the grant.
 */
const grantForm = /^aic([or])_([1-9][0-9]{0,15})_([0-9a-f]{16})_([A-Za-z0-9_-]{22})_([A-Za-z0-9_-]{43})$/

/** The lifetimes of a code, of an access token, and of an unused grant, in milliseconds. */
export const lives = { codeMs: 60_000, accessMs: 3_600_000, grantMs: 30 * 86_400_000 }

/**
 * The time in which a refresh token may be used again, in milliseconds. Its first answer may be lost, or two requests
 * may send it at the same time.
 */
const repeatMs = 10_000

/** The consent of a user: the client, the redirect URI for its code, the PKCE challenge and the scope. */
export type Allowed = { client: Client; redirectUri: string; challenge: string; scope: readonly Scope[] }

/** Returns the scopes of a request that the stage knows; all scopes if the request names none of them. */
export function scopesOf(asked = ''): Scope[] {
  const known = scopes.filter((scope) => asked.split(' ').includes(scope))
  return known.length > 0 ? known : [...scopes]
}

/** Stores the grant that a user has allowed, and returns the code for the client. Rejects with `token.tooMany`. */
export async function grantAccess({ uid }: Pick<Actor, 'uid'>, wanted: Allowed, now: number): Promise<Begun> {
  await makeRoom(uid, now)
  const id = randomBytes(8).toString('hex')
  const family = randomBytes(16).toString('base64url')
  const code = `aico_${uid}_${id}_${family}_${randomBytes(32).toString('base64url')}`
  const until = now + lives.codeMs
  await Table.put({
    ...key(uid, id),
    ...codec.encode({
      ...codec.empty,
      id,
      name: wanted.client.name,
      createdAt: now,
      until,
      scope: wanted.scope.join(' '),
      clientHash: sha256(wanted.client.id),
      host: hostOf(wanted.redirectUri),
      familyHash: sha256(family),
      nextHash: sha256(code),
      challenge: wanted.challenge,
      redirectHash: sha256(wanted.redirectUri),
    }),
    ...Table.expiresAt(until),
  })
  return { id, code }
}

/** A code, and the id of the grant that it opens. */
export type Begun = { id: string; code: string }

/**
 * Makes room if the user has too many tokens: removes the OAuth grant that was unused for the longest time. Tokens that
 * the user created stay.
 */
async function makeRoom(uid: number, now: number): Promise<void> {
  const good = await goodOf(uid, now)
  if (good.length < maxTokens) return
  const lastUse = ({ usedAt, createdAt }: AccessToken) => usedAt ?? createdAt
  const [oldest] = good.filter(({ clientHash }) => clientHash).toSorted((a, b) => lastUse(a) - lastUse(b))
  if (!oldest) throw new VisibleError('token.tooMany', { params: { max: maxTokens } })
  await revoke({ uid }, oldest.id)
}

/** A grant with the code or refresh token that belongs to it (`given`). */
export type Found = { uid: number; grant: AccessToken; given: string }

/** Returns the grant of a code or refresh token, even of a used one; undefined if the token belongs to no grant. */
export async function find(given: string, kind: 'code' | 'refresh'): Promise<Found | undefined> {
  const [, letter, owner = '', id = '', family = ''] = grantForm.exec(given) ?? []
  if (letter !== (kind === 'code' ? 'o' : 'r')) return undefined
  const uid = Number(owner)
  const grant = await read(uid, id)
  return grant && isHashOf(grant.familyHash, family) ? { uid, grant, given } : undefined
}

/** The tokens of a grant in plain text; the table stores only hashes. */
type Issued = { token: string; refresh: string; scope: string; expiresInMs: number }

/** The parts that a client sends with its code. */
type Redemption = { clientId: string; redirectUri: string | undefined; verifier: string }

/** Redeems a code. If anything about it is wrong, returns undefined and revokes the grant with all its tokens. */
export async function redeem(
  found: Found,
  { clientId, redirectUri, verifier }: Redemption,
  now: number,
): Promise<Issued | undefined> {
  const { uid, grant, given } = found
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const isRight =
    grant.challenge === challenge &&
    now < grant.until &&
    isHashOf(grant.nextHash, given) &&
    isHashOf(grant.clientHash, clientId) &&
    (redirectUri === undefined || isHashOf(grant.redirectHash, redirectUri))
  const issued = isRight && (await rotate(found, now))
  if (issued) return issued
  await revoke({ uid }, grant.id)
  return undefined
}

/**
 * Renews a grant with its refresh token. Returns undefined for a wrong token. A token that was used before ends the
 * grant, because somebody else may have it.
 */
export async function renew(found: Found, clientId: string, now: number): Promise<Issued | undefined> {
  const { uid, grant, given } = found
  if (now >= grant.until || grant.challenge !== undefined) return undefined
  if (isHashOf(grant.clientHash, clientId)) {
    const issued = isHashOf(grant.nextHash, given) ? await rotate(found, now) : undefined
    if (issued) return issued
    const again = await repeated(given, now)
    if (again) return again
  }
  await revoke({ uid }, grant.id)
  return undefined
}

/**
 * Returns the pair that another request with the same refresh token has just received; undefined if there was no such
 * request.
 */
async function repeated(given: string, now: number): Promise<Issued | undefined> {
  const found = await find(given, 'refresh')
  const { beforeHash, rotatedAt = 0, accessUntil = 0, scope = '' } = found?.grant ?? {}
  if (!found || !isHashOf(beforeHash, given) || now >= rotatedAt + repeatMs) return undefined
  return { ...next(found), scope, expiresInMs: accessUntil - now }
}

/**
 * Ends the grant of a token that its client revokes. Returns the grant's id and owner, or undefined for an unknown
 * token.
 */
export async function end(given: string, clientId: string, now: number): Promise<Ended | undefined> {
  const refresh = await find(given, 'refresh')
  const access = refresh ? undefined : await findAccess(given, now)
  const { uid, grant } = refresh ?? (access && { uid: access.uid, grant: access.token }) ?? {}
  if (uid === undefined || !grant || !isHashOf(grant.clientHash, clientId)) return undefined
  await revoke({ uid }, grant.id)
  return { uid, id: grant.id }
}

/** The id and the owner of a grant that has ended. */
export type Ended = { uid: number; id: string }

/** Stores the pair that follows a code or refresh token; undefined if another request stored one first. */
async function rotate(found: Found, now: number): Promise<Issued | undefined> {
  const { uid, grant, given } = found
  const { token, refresh } = next(found)
  const isFirst = grant.challenge !== undefined
  const until = now + lives.grantMs
  const changed = codec.changed({
    tokenHash: sha256(token),
    nextHash: sha256(refresh),
    rotatedAt: now,
    accessUntil: now + lives.accessMs,
    until,
    ...(isFirst ? { challenge: undefined, redirectHash: undefined } : { beforeHash: sha256(given) }),
  })
  const write = Table.assignWrite(key(uid, grant.id), {
    set: { ...changed, ...Table.expiresAt(until) },
    condition: `#${codec.attributes.nextHash} = :given`,
    values: { ':given': sha256(given) },
  })
  const done = await Table.writeOnce(write)
  return done ? { token, refresh, scope: grant.scope, expiresInMs: lives.accessMs } : undefined
}

/**
 * Derives the next pair from the given token: a repeated request gets the same pair although only hashes are stored.
 */
function next({ uid, grant: { id }, given }: Found): Pick<Issued, 'token' | 'refresh'> {
  const [, , , , family] = grantForm.exec(given) ?? []
  const derived = (purpose: string) =>
    createHmac('sha256', config().secret).update(`${purpose} after ${given}`).digest('base64url')
  return {
    token: `aict_${uid}_${id}_${derived('access')}`,
    refresh: `aicr_${uid}_${id}_${family}_${derived('refresh')}`,
  }
}
