import * as z from 'zod'

/** The name of a server of tools, as the settings have it. */
const Server = z.string().min(1).max(24)

/** `POST /connections/begin` and `/connections/disconnect`: the server that is meant. */
export const ServerBody = z.strictObject({ server: Server })
export type ServerBody = z.infer<typeof ServerBody>

/** `POST /connections/token`: a token that the user made at the server; visible ASCII, as a header takes it. */
export const TokenBody = z.strictObject({
  server: Server,
  token: z
    .string()
    .trim()
    .max(8_192)
    .regex(/^[\x21-\x7e]+$/, 'visible ASCII characters without spaces'),
})
export type TokenBody = z.infer<typeof TokenBody>

/** Where a browser comes back to from a server of grants, with whatever else that server adds. */
export const CallbackQuery = z.object({
  state: z.string().max(200).default(''),
  code: z.string().max(8_192).optional(),
  iss: z.string().max(2_048).optional(),
  error: z.string().max(200).optional(),
  /** The person has read on whose account the grant is put. */
  confirmed: z.literal('yes').optional(),
})
export type CallbackQuery = z.infer<typeof CallbackQuery>

/** The answer to `begin`: the address that the browser opens, good for ten minutes. */
export const BeginAnswer = z.object({ url: z.url() })
export type BeginAnswer = z.infer<typeof BeginAnswer>

/** How a user stands to a server: without a grant, with one, or with one that the server takes no longer. */
export const ConnectionState = z.enum(['none', 'connected', 'ended'])
export type ConnectionState = z.infer<typeof ConnectionState>

/** A server that wants a grant of each user, and how the user stands to it. */
export const ConnectionView = z.object({
  server: z.string(),
  /** As the server names itself; its name in the settings where it was never reached. */
  title: z.string(),
  auth: z.enum(['oauth', 'token']),
  state: ConnectionState,
  /** Since when the user is connected; null while they are not. */
  since: z.string().nullable(),
  /** Why tools of the server are off now, in the user's language; null where nothing is known to be wrong. */
  issue: z.string().nullable(),
})
export type ConnectionView = z.infer<typeof ConnectionView>

/** What the dialog `Connections` shows. */
export const ConnectionsAnswer = z.object({ connections: z.array(ConnectionView) })
export type ConnectionsAnswer = z.infer<typeof ConnectionsAnswer>
