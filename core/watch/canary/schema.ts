import * as z from 'zod'
import { UserId } from '../../cms/user-number/schema.ts'
import { RecordId } from '../../conversation/schema.ts'

/**
 * The login of the canary's own user. With `username`, the login uses the password in the secret `canary`. With `uid`,
 * the login uses a signed statement, like the users of a connected CMS; the secret `canary` is then the key for this
 * user only.
 */
export const Who = z.union([
  z.strictObject({ username: z.string().min(1).max(255) }),
  z.strictObject({ uid: UserId, issuer: z.string(), audience: z.string() }),
])
export type Who = z.infer<typeof Who>

/**
 * The input of a canary: its user, and a page. The canary asks the model to change the title of this page, and then
 * declines the change. Without `turns`, the canary calls no model, uploads nothing, and leaves the conversations of
 * earlier visits alone.
 */
export const Errand = z.strictObject({ who: Who, page: RecordId, turns: z.boolean() })
export type Errand = z.infer<typeof Errand>
