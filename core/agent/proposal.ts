import type { Actor } from '../base/actor.ts'
import { hash } from '../base/hash.ts'
import type { PendingCall } from '../conversation/schema.ts'
import { heading } from '../tool/tool.ts'
import { digest, type Shown } from './approval.ts'
import type { Planned, PlannedCall, PlannedQuestion, PlannedWrite } from './plan.ts'

/** The writes of a reply for one decision, or the question of the reply. */
export type Proposal = Omit<Shown, 'runId' | 'owner'> & { digest: string }

/** Returns the proposal of the planned calls that need the user's decision; undefined if none needs one. */
export function proposal(
  planned: Planned[],
  { runId, actor }: { runId: string; actor: Actor },
): Proposal | undefined {
  const waiting = planned.filter((one) => one.kind !== 'read' && one.kind !== 'refuse')
  if (waiting.length === 0) return undefined
  const needed = new Set(waiting.flatMap((one) => (one.kind === 'write' && one.needs ? [one.needs] : [])))
  const calls = waiting.map((one) => {
    const { editable, ...call } = pending(one, actor.lang)
    // A reworded call would change the previews of later calls that need it.
    return { ...call, ...(editable && !needed.has(call.id) && !call.needs && { editable }) }
  })
  const versions = Object.fromEntries(
    waiting.map((one) => [one.call.id, one.kind === 'write' ? one.preview.versions : []]),
  )
  const definitions = Object.fromEntries(
    waiting.flatMap((one) => (one.kind === 'ask' ? [] : [[one.call.id, definitionOf(one)]])),
  )
  const shown = { calls, versions, definitions }
  return { digest: digest({ runId, owner: actor.uid, ...shown }), ...shown }
}

/** Returns the hash of a call's exact effect: of the write to send, or of the remote tool. */
export const definitionOf = (
  one: Pick<PlannedWrite, 'kind' | 'preview'> | Pick<PlannedCall, 'kind' | 'tool'>,
): string => (one.kind === 'call' ? one.tool.definition : hash(one.preview.put))

/** Returns a call in the form that the user sees for the decision. */
function pending(one: PlannedWrite | PlannedCall | PlannedQuestion, lang: string): PendingCall {
  if (one.kind === 'write') return pendingWrite(one, lang)
  const { id, name, arguments: args } = one.call
  const call = { id, tool: name, arguments: args, preview: null }
  if (one.kind === 'ask') return { ...call, title: one.question.text, question: one.question }
  const word = one.word === undefined ? {} : { word: one.word }
  return { ...call, title: heading(one.tool, { label: '', changes: [] }, lang), ...word }
}

/**
 * Returns a write in the form that the user sees for the decision. The user may reword text that is shown completely.
 */
export function pendingWrite(write: Omit<PlannedWrite, 'kind' | 'drafts'>, lang: string): PendingCall {
  const { call, tool, change, wording, effect, added, needs } = write
  const { versions: _, put: __, after: ___, ...preview } = write.preview
  const { changes } = preview
  const editable = changes.flatMap(({ field, after }) => {
    // A CMS may have no value for a field that the user emptied.
    const text = after ?? wording?.[field]
    return text !== undefined && change.fields?.[field] === text && !added?.[field] ? [field] : []
  })
  return {
    id: call.id,
    tool: call.name,
    arguments: call.arguments,
    title: heading(tool, preview, lang, call.arguments),
    preview,
    ...(editable.length > 0 && { editable }),
    ...(wording && { wording }),
    ...(effect && { effect }),
    ...(added && { added }),
    ...(needs && { needs }),
  }
}
