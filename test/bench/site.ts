import type { Context } from 'aws-lambda'
import type { Actor } from '../../core/base/actor.ts'
import { config } from '../../core/base/config.ts'
import { ports } from '../../core/ports.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { apply } from '../../core/stage/settings/settings.ts'
import * as Session from '../../core/user/session/session.ts'
import type { Event, Handler } from '../../functions/http/route.ts'
import { seed } from '../../infra/local/seed/seed.ts'
import { event } from '../support/call.ts'
import { settings } from '../support/settings.ts'

/** Seeds the site with settings that do not limit the conversations of a user; returns the seeded editor. */
export async function seedSite(over: Partial<Settings> = {}): Promise<Actor> {
  await seed({ table: config().cmsTable ?? '' }, Date.now())
  await apply(settings({ maxActiveConversations: null, maxConversationsPerUser: null, ...over }))
  const editor = await ports().cms.user(2)
  if (!editor) throw new Error('The site has no editor')
  return editor
}

/** Returns functions that make API Gateway events for one user in a new session. */
export async function visitor(uid: number) {
  const { token } = await Session.start(uid, Date.now())
  const headers = { authorization: `Bearer ${token}` }
  return {
    get: (path: string, query: Record<string, string> = {}): Event =>
      event(`${path}?${new URLSearchParams(query)}`, { headers }),
    post: (path: string, body: unknown): Event => event(path, { headers, body }),
  }
}

/** Calls a function, and returns its parsed answer. Throws if the answer is not a success. */
export async function call<T>(handler: Handler, asked: Event): Promise<T> {
  const { statusCode = 0, body = '' } = await handler(asked, {} as Context)
  if (statusCode >= 300) throw new Error(`${asked.rawPath} answered with ${statusCode}: ${body}`)
  return JSON.parse(body) as T
}
