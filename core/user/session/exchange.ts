import { errors, jwtVerify } from 'jose'
import * as z from 'zod'
import * as Table from '../../base/aws/table.ts'
import { secret } from '../../base/config.ts'
import { VisibleError } from '../../base/error.ts'
import { sha256 } from '../../base/hash.ts'
import { own } from '../../base/json.ts'
import * as Log from '../../base/log.ts'
import type { Cms } from '../../cms/cms.ts'
import { userIdIn } from '../../cms/user-number/schema.ts'
import * as UserNumber from '../../cms/user-number/user-number.ts'
import { TextId } from '../../conversation/schema.ts'
import type { Settings } from '../../stage/settings/schema.ts'
import * as Exchanged from './exchanged.ts'
import type { Started } from './login.ts'
import * as Session from './session.ts'
import { verifyingKey } from './user-key.ts'

/** The furthest expiry of a statement that the stage accepts, in seconds from now. */
const maxAheadSeconds = 60

/** The settings of the exchange, if the stage has one. */
type Exchange = NonNullable<Settings['exchange']>

/** The tolerated difference between the clocks of the CMS and the stage, in seconds. */
const leewaySeconds = 120

/** The minimum size of a key for HS256 in bytes (RFC 7518, 3.2): one token is enough to guess a shorter key. */
export const leastKeyBytes = 32

const Claims = z.object({
  sub: z.union([TextId, z.int().positive().transform(String)]),
  jti: z.string().min(1).max(255),
  exp: z.number(),
  /** The CMS session in which the statement was made. */
  sid: z.string().min(1).max(255).optional(),
  use: z.literal('end').optional(),
})
type Claims = z.infer<typeof Claims>

/**
 * Starts a session for the user whom a connected CMS names in a signed token. The token only identifies the user; the
 * CMS reports the user's rights. With `isElsewhere`, the session token goes to the CMS, not into a cookie. Rejects with
 * `login.failed` for a wrong or used token. Rejects with `login.clock` for a signed token whose times show differing
 * clocks.
 */
export async function exchange(
  cms: Pick<Cms, 'userNamed'>,
  settings: Settings['exchange'],
  token: string,
  now: number,
  isElsewhere = false,
): Promise<Started> {
  const claims = await taken(settings, token, undefined, now)
  const user = await cms.userNamed(claims.sub)
  if (!user) throw exchangeRefusal('sub is no user of the CMS, or one who may not log in now')
  const lastsMs = isElsewhere ? Exchanged.embeddedMs : Session.absoluteMs
  const started = await Exchanged.start(user.uid, Exchanged.storedName(claims.sid), lastsMs, now, isElsewhere)
  if (!started) throw exchangeRefusal('its sid is of a session that the CMS has ended')
  return { user, token: started.token, csrfToken: started.csrfToken }
}

/**
 * Ends the exchanged sessions that belong to the CMS session in the statement. If the statement names no CMS session,
 * ends all exchanged sessions of the user. Returns the user, or undefined if there was no session. Rejects with
 * `login.failed` for a statement that is wrong, late, used, or made for another use.
 */
export async function endExchanged(
  settings: Settings['exchange'],
  token: string,
  now: number,
): Promise<number | undefined> {
  const { sub, sid } = await taken(settings, token, 'end', now)
  // Marks the end even for a user without a number yet, so that an older statement starts no session later.
  const id = userIdIn(sub)
  const uid = typeof id === 'string' ? await UserNumber.expected(id) : id
  if (uid === undefined) throw exchangeRefusal('sub is not the id of a user, as a text or a number')
  return (await Exchanged.end(uid, sid, now)) ? uid : undefined
}

/** Verifies a statement and marks it as used. Rejects if the statement was used before or made for another use. */
async function taken(
  settings: Settings['exchange'],
  token: string,
  use: Claims['use'],
  now: number,
): Promise<Claims> {
  if (!settings) throw exchangeRefusal('the settings of the stage have no exchange')
  const claims = await verify(settings, token, now)
  if (claims.use !== use)
    throw exchangeRefusal(use ? 'it has no use: end' : 'its use is end, which begins no session')
  if (!(await spend(settings, claims, now)))
    throw exchangeRefusal('its jti came before: a statement is good for once')
  return claims
}

/**
 * Verifies a statement and returns its claims. Rejects with `login.clock` if only its times are wrong, otherwise with
 * `login.failed`.
 */
async function verify(
  { issuer, audience, key: name }: Exchange,
  token: string,
  now: number,
): Promise<Claims> {
  const key = secret(name)
  if (!key) throw new Error(`The exchange key ${name} is not set`)
  if (Buffer.byteLength(key) < leastKeyBytes)
    throw new Error(`The exchange key ${name} is shorter than ${leastKeyBytes} bytes`)
  const keyOf = ({ kid }: { kid?: string }, { payload }: { payload: string | Uint8Array }) =>
    verifyingKey(key, kid, String(payload))
  const wanted = { algorithms: ['HS256'], issuer, audience, clockTolerance: leewaySeconds }
  const claims = await jwtVerify(token, keyOf, { ...wanted, currentDate: new Date(now) })
    .then(({ payload }) => Claims.parse(payload))
    .catch((error: unknown) => {
      const isClock = error instanceof errors.JWTExpired
      throw exchangeRefusal(reasonOf(error, now), isClock ? 'login.clock' : 'login.failed')
    })
  const ahead = Math.ceil(claims.exp - now / 1000)
  if (ahead <= maxAheadSeconds + leewaySeconds) return claims
  throw exchangeRefusal(
    `exp is ${ahead} s ahead, at most ${maxAheadSeconds} s are allowed, and ${leewaySeconds} s for clocks that differ`,
    'login.clock',
  )
}

/** Stores the token's id until it expires; false if the token was used before. */
async function spend({ issuer }: Exchange, { jti, exp }: Claims, now: number): Promise<boolean> {
  const id = sha256(`${issuer} ${jti}`)
  const row = { pk: `login#exchange#${id}`, sk: 'throttle', expires_at: exp + leewaySeconds + 1 }
  const condition = 'attribute_not_exists(pk) OR expires_at < :now'
  const write = Table.putWrite(row, { condition, values: { ':now': Math.floor(now / 1000) } })
  return Table.writeOnce(write)
}

/** Describes the fault of each claim: missing, of a wrong type, or unknown to the stage. */
const faults: Record<string, string> = {
  iss: 'iss is not the issuer in the settings of the stage; with a pairing it is the id of the key',
  aud: 'aud is not the audience in the settings of the stage; with a pairing it is ai-chat',
  sub: 'sub is not the id of a user, as a text or a number',
  jti: 'jti is not a text of 1 to 255 characters',
  exp: 'exp is not a number of seconds',
  nbf: 'nbf is in the future',
  sid: 'sid is not a text of 1 to 255 characters',
  use: 'use is neither absent nor end',
}

/**
 * Explains to the operator why the verification failed. The text contains names of claims, but no values except times.
 * `error` is the error of the verification; `now` is in milliseconds since the epoch.
 */
function reasonOf(error: unknown, now: number): string {
  if (error instanceof errors.JWTExpired)
    return `exp was ${Math.round(now / 1000 - Number(error.payload.exp))} s ago by the clock of the stage: compare it with that of the CMS`
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return 'another key signed it than the exchange key of the stage'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'its algorithm is not HS256'
  if (error instanceof errors.JWTClaimValidationFailed) return faultOf(error.claim)
  if (error instanceof z.ZodError) return faultOf(String(error.issues[0]?.path[0]))
  return 'it is no JWT'
}

/**
 * Returns the error for a refused statement. The reason is for the operator: it is in the log and in `cause`, never in
 * an answer.
 */
function exchangeRefusal(
  reason: string,
  code: 'login.failed' | 'login.clock' = 'login.failed',
): VisibleError {
  Log.warn('A statement of the CMS is refused', { reason })
  return new VisibleError(code, { cause: reason })
}

const faultOf = (claim: string) => own(faults, claim) ?? `${claim} is not as it has to be`
