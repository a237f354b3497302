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

/** The user, the CSRF token for requests that change something, and the user's right to use the chat. */
export const SessionAnswer = z.object({ user: Actor, csrfToken: z.string(), mayChat: z.boolean() })
export type SessionAnswer = z.infer<typeof SessionAnswer>

/** A session for callers that store the token themselves because they cannot use cookies; it ends in `lastsSeconds`. */
export const BearerAnswer = SessionAnswer.extend({ token: z.string(), lastsSeconds: z.int() })
export type BearerAnswer = z.infer<typeof BearerAnswer>

/** A user whom the login page of the local stage offers with one click. */
export const DemoUser = z.object({ username: z.string(), password: z.string(), about: z.string() })
export type DemoUser = z.infer<typeof DemoUser>

/** The users of the local stage; empty on other stages. */
export const DemoUsersAnswer = z.object({
  users: z.array(DemoUser),
  /** True if the users belong to a connected CMS: they log in there, and open the chat there. */
  isElsewhere: z.boolean(),
})
export type DemoUsersAnswer = z.infer<typeof DemoUsersAnswer>

/** The URL that logs a browser in at the consent page; valid once within a minute. */
export const TicketAnswer = z.object({ url: z.url() })
export type TicketAnswer = z.infer<typeof TicketAnswer>
