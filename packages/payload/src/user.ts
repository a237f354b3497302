import { createLocalReq, type Payload, type TypedUser } from 'payload'
import type { Actor } from '../../../core/base/actor.ts'
import type { BackendUser } from '../../../core/cms/cms.ts'
import type { UserId } from '../../../core/cms/user-number/schema.ts'
import type { Acting } from './acting.ts'
import type { AiChatOptions } from './options.ts'
import { idKind } from './type.ts'

/**
 * Returns a user of the admin panel; undefined if the user is deleted, not verified, or not allowed in the admin panel.
 */
export async function userWith(payload: Payload, id: UserId): Promise<TypedUser | undefined> {
  const collection = payload.config.admin.user
  if ((idKind(payload, collection) === 'number') !== (typeof id === 'number')) return undefined
  const found = await payload.findByID({ collection, id, depth: 0, disableErrors: true })
  if (!found || isUnverified(found)) return undefined
  const user = { ...found, collection } as unknown as TypedUser
  const { admin } = payload.collections[collection]?.config.access ?? {}
  if (admin && !(await admin({ req: await createLocalReq({ user }, payload) }))) return undefined
  return user
}

/**
 * Returns the actor of a user. An id that is a text becomes 0, because the stage identifies such a user by the text.
 */
export const actorOf = (user: TypedUser, options: AiChatOptions): Actor => ({
  uid: Number(user.id) || 0,
  ...personIn(user, options),
})

type Person = Omit<Actor, 'uid' | 'groups'> & { groups: string[] }

/** Reads the actor's names, groups, language and administrator right from a user of Payload. */
export function personIn(user: TypedUser, options: AiChatOptions): Person {
  const { name, username, email, language, locale } = user as unknown as Record<string, unknown>
  const words = (value: unknown) => (typeof value === 'string' ? value : '')
  const shortest = words(username) || words(email) || String(user.id)
  const roles = rolesOf(user, options)
  return {
    username: shortest,
    name: words(name) || shortest,
    isAdmin: options.isAdmin?.(user) ?? roles.includes('admin'),
    // On a site without roles, the collection can serve as the group of its users.
    groups: options.groups ? roles : [...roles, user.collection],
    lang: options.language?.(user) ?? (words(language) || words(locale) || 'en'),
  }
}

/**
 * Returns the site's groups of a user. They do not include the slug of the collection: a collection could be named
 * `admin`, and its users need not be administrators.
 */
function rolesOf(user: TypedUser, { groups }: AiChatOptions): string[] {
  if (groups) return groups(user)
  const { roles, role } = user as unknown as Record<string, unknown>
  return [roles, role].flat().filter((it): it is string => typeof it === 'string' && it !== '')
}

/** Returns all users of the admin panel, for administrators. */
export async function users({ payload, options }: Acting): Promise<BackendUser[]> {
  const collection = payload.config.admin.user
  const { docs } = await payload.find({ collection, depth: 0, pagination: false, sort: 'id' })
  return docs.map((doc) => ({
    ...personIn({ ...doc, collection } as unknown as TypedUser, options),
    uid: doc.id,
    disabled: isUnverified(doc),
    lastLogin: null,
  }))
}

const isUnverified = (user: object) => '_verified' in user && user._verified === false
