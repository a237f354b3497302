import type { Actor } from '../actor.ts'
import * as Run from '../agent/run.ts'
import * as Audit from '../audit/audit.ts'
import type { Cms, Place, UndoResult } from '../cms/cms.ts'
import type { Conversation } from '../conversation/item.ts'
import { VisibleError } from '../error.ts'
import type { Settings } from '../settings/schema.ts'
import { undoneNotice } from '../transcript/notice.ts'
import type { RecordName } from '../transcript/schema.ts'
import * as UndoRow from '../transcript/undo-row.ts'
import { refuseBusy } from './start.ts'

/**
 * Takes back the changes of one turn, or with `record` those to that record, except those to records that changed again
 * since, and lists the exceptions. A row in the transcript reports it to the user and to the model of the next turn. A
 * repeated undo changes nothing more.
 */
export async function undo(
  actor: Actor,
  cms: Cms,
  it: Conversation,
  { runId, record }: { runId: string; record?: Place | undefined },
  { retainAuditDays }: Pick<Settings, 'retainAuditDays'>,
  now: number,
): Promise<UndoResult> {
  refuseBusy(it)
  const run = await Run.find(actor.uid, runId, now)
  if (run?.conversationId !== it.id) throw new VisibleError('run.notFound')
  if (record && !(await cms.capabilities()).undoOne) throw new VisibleError('request.invalid')
  const resources = [
    { type: 'conversation', uid: it.id },
    ...(record ? [{ type: record.table, uid: record.uid }] : []),
  ]
  // Before it is done: an undo that the audit does not know is worse than an entry for one that changed nothing.
  await Audit.note({ act: 'undo', uid: actor.uid, source: 'web', runId, resources }, retainAuditDays, now)
  const result = await cms.undo(actor, runId, now, record)
  if (result.undone.length > 0) await tell(actor, cms, it, runId, result, now)
  return result
}

async function tell(
  actor: Actor,
  cms: Cms,
  it: Conversation,
  runId: string,
  result: UndoResult,
  now: number,
): Promise<void> {
  const at = new Date(now).toISOString()
  const [records, conflicts] = await Promise.all([
    Promise.all(result.undone.map((one) => named(actor, cms, one))),
    Promise.all(
      result.conflicts.map(async ({ reason, ...one }) => ({ ...(await named(actor, cms, one)), reason })),
    ),
  ])
  const row = undoneNotice(records, conflicts, actor.lang, at, runId)
  await UndoRow.store(it, row)
}

/** The record with its title as it is now; without one where it is gone, or the user may not see it. */
async function named(actor: Actor, cms: Cms, { table, uid }: Omit<RecordName, 'title'>): Promise<RecordName> {
  return { table, uid, title: (await cms.record(actor, table, uid))?.title ?? '' }
}
