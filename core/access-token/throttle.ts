import * as Table from '../aws/table.ts'
import { VisibleError } from '../error.ts'
import { type AccessToken, codec, key } from './item.ts'

/** What a token may be used for, how often, and in which attributes of its row that is counted. */
export const limits = {
  /** Requests. */
  minute: { ms: 60_000, most: 60, attribute: codec.attributes.minute, uses: codec.attributes.minuteUses },
  /** Proposals: each is a conversation that its user has to look at. */
  hour: { ms: 3_600_000, most: 20, attribute: codec.attributes.hour, uses: codec.attributes.hourUses },
} as const

/**
 * Counts a use of a token, and notes when it was. Throws `token.throttled` with the time to wait, and `session.expired`
 * for a token that was revoked meanwhile.
 */
export async function take(
  uid: number,
  { id }: Pick<AccessToken, 'id'>,
  window: keyof typeof limits,
  now: number,
): Promise<void> {
  const { ms, most, attribute, uses } = limits[window]
  const began = now - (now % ms)
  const place = key(uid, id)
  const names = { '#window': attribute, '#uses': uses, '#used': codec.attributes.usedAt }
  const goesOn = await Table.update(place, {
    UpdateExpression: 'ADD #uses :one SET #used = :now',
    ConditionExpression: 'attribute_exists(pk) AND #window = :began AND #uses < :most',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ':one': 1, ':now': now, ':began': began, ':most': most },
  })
  if (goesOn) return
  const begins = await Table.update(place, {
    UpdateExpression: 'SET #window = :began, #uses = :one, #used = :now',
    ConditionExpression: 'attribute_exists(pk) AND #window < :began',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ':one': 1, ':now': now, ':began': began },
  })
  if (begins) return
  if (!(await Table.get(place))) throw new VisibleError('session.expired')
  throw new VisibleError('token.throttled', { retryAfterMs: began + ms - now })
}
