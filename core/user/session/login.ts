import type { Actor } from '../../base/actor.ts'
import type { Clock } from '../../base/clock.ts'
import { VisibleError } from '../../base/error.ts'
import type { Credentials } from './schema.ts'
import * as Session from './session.ts'
import * as Throttle from './throttle.ts'

/**
 * Answers the user of the CMS with this name and password; undefined if they are wrong, or the user may not log in now.
 */
export type Authenticate = (username: string, password: string, now: number) => Promise<Actor | undefined>

/** A session that has just begun; only this answer contains the token. */
export type Started = { user: Actor; token: string; csrfToken: string }

/**
 * Starts a session for a name and its password. Throws `login.failed` without the reason, and `login.throttled` after
 * too many failures, even for the right password.
 */
export async function login(
  authenticate: Authenticate,
  { username, password }: Credentials,
  address: string,
  clock: Clock,
): Promise<Started> {
  const attempt = await Throttle.admit({ username, address }, clock)
  const now = clock.now()
  const user = await authenticate(username, password, now).catch(async (error: unknown) => {
    await attempt.withdrawn()
    throw error
  })
  if (!user) {
    await attempt.failed()
    throw new VisibleError('login.failed')
  }
  await attempt.succeeded()
  const { token, csrfToken } = await Session.start(user.uid, now)
  return { user, token, csrfToken }
}
