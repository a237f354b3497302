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

/** A token in the list for its user, without the token itself. */
export const TokenView = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  /** Null until a program uses it. */
  usedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime(),
})
export type TokenView = z.infer<typeof TokenView>

/** The tokens of a user, newest first. */
export const TokensAnswer = z.object({ tokens: z.array(TokenView) })
export type TokensAnswer = z.infer<typeof TokensAnswer>

/** The tokens and the new token itself, which only this answer contains. */
export const CreatedTokenAnswer = TokensAnswer.extend({ token: z.string() })
export type CreatedTokenAnswer = z.infer<typeof CreatedTokenAnswer>

/**
 * The stored form of an access token, below its owner (`user#<uid>`, `access-token#<id>`), so that an erasure of the user
 * finds it. The token itself is not stored. Times are in milliseconds since the epoch.
 */
export const codec = item('access token', 1, {
  id: text('id'),
  name: text('name', ''),
  /** Exports omit this attribute. */
  tokenHash: text('token_hash'),
  createdAt: number('created_at'),
  until: number('until'),
  usedAt: optional(number('used_at')),
  /** The start of the current minute and hour, and the uses counted in each. */
  minute: number('minute', 0),
  minuteUses: number('minute_uses', 0),
  hour: number('hour', 0),
  hourUses: number('hour_uses', 0),
})

/** An access token as it is stored. */
export type AccessToken = Of<typeof codec.fields>

/** Key of a token: below its owner. */
export const key = (uid: number, id: string): Key => ({ pk: `user#${uid}`, sk: `access-token#${id}` })
