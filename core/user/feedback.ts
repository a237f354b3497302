import { choice, item, number, type Of, optional, text, time } from '../base/aws/item.ts'
import { type Key, pages } from '../base/aws/table.ts'
import { Reason, Verdict } from './schema.ts'

/** Reads the stage's feedback of the days `from` to `to` (`YYYY-MM-DD`, UTC), oldest first. Scans the whole table. */
export async function feedbackOf({ from, to }: { from: string; to: string }): Promise<FeedbackRow[]> {
  const found: FeedbackRow[] = []
  const matching = pages({
    FilterExpression: 'sk = :feedback AND begins_with(pk, :run)',
    ExpressionAttributeValues: { ':feedback': sortKey, ':run': 'run#' },
  })
  for await (const rows of matching) {
    for (const row of rows) {
      const [, user, runId = ''] = String(row.pk).split('#')
      const { expiresAt: _, ...feedback } = codec.decode(row)
      const day = feedback.at.slice(0, 10)
      if (day >= from && day <= to) found.push({ ...feedback, runId, user: Number(user) })
    }
  }
  return found.sort((one, other) => (one.at < other.at ? -1 : 1))
}

/** The counts of verdicts and reasons in one group. */
type FeedbackSum = { helpful: number; notHelpful: number; reasons: Partial<Record<Reason, number>> }

/** Returns the sums of the rows in groups, sorted by key; `keyOf` returns the group of a row. */
export function sumFeedback(
  rows: FeedbackRow[],
  keyOf: (row: FeedbackRow) => string,
): [key: string, sum: FeedbackSum][] {
  const sums = new Map<string, FeedbackSum>()
  for (const row of rows) {
    const key = keyOf(row)
    const sum = sums.get(key) ?? { helpful: 0, notHelpful: 0, reasons: {} }
    sum[row.verdict]++
    if (row.reason) sum.reasons[row.reason] = (sum.reasons[row.reason] ?? 0) + 1
    sums.set(key, sum)
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1))
}

/**
 * The stored form of feedback: an item in the run's partition, so that it is exported, erased and expires with the run.
 */
export const codec = item('feedback', 1, {
  verdict: choice('verdict', Verdict, 'notHelpful'),
  reason: optional(choice('reason', Reason, 'other')),
  words: text('words', ''),
  /** The id of the model that answered; empty if unknown. */
  model: text('model', ''),
  /** The version of the prompt that the model got; empty if unknown. */
  promptVersion: text('prompt_version', ''),
  at: time('at'),
  /** Seconds since the epoch, as for the run; undefined: kept until the run is removed. */
  expiresAt: optional(number('expires_at')),
})

/** Feedback for an operator, without any message text; the run id leads to its steps. */
export type FeedbackRow = Omit<Of<typeof codec.fields>, 'expiresAt'> & { runId: string; user: number }

/** The sort key of feedback in the partition of its run. */
const sortKey = 'feedback'
/** Returns the table key of the feedback on a run; `partition` is the partition of the run. */
export const key = (partition: string): Key => ({ pk: partition, sk: sortKey })
