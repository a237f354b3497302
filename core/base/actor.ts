import * as z from 'zod'

/**
 * The backend user of a request or turn, with the current data of the CMS. `groups` are the effective groups, including
 * inherited groups, in the order of the CMS. An actor is never stored: each request and each turn reads it again.
 */
export const Actor = z.object({
  uid: z.int().positive(),
  username: z.string(),
  name: z.string(),
  isAdmin: z.boolean(),
  /** Ids of groups: numbers or texts, as the CMS has them. */
  groups: z.array(z.union([z.int(), z.string()])),
  lang: z.string(),
})
export type Actor = z.infer<typeof Actor>
