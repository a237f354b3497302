import type { CallOutcome, Message } from '../transcript/schema.ts'
import { positionOf } from '../transcript/schema.ts'
import type { Call } from './entry.ts'

/** Of so many singles that failed in the same way, or that the user reworded, the model reads the whole result. */
const mostTexts = 3

const words: Partial<Record<CallOutcome, string>> = {
  done: 'Stored',
  denied: 'Denied by the user, nothing was changed',
  conflict: 'Not stored, the record was changed meanwhile',
  notRun: 'Not run',
  unknown: 'Unknown whether stored',
}

/**
 * What the model reads of a batch: which records ended how, by their uids, and some results in full. `rest` is the result
 * that the whole batch got, for the singles without one.
 */
export function batchResult(
  call: Pick<Call, 'arguments'>,
  singles: readonly Message[],
  rest: Call['result'] | undefined,
): Call['result'] {
  const changes = Array.isArray(call.arguments.changes) ? call.arguments.changes : []
  const uidOf = ({ toolCallId = '' }: Message) => changes[positionOf(toolCallId)]?.uid
  const groups = Map.groupBy(singles, ({ outcome = 'done' }) => outcome)
  const lines = [...groups].flatMap(([outcome, rows]) => {
    const uids = rows.map((row) => `[${uidOf(row)}]`).join(' ')
    const telling = outcome === 'done' ? rows.filter(({ edited }) => edited) : rows
    const texts = telling.slice(0, mostTexts).map((row) => `[${uidOf(row)}]: ${row.content}`)
    return [`${words[outcome] ?? 'Not stored'}: ${rows.length} of ${changes.length}: ${uids}`, ...texts]
  })
  const isComplete = singles.length >= changes.length
  return {
    text: [
      ...lines,
      ...(isComplete || !rest ? [] : [`The other ${changes.length - singles.length}: ${rest.text}`]),
    ].join('\n'),
    isError: !groups.has('done'),
  }
}
