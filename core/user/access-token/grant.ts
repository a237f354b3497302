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
 * Grants by OAuth: a row of the access tokens that begins as a code. The code is redeemed once and becomes an access token
 * and a refresh token; each refresh token is used once and becomes the next pair. All of them carry the secret of their
 * family, so that a used one is told from a guessed one, and ends the grant.
 */
const form = /^aic([or])_([1-9][0-9]{0,15})_([0-9a-f]{16})_([A-Za-z0-9_-]{22})_([A-Za-z0-9_-]{43})$/

/** The lives of a code, of an access token, and of a grant that is not used, in milliseconds. */
export const lives = { codeMs: 60_000, accessMs: 3_600_000, grantMs: 30 * 86_400_000 }

/** A refresh token may come again for this time: its answer was lost, or two requests sent it. */
const repeatMs = 10_000

/** The consent of a user: a client, the address for its code, and the scope. */
export type Allowed = { client: Client; redirectUri: string; challenge: string; scope: readonly Scope[] }

/** The scopes of a request that the stage has; all of them where it names none of these. */
export function scopesOf(asked = ''): Scope[] {
  const known = scopes.filter((scope) => asked.split(' ').includes(scope))
  return known.length > 0 ? known : [...scopes]
}

/** Grants the access that a user has allowed; the code with which the client takes it. Throws `token.tooMany`. */
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
    expires_at: Math.ceil(until / 1000),
  })
  return { id, code }
}

/** A code, and the id of the access that it opens. */
export type Begun = { id: string; code: string }

/** A grant in place of the one that was not used for the longest time; tokens that the user made stay. */
async function makeRoom(uid: number, now: number): Promise<void> {
  const good = await goodOf(uid, now)
  if (good.length < maxTokens) return
  const lastUse = ({ usedAt, createdAt }: AccessToken) => usedAt ?? createdAt
  const [oldest] = good.filter(({ clientHash }) => clientHash).toSorted((a, b) => lastUse(a) - lastUse(b))
  if (!oldest) throw new VisibleError('token.tooMany', { params: { max: maxTokens } })
  await revoke({ uid }, oldest.id)
}

/** A grant that a code or refresh token belongs to; `given` is that token. */
export type Found = { uid: number; grant: AccessToken; given: string }

/** Finds the grant of a code or of a refresh token, also of one that was used; undefined if no grant gave it. */
export async function find(given: string, kind: 'code' | 'refresh'): Promise<Found | undefined> {
  const [, letter, owner = '', id = '', family = ''] = form.exec(given) ?? []
  if (letter !== (kind === 'code' ? 'o' : 'r')) return undefined
  const uid = Number(owner)
  const grant = await read(uid, id)
  return grant && isHashOf(grant.familyHash, family) ? { uid, grant, given } : undefined
}

/** Tokens of a grant; the only place where they are not hashed. */
export type Issued = { token: string; refresh: string; scope: string; expiresInMs: number }

/** What a client sends with its code. */
type Redemption = { clientId: string; redirectUri: string | undefined; verifier: string }

/** Redeems a code. Undefined if anything is wrong with it; it then opens nothing any more, nor does what it opened before. */
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
 * Renews a grant with its refresh token. Undefined if that is not the good one: a token that was used before ends the
 * grant, as somebody else may have it.
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

/** The pair that another request with the same refresh token got just now. */
async function repeated(given: string, now: number): Promise<Issued | undefined> {
  const found = await find(given, 'refresh')
  const { beforeHash, rotatedAt = 0, accessUntil = 0, scope = '' } = found?.grant ?? {}
  if (!found || !isHashOf(beforeHash, given) || now >= rotatedAt + repeatMs) return undefined
  return { ...next(found), scope, expiresInMs: accessUntil - now }
}

/** Ends the grant of a token that its client gives back; its id and owner, or undefined where there was none. */
export async function end(given: string, clientId: string, now: number): Promise<Ended | undefined> {
  const refresh = await find(given, 'refresh')
  const access = refresh ? undefined : await findAccess(given, now)
  const { uid, grant } = refresh ?? (access && { uid: access.uid, grant: access.token }) ?? {}
  if (uid === undefined || !grant || !isHashOf(grant.clientHash, clientId)) return undefined
  await revoke({ uid }, grant.id)
  return { uid, id: grant.id }
}

/** A grant that has ended. */
export type Ended = { uid: number; id: string }

/** Stores the pair that follows a code or refresh token; undefined if another request was first. */
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
  const isStored = await Table.assign(key(uid, grant.id), {
    set: { ...changed, expires_at: Math.ceil(until / 1000) },
    condition: `#${codec.attributes.nextHash} = :given`,
    values: { ':given': sha256(given) },
  })
  return isStored ? { token, refresh, scope: grant.scope, expiresInMs: lives.accessMs } : undefined
}

/** Derives the pair that follows: a repeated request gets the same one, though only hashes are stored. */
function next({ uid, grant: { id }, given }: Found): Pick<Issued, 'token' | 'refresh'> {
  const [, , , , family] = form.exec(given) ?? []
  const derived = (purpose: string) =>
    createHmac('sha256', config().secret).update(`${purpose} after ${given}`).digest('base64url')
  return {
    token: `aict_${uid}_${id}_${derived('access')}`,
    refresh: `aicr_${uid}_${id}_${family}_${derived('refresh')}`,
  }
}
