import { parseCookie, stringifySetCookie } from 'cookie'
import type { Actor } from '../../core/base/actor.ts'
import { config } from '../../core/base/config.ts'
import { learn } from '../../core/base/language.ts'
import * as Session from '../../core/user/session/session.ts'
import { sessionCookie } from './request.ts'
import type { PublicVisit } from './route.ts'

/** The cookie of a session: out of reach of scripts and of other sites; without TLS only on the loopback of the local stage. */
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

/** Name of the cookie of a browser that was confirmed by a ticket: it opens the consent page, and no other route. */
export const consentCookie = (): string => (config().isLocal ? 'ai_chat_consent' : '__Host-ai_chat_consent')

/** The user of a browser, and the id of the session by which they are known. */
export type Visitor = { actor: Actor; sid: string }

/** The user of a browser that asks for a page: by the cookie of their session, or by that of a confirmed browser. */
export async function visitor(visit: PublicVisit): Promise<Visitor | undefined> {
  const cookies = parseCookie((visit.event.cookies ?? []).join('; '))
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
  await learn(actor.lang)
  return { actor, sid: session.sid }
}
