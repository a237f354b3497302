import * as z from 'zod'
import { item, number, type Of, optional, text } from '../../base/aws/item.ts'
import type { Key } from '../../base/aws/table.ts'
import { maxCharacters } from '../../base/characters.ts'
import type { Settings } from '../../stage/settings/schema.ts'

/** The lifetimes that a user can choose for a token, in days. */
export const lifetimes = [7, 30, 90, 365] as const

/** The maximum number of tokens of a user; expired tokens do not count. */
export const maxTokens = 10

/** `POST /access-tokens/create`: the name of the token, and its lifetime in days. */
export const CreateTokenBody = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(maxCharacters.tokenName)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'one line of visible characters'),
  days: z.literal([...lifetimes]).default(90),
})
export type CreateTokenBody = z.infer<typeof CreateTokenBody>

/** `POST /access-tokens/revoke`: the token's id. */
export const RevokeTokenBody = z.strictObject({ id: z.string().min(1).max(64) })

/** The scopes of a token: reading, and proposing changes. */
export const scopes = ['read', 'propose'] as const
export type Scope = (typeof scopes)[number]

/** A token in its user's list, without the token itself. */
export const TokenView = z.object({
  id: z.string(),
  name: z.string(),
  /** The host of a program that got access by OAuth; null for a token that the user created. */
  host: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** Null until a program uses the token. */
  usedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime(),
})
export type TokenView = z.infer<typeof TokenView>

/** The tokens of a user, newest first; `oauth` is true if programs may ask users for access by OAuth. */
export const TokensAnswer = z.object({ tokens: z.array(TokenView), oauth: z.boolean() })
export type TokensAnswer = z.infer<typeof TokensAnswer>

/** The tokens and the new token itself, which only this answer contains. */
export const CreatedTokenAnswer = TokensAnswer.extend({ token: z.string() })
export type CreatedTokenAnswer = z.infer<typeof CreatedTokenAnswer>

/**
 * The stored form of an access token, in its owner's partition (`user#<uid>`, `access-token#<id>`), where an erasure
 * finds it. Secrets are stored only as hashes. Times are in milliseconds since the epoch.
 */
export const codec = item('access token', 1, {
  id: text('id'),
  name: text('name', ''),
  tokenHash: text('token_hash'),
  createdAt: number('created_at'),
  until: number('until'),
  usedAt: optional(number('used_at')),
  /** The start of the current minute and hour, and the counted uses in each. */
  minute: number('minute', 0),
  minuteUses: number('minute_uses', 0),
  hour: number('hour', 0),
  hourUses: number('hour_uses', 0),
  scope: text('scope', scopes.join(' ')),
  /**
   * The OAuth client that the user allowed, and the host of its redirect URI. Only OAuth grants have this and the
   * attributes below.
   */
  clientHash: optional(text('client_hash')),
  host: optional(text('client_host')),
  /** The hash of the family secret, which every code and refresh token of the grant contains. */
  familyHash: optional(text('family_hash')),
  /** Until the code is redeemed, the hash of the code; after that, the hash of the valid refresh token. */
  nextHash: optional(text('next_hash')),
  /** The hash of the code or refresh token before `nextHash`. */
  beforeHash: optional(text('before_hash')),
  rotatedAt: optional(number('rotated_at')),
  accessUntil: optional(number('access_until')),
  /** The PKCE challenge and the redirect URI of a code that is not redeemed yet. */
  challenge: optional(text('challenge')),
  redirectHash: optional(text('redirect_hash')),
})

/** The secret attributes, which no export contains. */
export const secretAttributes = (['tokenHash', 'familyHash', 'nextHash', 'beforeHash'] as const).map(
  (name) => codec.attributes[name],
)

/** An access token in its stored form. */
export type AccessToken = Of<typeof codec.fields>

/** Returns the table key of a token, in its owner's partition. */
export const key = (uid: number, id: string): Key => ({ pk: `user#${uid}`, sk: `access-token#${id}` })

/** True if users of the stage may give programs access by OAuth. */
export const hasOAuth = ({ accessTokens }: Pick<Settings, 'accessTokens'>): boolean =>
  accessTokens !== null && accessTokens.oauth !== false
