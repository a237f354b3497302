import { createHash } from 'node:crypto'
import { jwtVerify } from 'jose'
import * as z from 'zod'
import * as Table from '../aws/table.ts'
import type { Cms } from '../cms/cms.ts'
import { TextId } from '../conversation/schema.ts'
import type { Settings } from '../settings/schema.ts'
import { secret } from '../stage/config.ts'
import { userIdIn } from '../user-number/schema.ts'
import * as UserNumber from '../user-number/user-number.ts'
import * as Exchanged from './exchanged.ts'
import type { Started } from './login.ts'
import { reasonOf, refused } from './refused-statement.ts'
import * as Session from './session.ts'

/** How far ahead a foreign token may end, in seconds. */
const maxAheadSeconds = 60

/** Least bytes of a key that signs with HS256 (RFC 7518, 3.2): a shorter one can be guessed from one token. */
export const leastKeyBytes = 32

const Claims = z.object({
  sub: TextId,
  jti: z.string().min(1).max(255),
  exp: z.number(),
  /** The session of the CMS in which the statement was made. */
  sid: z.string().min(1).max(255).optional(),
  use: z.literal('end').optional(),
})
type Claims = z.infer<typeof Claims>

/**
 * Starts a session for the user whom a CMS elsewhere names in a signed token. The token says who, never what they may:
 * the user and their rights are read from the CMS. Throws `login.failed` for a token that is wrong, late or used.
 */
export async function exchange(
  cms: Pick<Cms, 'userNamed'>,
  settings: Settings['exchange'],
  token: string,
  now: number,
  lastsMs = Session.absoluteMs,
): Promise<Started> {
  const claims = await taken(settings, token, undefined, now)
  const user = await cms.userNamed(claims.sub)
  if (!user) throw refused('sub is no user of the CMS, or one who may not log in now')
  const started = await Exchanged.start(user.uid, claims.sid, lastsMs, now)
  if (!started) throw refused('its sid is of a session that the CMS has ended')
  return { user, token: started.token, csrfToken: started.csrfToken }
}

/**
 * Ends the sessions that began by exchange in the session of the CMS that the statement names, all of its user where it
 * names none. Throws `login.failed` for a statement that is wrong, late, used, or not made for this.
 */
export async function endExchanged(
  settings: Settings['exchange'],
  token: string,
  now: number,
): Promise<void> {
  const { sub, sid } = await taken(settings, token, 'end', now)
  // Also of a user who has no number yet: a statement from before this end begins nothing after it.
  const id = userIdIn(sub)
  const uid = typeof id === 'string' ? await UserNumber.expected(id) : id
  if (uid === undefined) throw refused('sub is not the id of a user as a text')
  await Exchanged.end(uid, sid, now)
}

/** What a statement says that was made for this use and comes for the first time. */
async function taken(
  settings: Settings['exchange'],
  token: string,
  use: Claims['use'],
  now: number,
): Promise<Claims> {
  if (!settings) throw refused('the settings of the stage have no exchange')
  const claims = await verify(settings, token, now)
  if (typeof claims === 'string') throw refused(claims)
  if (claims.use !== use)
    throw refused(use ? 'it has no use: end' : 'its use is end, which begins no session')
  if (!(await spend(settings, claims, now)))
    throw refused('its jti came before: a statement is good for once')
  return claims
}

/** What a statement says, or in words why it does not verify. */
async function verify(
  { issuer, audience, key: name }: NonNullable<Settings['exchange']>,
  token: string,
  now: number,
): Promise<Claims | string> {
  const key = secret(name)
  if (!key) throw new Error(`The exchange key ${name} is not set`)
  if (Buffer.byteLength(key) < leastKeyBytes)
    throw new Error(`The exchange key ${name} is shorter than ${leastKeyBytes} bytes`)
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(key), {
      algorithms: ['HS256'],
      issuer,
      audience,
      currentDate: new Date(now),
    })
    const claims = Claims.parse(payload)
    const ahead = Math.ceil(claims.exp - now / 1000)
    return ahead <= maxAheadSeconds
      ? claims
      : `exp is ${ahead} s ahead, at most ${maxAheadSeconds} s are allowed`
  } catch (error) {
    return reasonOf(error, now)
  }
}

/** Notes the token's id until its end; false when it was used before. */
function spend(
  { issuer }: NonNullable<Settings['exchange']>,
  { jti, exp }: Claims,
  now: number,
): Promise<boolean> {
  const id = createHash('sha256').update(`${issuer} ${jti}`).digest('hex')
  return Table.put(
    { pk: `login#exchange#${id}`, sk: 'throttle', expires_at: exp + 1 },
    {
      condition: 'attribute_not_exists(pk) OR expires_at < :now',
      values: { ':now': Math.floor(now / 1000) },
    },
  )
}
