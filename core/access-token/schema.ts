import * as z from 'zod'

/** How many days a token may be good for. */
export const lifetimes = [7, 30, 90, 365] as const

/** How many tokens a user may have at a time, those that have ended not counted. */
export const maxTokens = 10

/** `POST /access-tokens/create`: what the user calls the token, and for how many days it is good. */
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

/** `POST /access-tokens/revoke`: the token that is meant. */
export const RevokeTokenBody = z.strictObject({ id: z.string().min(1).max(64) })
export type RevokeTokenBody = z.infer<typeof RevokeTokenBody>

/** A token as its user sees it; the token itself is in no list. */
export const TokenView = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  /** Null while no program has used it. */
  usedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime(),
})
export type TokenView = z.infer<typeof TokenView>

/** The tokens of a user, newest first. */
export const TokensAnswer = z.object({ tokens: z.array(TokenView) })
export type TokensAnswer = z.infer<typeof TokensAnswer>

/** The same with the new token, which only this answer contains. */
export const CreatedTokenAnswer = TokensAnswer.extend({ token: z.string() })
export type CreatedTokenAnswer = z.infer<typeof CreatedTokenAnswer>
