import type { Cms } from '../../core/cms/cms.ts'

/** The text that names a user in `withTextUsers`, for their number in the CMS behind it. */
export const textUser = (uid: number): string => `person-${uid}`

/** The same CMS with ids of users that are texts, as the bridge serves it. It knows no user by number. */
export function withTextUsers(cms: Cms): Cms {
  return {
    ...cms,
    capabilities: async () => ({ ...(await cms.capabilities()), userIds: 'string' }),
    user: async () => undefined,
    userNamed: async (id) => cms.userNamed(/^person-([0-9]+)$/.exec(id)?.[1] ?? ''),
    users: async (actor) => (await cms.users(actor)).map((it) => ({ ...it, uid: textUser(Number(it.uid)) })),
  }
}
