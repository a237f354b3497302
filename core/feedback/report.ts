import { pages } from '../aws/scan.ts'
import { codec, sortKey } from './item.ts'
import type { Reason, Verdict } from './schema.ts'

/** Feedback as an operator reads it; the run leads to its steps, and no line has a message in it. */
export type FeedbackRow = {
  at: string
  runId: string
  user: number
  verdict: Verdict
  reason: Reason | undefined
  words: string
  model: string
  promptVersion: string
}

/** The feedback that the stage has, of days from `from` to `to` (`YYYY-MM-DD`, UTC), oldest first. Reads the whole table. */
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

/** How many said what of one kind of answer. */
export type FeedbackSum = { helpful: number; notHelpful: number; reasons: Partial<Record<Reason, number>> }

/** The sums of the rows by what `keyOf` says of each, by key. */
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
