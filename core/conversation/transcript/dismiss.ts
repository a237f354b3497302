import { notice } from './notice.ts'
import type { Pending } from './pending.ts'
import { resultRow } from './result.ts'
import type { Message } from './schema.ts'
import { approvalExpiryDays, notRun } from './schema.ts'

/** The reasons why proposed calls will never run. */
export type Reason = 'superseded' | 'cancelled' | 'expired' | 'archived' | 'deleted'

const texts: Record<Reason, string> = {
  superseded: `${notRun}the user wrote a new message instead of deciding. Do not assume that anything changed.`,
  cancelled: `${notRun}the user stopped the turn before this call. It changed nothing.`,
  expired: `${notRun}the user did not decide within ${approvalExpiryDays} days. Nothing changed.`,
  archived: `${notRun}the user archived the conversation before deciding. Nothing changed.`,
  deleted: `${notRun}the user deleted the conversation before deciding. Nothing changed.`,
}

/**
 * The rows that end a proposal without a decision: a result for each open call, because every call needs one, and a
 * notice for the user if the reason has one.
 */
export function dismiss(
  pending: Pick<Pending, 'open' | 'runId'> & Partial<Pick<Pending, 'calls'>>,
  reason: Reason,
  lang: string,
  at: string,
): Omit<Message, 'sequence'>[] {
  const result = { text: texts[reason], isError: true, outcome: 'notRun' } as const
  const results = pending.open.map((call) => resultRow(call, result, at, pending.runId))
  const isQuestion = pending.calls?.some(({ question }) => question) ?? false
  if (reason === 'archived' || reason === 'deleted') return results
  // The result row of a question says that it has no answer; only a stopped turn also gets a notice.
  if (isQuestion && reason !== 'cancelled') return results
  return [...results, notice(reason, lang, at, pending.runId)]
}
