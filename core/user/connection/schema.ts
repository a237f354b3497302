import * as z from 'zod'
import { maxCharacters } from '../../base/characters.ts'

/** The name of an MCP server in the settings. */
const Server = z.string().min(1).max(24)

/** `POST /connections/begin` and `/connections/disconnect`: the name of the server. */
export const ServerBody = z.strictObject({ server: Server })

/**
 * `POST /connections/token`: a token that the user created at the server; visible ASCII, as an HTTP header requires.
 */
export const TokenBody = z.strictObject({
  server: Server,
  token: z
    .string()
    .trim()
    .max(maxCharacters.secret)
    .regex(/^[\x21-\x7e]+$/, 'visible ASCII characters without spaces'),
})
export type TokenBody = z.infer<typeof TokenBody>

/** The query of an authorization server's redirect; servers may add further parameters. */
export const CallbackQuery = z.object({
  state: z.string().max(200).default(''),
  code: z.string().max(8_192).optional(),
  iss: z.string().max(2_048).optional(),
  error: z.string().max(200).optional(),
  /** The person confirms the account that gets the grant. */
  confirmed: z.literal('yes').optional(),
})
export type CallbackQuery = z.infer<typeof CallbackQuery>

/** The answer to `begin`: the address for the browser, valid for ten minutes. */
export const BeginAnswer = z.object({ url: z.url() })
export type BeginAnswer = z.infer<typeof BeginAnswer>

/** The state of a user's connection: no grant, a grant, or a grant that the server no longer accepts. */
export const ConnectionState = z.enum(['none', 'connected', 'ended'])

/** A server that needs a grant of each user, and the state of the user's connection. */
export const ConnectionView = z.object({
  server: z.string(),
  /** The server's own name; the name in the settings if the stage has never reached the server. */
  title: z.string(),
  auth: z.enum(['oauth', 'token']),
  state: ConnectionState,
  /** The start of the connection; null if the user is not connected. */
  since: z.string().nullable(),
  /** The reason why tools of the server are off, in the user's language; null if no problem is known. */
  issue: z.string().nullable(),
})
export type ConnectionView = z.infer<typeof ConnectionView>

/** The answer for the dialog `Connections`: every server that needs a grant of the user. */
export const ConnectionsAnswer = z.object({ connections: z.array(ConnectionView) })
export type ConnectionsAnswer = z.infer<typeof ConnectionsAnswer>
