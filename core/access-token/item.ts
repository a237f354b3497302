import { item, number, type Of, optional, text } from '../aws/item.ts'
import type { Key } from '../aws/table.ts'

/**
 * The stored form of an access token, below its owner (`user#<uid>`, `access-token#<id>`), so that an erasure of the user
 * finds it. The token itself is not stored. Times are in milliseconds since the epoch.
 */
export const codec = item('access token', 1, {
  id: text('id'),
  name: text('name', ''),
  /** No export shows the attribute of this name. */
  tokenHash: text('token_hash'),
  createdAt: number('created_at'),
  until: number('until'),
  usedAt: optional(number('used_at')),
  /** The minute and the hour that are counted, by their beginning, and how much of each is used. */
  minute: number('minute', 0),
  minuteUses: number('minute_uses', 0),
  hour: number('hour', 0),
  hourUses: number('hour_uses', 0),
})

/** An access token as it is stored. */
export type AccessToken = Of<typeof codec.fields>

/** Key of a token: below its owner. */
export const key = (uid: number, id: string): Key => ({ pk: `user#${uid}`, sk: `access-token#${id}` })
