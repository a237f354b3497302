import * as z from 'zod'

/**
 * Who is asking: a backend user as the CMS knows it at this moment. `groups` are the effective ones, inherited
 * groups included, in the order in which the CMS resolves them. Never stored; read afresh for each request and turn.
 */
export const Actor = z.object({
  uid: z.int().positive(),
  username: z.string(),
  name: z.string(),
  isAdmin: z.boolean(),
  /** Numbers or names, as the CMS has them. */
  groups: z.array(z.union([z.int(), z.string()])),
  lang: z.string(),
})
export type Actor = z.infer<typeof Actor>
