import * as Table from '../../base/aws/table.ts'
import { VisibleError } from '../../base/error.ts'
import { codec, key } from './schema.ts'

/** The uses of a token, or of all sessions of a user by programs, the limit of each, and the attributes of its row that count them. */
export const tokenLimits = {
  /** Requests. */
  minute: { ms: 60_000, most: 60, attribute: codec.attributes.minute, uses: codec.attributes.minuteUses },
  /** Proposals: each is a conversation that its user has to look at. */
  hour: { ms: 3_600_000, most: 20, attribute: codec.attributes.hour, uses: codec.attributes.hourUses },
} as const

/** The row in which the uses of all sessions of a user are counted: a program may have another session for each call. */
const ofSessions = (uid: number) => ({ pk: key(uid, '').pk, sk: 'session-calls' })

/**
 * Counts a use of a token, or of a session, and stores its time. Throws `token.throttled` with the time to wait, and
 * `session.expired` for a token that was revoked meanwhile.
 */
export async function takeCall(
  uid: number,
  { id, isSession }: { id: string; isSession?: true },
  window: keyof typeof tokenLimits,
  now: number,
): Promise<void> {
  const { ms, most, attribute, uses } = tokenLimits[window]
  const began = now - (now % ms)
  const place = isSession ? ofSessions(uid) : key(uid, id)
  const { usedAt } = codec.attributes
  const goesOn = () =>
    Table.assign(place, {
      set: { [usedAt]: now },
      add: { [uses]: 1 },
      condition: `attribute_exists(pk) AND #window = :began AND #${uses} < :most`,
      names: { '#window': attribute },
      values: { ':began': began, ':most': most },
    })
  if (await goesOn()) return
  const begins = await Table.assign(place, {
    set: { [attribute]: began, [uses]: 1, [usedAt]: now },
    condition: `${isSession ? 'attribute_not_exists(#window) OR' : 'attribute_exists(pk) AND'} #window < :began`,
    names: { '#window': attribute },
    values: { ':began': began },
  })
  // Another request may have started the same window meanwhile: this one counts in it.
  if (begins || (await goesOn())) return
  if (!(await Table.get(place))) throw new VisibleError('session.expired')
  throw new VisibleError('token.throttled', { retryAfterMs: began + ms - now })
}
