import type { Actor } from '../../../core/base/actor.ts'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import { type Answer, type Asked, askedBy, type Cms, type Question } from '../../../core/cms/cms.ts'
import type { UserId } from '../../../core/cms/user-number/schema.ts'

/** The operations of a CMS for a user in its own form. */
export type Operations<User> = {
  [K in keyof Asked]: (user: User, question: Question<K>[0] & {}, actor: Actor) => Promise<Answer<K>>
}

/** The facts that hold for all users, and the way to a user: the actor, and the form in which the operations know them. */
type Parts<User> = Pick<Cms, 'capabilities' | 'languages'> & {
  user(id: UserId): Promise<{ actor: Actor; user: User } | undefined>
}

/** A CMS as the port, for one request of the bridge: its user is read once for it. */
export function portOf<User>(operations: Operations<User>, parts: Parts<User>): Cms {
  const known = new WeakMap<Actor, User>()
  const user = async (id: UserId) => {
    const found = await parts.user(id)
    if (found) known.set(found.actor, found.user)
    return found?.actor
  }
  return {
    ...askedBy(async (operation, actor, question) => {
      const acting = known.get(actor)
      if (acting === undefined) throw new Error('The actor is of another request')
      return operations[operation](acting, question as never, actor)
    }),
    capabilities: parts.capabilities,
    languages: parts.languages,
    user,
    userNamed: user,
    opening: () => Promise.reject(new Error('The bridge asks for the parts of an opening')),
  }
}

/** The capabilities of a CMS that changes fields alone. */
export const bareCapabilities: Omit<Capabilities, 'name' | 'version' | 'types'> = {
  ids: 'number',
  userIds: 'number',
  tree: null,
  home: null,
  locales: 'none',
  states: [],
  publishing: null,
  writes: { create: [], state: [], times: [], place: [], bin: [], remove: [], restore: [] },
  addresses: null,
  history: false,
  revisions: false,
  locks: false,
  media: false,
  pictures: false,
  log: false,
  exceptions: false,
  users: false,
  parts: false,
  compareAndSet: true,
}
