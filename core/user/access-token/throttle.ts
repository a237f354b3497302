import * as Table from '../../base/aws/table.ts'
import { VisibleError } from '../../base/error.ts'
import { type AccessToken, codec, key } from './schema.ts'

/** The uses of a token, the limit of each, and the attributes of its row that count them. */
export const tokenLimits = {
  /** Requests. */
  minute: { ms: 60_000, most: 60, attribute: codec.attributes.minute, uses: codec.attributes.minuteUses },
  /** Proposals: each is a conversation that its user has to look at. */
  hour: { ms: 3_600_000, most: 20, attribute: codec.attributes.hour, uses: codec.attributes.hourUses },
} as const

/**
 * Counts a use of a token and stores its time. Throws `token.throttled` with the time to wait, and `session.expired`
 * for a token that was revoked meanwhile.
 */
export async function takeCall(
  uid: number,
  { id }: Pick<AccessToken, 'id'>,
  window: keyof typeof tokenLimits,
  now: number,
): Promise<void> {
  const { ms, most, attribute, uses } = tokenLimits[window]
  const began = now - (now % ms)
  const place = key(uid, id)
  const names = { '#window': attribute, '#uses': uses, '#used': codec.attributes.usedAt }
  const goesOn = () =>
    Table.update(place, {
      UpdateExpression: 'ADD #uses :one SET #used = :now',
      ConditionExpression: 'attribute_exists(pk) AND #window = :began AND #uses < :most',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':one': 1, ':now': now, ':began': began, ':most': most },
    })
  if (await goesOn()) return
  const begins = await Table.update(place, {
    UpdateExpression: 'SET #window = :began, #uses = :one, #used = :now',
    ConditionExpression: 'attribute_exists(pk) AND #window < :began',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ':one': 1, ':now': now, ':began': began },
  })
  // Another request may have started the same window meanwhile: this one counts in it.
  if (begins || (await goesOn())) return
  if (!(await Table.get(place))) throw new VisibleError('session.expired')
  throw new VisibleError('token.throttled', { retryAfterMs: began + ms - now })
}
