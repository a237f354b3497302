import { createLocalReq, type Payload, type TypedUser } from 'payload'
import type { Actor } from '../../actor.ts'
import type { BackendUser } from '../cms.ts'
import type { AiChatOptions } from './options.ts'
import { numberOf, personOf } from './uid.ts'

/** A user of the admin panel by their number on the bridge, as they are now; undefined like `userWith`. */
export async function userOf(payload: Payload, number: number): Promise<TypedUser | undefined> {
  const id = await personOf(payload, number)
  return id === undefined ? undefined : userWith(payload, id)
}

/** A user of the admin panel as they are now; undefined when gone, not verified, or kept out of the admin panel. */
export async function userWith(payload: Payload, id: number | string): Promise<TypedUser | undefined> {
  const collection = payload.config.admin.user
  const found = await payload.findByID({ collection, id, depth: 0, disableErrors: true })
  if (!found) return undefined
  const user = { ...found, collection } as unknown as TypedUser
  if ((found as { _verified?: boolean | null })._verified === false) return undefined
  const { admin } = payload.collections[collection]?.config.access ?? {}
  if (admin && !(await admin({ req: await createLocalReq({ user }, payload) }))) return undefined
  return user
}

/** The user as the stage knows users. */
export async function actorOf(payload: Payload, user: TypedUser, options: AiChatOptions): Promise<Actor> {
  return { uid: await numberOf(payload, user.id), ...personIn(user, options) }
}

/** What a user of Payload says of themselves. */
export function personIn(user: TypedUser, options: AiChatOptions): Omit<Actor, 'uid'> {
  const { name, username, email, language, locale } = user as unknown as Record<string, unknown>
  const words = (value: unknown) => (typeof value === 'string' ? value : '')
  const shortest = words(username) || words(email) || String(user.id)
  const groups = groupsOf(user, options)
  return {
    username: shortest,
    name: words(name) || shortest,
    isAdmin: options.isAdmin?.(user) ?? groups.includes('admin'),
    groups,
    lang: options.language?.(user) ?? (words(language) || words(locale) || 'en'),
  }
}

/** Roles of the user, and the slug of their collection, so that a site without roles can name its users, too. */
function groupsOf(user: TypedUser, { groups }: AiChatOptions): string[] {
  if (groups) return groups(user)
  const { roles, role } = user as unknown as Record<string, unknown>
  const named = [roles, role].flat().filter((it): it is string => typeof it === 'string' && it !== '')
  return [...named, user.collection]
}

/** All users of the admin panel, for administrators. */
export async function users(payload: Payload, options: AiChatOptions): Promise<BackendUser[]> {
  const collection = payload.config.admin.user
  const { docs } = await payload.find({ collection, depth: 0, limit: 500, sort: 'id' })
  const all: BackendUser[] = []
  for (const doc of docs) {
    const user = { ...doc, collection } as unknown as TypedUser
    const { groups, ...actor } = await actorOf(payload, user, options)
    const { _verified: verified } = doc as { _verified?: boolean | null }
    all.push({ ...actor, groups: groups.map(String), disabled: verified === false, lastLogin: null })
  }
  return all
}
