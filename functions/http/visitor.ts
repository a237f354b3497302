import { stringifySetCookie } from 'cookie'
import type { Actor } from '../../core/base/actor.ts'
import { config } from '../../core/base/config.ts'
import { loadLanguage } from '../../core/base/language.ts'
import * as Session from '../../core/user/session/session.ts'
import { cookiesOf, sessionCookie } from './request.ts'
import type { PublicVisit } from './route.ts'

/**
 * Returns the cookie of a session. Scripts and other sites cannot use it; only the local stage, on loopback, sends it
 * without TLS.
 */
export function setSession(
  value: string,
  maxAge = Session.absoluteMs / 1000,
  name = sessionCookie(),
): string {
  return stringifySetCookie({
    name,
    value,
    maxAge,
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: !config().isLocal,
  })
}

/** Returns the name of the cookie of a browser that a ticket has confirmed. It opens only the consent page. */
export const consentCookie = (): string => (config().isLocal ? 'ai_chat_consent' : '__Host-ai_chat_consent')

/** The user of a browser, and the id of the session that identifies them. */
export type Visitor = { actor: Actor; sid: string }

/** Returns the user of a page request, by the cookie of a session or of a confirmed browser. */
export async function visitor(visit: PublicVisit): Promise<Visitor | undefined> {
  const cookies = cookiesOf(visit.event)
  for (const name of [sessionCookie(), consentCookie()]) {
    const known = await visitorOf(visit, cookies[name] ?? '')
    if (known) return known
  }
  return undefined
}

async function visitorOf({ live, now }: PublicVisit, token: string): Promise<Visitor | undefined> {
  const session = await Session.find(token, now)
  const actor = session && (await live.cms.user(session.uid))
  if (!actor) return undefined
  await loadLanguage(actor.lang)
  return { actor, sid: session.sid }
}
