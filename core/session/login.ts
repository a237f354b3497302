import type { Actor } from '../actor.ts'
import { VisibleError } from '../error.ts'
import type { Credentials } from './schema.ts'
import * as Session from './session.ts'
import * as Throttle from './throttle.ts'

/** The user with this password, from the CMS; undefined when there is none, or when the user may not log in now. */
export type Authenticate = (username: string, password: string, now: number) => Promise<Actor | undefined>

/** A session that has just begun; only this answer contains the token. */
export type Started = { user: Actor; token: string; csrfToken: string }

/**
 * Starts a session for a name and its password. Throws `login.failed` without saying what was wrong, and
 * `login.throttled` after too many failures, also for the right password.
 */
export async function login(
  authenticate: Authenticate,
  { username, password }: Credentials,
  address: string,
  now: number,
): Promise<Started> {
  const attempt = await Throttle.admit({ username, address }, now)
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
