import { stringifySetCookie } from 'cookie'
import { config } from '../../core/base/config.ts'
import { absoluteMs } from '../../core/user/session/session.ts'
import { sessionCookie } from './request.ts'

/** The cookie of a session: out of reach of scripts and of other sites; without TLS only on the loopback of the local stage. */
export function setSession(value: string, maxAge = absoluteMs / 1000): string {
  return stringifySetCookie({
    name: sessionCookie(),
    value,
    maxAge,
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: !config().isLocal,
  })
}
