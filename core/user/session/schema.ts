import * as z from 'zod'
import { Actor } from '../../base/actor.ts'

/** The credentials that a person types to log in. */
export const Credentials = z.strictObject({
  username: z.string().min(1).max(255),
  password: z.string().max(1_024),
})
export type Credentials = z.infer<typeof Credentials>

/** A signed statement of a connected CMS that identifies the user. */
export const Exchange = z.strictObject({ token: z.string().min(1).max(8_192) })
export type Exchange = z.infer<typeof Exchange>

/** The user, the CSRF token for requests that change something, and whether the user may use the chat. */
export const SessionAnswer = z.object({ user: Actor, csrfToken: z.string(), mayChat: z.boolean() })
export type SessionAnswer = z.infer<typeof SessionAnswer>

/**
 * A session for callers that store the token themselves, because cookies cannot reach them; it ends `lastsSeconds` from
 * now.
 */
export const BearerAnswer = SessionAnswer.extend({ token: z.string(), lastsSeconds: z.int() })
export type BearerAnswer = z.infer<typeof BearerAnswer>

/** A user whom the login page of the local stage offers with one click. */
export const DemoUser = z.object({ username: z.string(), password: z.string(), about: z.string() })
export type DemoUser = z.infer<typeof DemoUser>

/** The users of the local stage; none on other stages. */
export const DemoUsersAnswer = z.object({
  users: z.array(DemoUser),
  /** True if a connected CMS has the users: they log in there, and open the chat there. */
  isElsewhere: z.boolean(),
})
export type DemoUsersAnswer = z.infer<typeof DemoUsersAnswer>

/** The address with which a browser logs in to the consent page, good for once within a minute. */
export const TicketAnswer = z.object({ url: z.url() })
export type TicketAnswer = z.infer<typeof TicketAnswer>
