import type { Actor } from '../../../core/base/actor.ts'
import { ToolError } from '../../../core/base/error.ts'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import { type Answer, type Asked, askedBy, type Cms, type Question } from '../../../core/cms/cms.ts'
import { everyKind } from '../../../core/cms/put.ts'
import type { UserId } from '../../../core/cms/user-number/schema.ts'

/**
 * The operations of a CMS on its own type of user. A CMS without plugin functions leaves out the operations for
 * abilities.
 */
export type Operations<User> = {
  [K in Exclude<keyof Asked, OfAbilities>]: Act<K, User>
} & { [K in OfAbilities]?: Act<K, User> }

type OfAbilities = 'abilities' | 'ability'
type Act<K extends keyof Asked, User> = (
  user: User,
  question: Question<K>[0] & {},
  actor: Actor,
) => Promise<Answer<K>>

/**
 * The functions that do not depend on a user, and the function `user`. `user` returns the actor, and the user in the
 * CMS's own type.
 */
type Parts<User> = Pick<Cms, 'capabilities' | 'languages'> & {
  user(id: UserId): Promise<{ actor: Actor; user: User } | undefined>
}

/** Returns the CMS port for one request of the bridge; the port reads the user only once. */
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
      const act = operations[operation]
      if (act) return act(acting, question as never, actor)
      if (operation === 'abilities') return []
      throw new ToolError('This CMS has no such function.')
    }),
    capabilities: parts.capabilities,
    languages: parts.languages,
    user,
    userNamed: user,
    opening: () => Promise.reject(new Error('The bridge asks for the parts of an opening')),
  }
}

/** The capabilities of a CMS that can only change fields. */
export const bareCapabilities: Omit<Capabilities, 'name' | 'version' | 'types'> = {
  ids: 'number',
  userIds: 'number',
  tree: null,
  home: null,
  locales: 'none',
  states: [],
  publishing: null,
  writes: everyKind([]),
  addresses: null,
  history: false,
  revisions: false,
  locks: false,
  media: false,
  pictures: false,
  log: false,
  exceptions: false,
  users: false,
  abilities: false,
  parts: false,
  compareAndSet: true,
}
