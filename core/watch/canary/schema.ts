import * as z from 'zod'
import { UserId } from '../../cms/user-number/schema.ts'
import { RecordId } from '../../conversation/schema.ts'

/**
 * How the canary's own user comes in: with the password of the secret `canary`, or as a CMS elsewhere sends its users,
 * with a statement. The secret `canary` is then the key for this user alone.
 */
export const Who = z.union([
  z.strictObject({ username: z.string().min(1).max(255) }),
  z.strictObject({ uid: UserId, issuer: z.string(), audience: z.string() }),
])
export type Who = z.infer<typeof Who>

/**
 * The input of a canary: its user, and the page whose title it asks to change and never changes. Without `turns` it
 * asks no model, uploads nothing and leaves the conversations of a visit with turns alone.
 */
export const Errand = z.strictObject({ who: Who, page: RecordId, turns: z.boolean() })
export type Errand = z.infer<typeof Errand>
