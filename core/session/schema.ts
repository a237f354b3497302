import * as z from 'zod'
import { Actor } from '../actor.ts'

/** What a person types to log in. */
export const Credentials = z.strictObject({
  username: z.string().min(1).max(255),
  password: z.string().max(1_024),
})
export type Credentials = z.infer<typeof Credentials>

/** A signed statement of a CMS elsewhere about who is asking. */
export const Exchange = z.strictObject({ token: z.string().min(1).max(8_192) })
export type Exchange = z.infer<typeof Exchange>

/** Who is logged in, what a request that changes something carries, and whether the chat is offered at all. */
export const SessionAnswer = z.object({ user: Actor, csrfToken: z.string(), mayChat: z.boolean() })
export type SessionAnswer = z.infer<typeof SessionAnswer>

/** A session for callers that keep the token themselves, because no cookie reaches them; it ends `lastsSeconds` from now. */
export const BearerAnswer = SessionAnswer.extend({ token: z.string(), lastsSeconds: z.int() })
export type BearerAnswer = z.infer<typeof BearerAnswer>

/** A user whom the login page of the local stage offers with one click. */
export const DemoUser = z.object({ username: z.string(), password: z.string(), about: z.string() })
export type DemoUser = z.infer<typeof DemoUser>

/** Users of the local stage; none elsewhere. */
export const DemoUsersAnswer = z.object({
  users: z.array(DemoUser),
  /** The users are those of a CMS elsewhere: they log in there, and open the chat there. */
  isElsewhere: z.boolean(),
})
export type DemoUsersAnswer = z.infer<typeof DemoUsersAnswer>
