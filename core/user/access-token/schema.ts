import * as z from 'zod'
import { item, number, type Of, optional, text } from '../../base/aws/item.ts'
import type { Key } from '../../base/aws/table.ts'

/** The lifetimes of a token that a user can choose, in days. */
export const lifetimes = [7, 30, 90, 365] as const

/** The most tokens of a user at a time, expired ones not counted. */
export const maxTokens = 10

/** `POST /access-tokens/create`: the token's name, and its lifetime in days. */
export const CreateTokenBody = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'one line of visible characters'),
  days: z.literal([...lifetimes]).default(90),
})
export type CreateTokenBody = z.infer<typeof CreateTokenBody>

/** `POST /access-tokens/revoke`: the token's id. */
export const RevokeTokenBody = z.strictObject({ id: z.string().min(1).max(64) })
export type RevokeTokenBody = z.infer<typeof RevokeTokenBody>

/** The scopes of a token: reading, and proposing changes. */
export const scopes = ['read', 'propose'] as const
export type Scope = (typeof scopes)[number]

/** A token in the list for its user, without the token itself. */
export const TokenView = z.object({
  id: z.string(),
  name: z.string(),
  /** The host of a program that has its access by OAuth; null for a token that the user made. */
  host: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** Null until a program uses it. */
  usedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime(),
})
export type TokenView = z.infer<typeof TokenView>

/** The tokens of a user, newest first; `oauth` is true where a program may ask the user for access itself. */
export const TokensAnswer = z.object({ tokens: z.array(TokenView), oauth: z.boolean() })
export type TokensAnswer = z.infer<typeof TokensAnswer>

/** The tokens and the new token itself, which only this answer contains. */
export const CreatedTokenAnswer = TokensAnswer.extend({ token: z.string() })
export type CreatedTokenAnswer = z.infer<typeof CreatedTokenAnswer>

/**
 * The stored form of an access token, below its owner (`user#<uid>`, `access-token#<id>`), so that an erasure of the user
 * finds it. Each secret of it is stored as a hash. Times are in milliseconds since the epoch.
 */
export const codec = item('access token', 1, {
  id: text('id'),
  name: text('name', ''),
  tokenHash: text('token_hash'),
  createdAt: number('created_at'),
  until: number('until'),
  usedAt: optional(number('used_at')),
  /** The start of the current minute and hour, and the uses counted in each. */
  minute: number('minute', 0),
  minuteUses: number('minute_uses', 0),
  hour: number('hour', 0),
  hourUses: number('hour_uses', 0),
  scope: text('scope', scopes.join(' ')),
  /** The OAuth client that the user let in, and the host that it leads to. Only a grant by OAuth has these and the rest. */
  clientHash: optional(text('client_hash')),
  host: optional(text('client_host')),
  /** Marks every code and refresh token of the grant as one of its own. */
  familyHash: optional(text('family_hash')),
  /** The code until it is redeemed; then the refresh token that is good, and the one before it. */
  nextHash: optional(text('next_hash')),
  beforeHash: optional(text('before_hash')),
  rotatedAt: optional(number('rotated_at')),
  accessUntil: optional(number('access_until')),
  /** The challenge of PKCE and the redirect URI of a code that is not redeemed. */
  challenge: optional(text('challenge')),
  redirectHash: optional(text('redirect_hash')),
})

/** Secret attributes: no export contains them. */
export const secretAttributes = (['tokenHash', 'familyHash', 'nextHash', 'beforeHash'] as const).map(
  (name) => codec.attributes[name],
)

/** An access token as it is stored. */
export type AccessToken = Of<typeof codec.fields>

/** Key of a token: below its owner. */
export const key = (uid: number, id: string): Key => ({ pk: `user#${uid}`, sk: `access-token#${id}` })
