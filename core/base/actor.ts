import * as z from 'zod'

/**
 * The backend user of a request or turn, with the current data of the CMS. `groups` are the effective groups, inherited
 * ones included, in the order of the CMS. Never stored: each request and each turn reads the actor again.
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
