import type { Run as Stored } from '../agent/run-item.ts'
import * as Run from '../agent/run-record.ts'
import { takeBack } from '../agent/undo/undo.ts'
import type { Actor } from '../base/actor.ts'
import { VisibleError } from '../base/error.ts'
import type { Cms, Place, UndoResult } from '../cms/cms.ts'
import type { Conversation } from '../conversation/item.ts'
import { undoneNotice } from '../conversation/transcript/notice.ts'
import type { RecordName } from '../conversation/transcript/schema.ts'
import * as UndoRow from '../conversation/transcript/undo-row.ts'
import type { Settings } from '../stage/settings/schema.ts'
import * as Audit from '../user/audit/audit.ts'
import { refuseBusy } from './start.ts'

/**
 * Takes back the changes of one turn, or with `record` those to that record, except those to records that changed again
 * since, and lists the exceptions. A row in the transcript reports it to the user and to the model of the next turn. A
 * repeated undo changes nothing more; after one whose process died before its row, it lists and reports what that one
 * has taken back.
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
  const resources = [
    { type: 'conversation', uid: it.id },
    ...(record ? [{ type: record.table, uid: record.uid }] : []),
  ]
  // Audited before the act: an undo without an entry is worse than an entry for an undo that changed nothing.
  await Audit.note({ act: 'undo', uid: actor.uid, source: 'web', runId, resources }, retainAuditDays, now)
  const name = record ? placeName(record) : everything
  await Run.beginUndo(run, name)
  const taken = await takeBack(actor, cms, run, now, record)
  const result = { ...taken, undone: [...taken.undone, ...(await unreported(it, run, name, taken))] }
  if (result.undone.length > 0) await storeRow(actor, cms, it, runId, result, now)
  await Run.endUndo(run, record ? [name] : [name, ...(run.undoing ?? [])])
  return result
}

/** Names the undo of a whole run. */
const everything = 'all'
const placeName = ({ table, uid }: Place) => `${table}#${uid}`

/**
 * The records that an earlier call took back before it could store its row: changed by the run, subject of both calls,
 * not among those that the CMS has just restored, and in no row of the transcript.
 */
async function unreported(it: Conversation, run: Stored, name: string, taken: UndoResult): Promise<Place[]> {
  const begun = run.undoing ?? []
  if (begun.length === 0) return []
  const [intents, rows] = await Promise.all([Run.intents(run), UndoRow.ofRun(it, run.runId)])
  const records = [...taken.undone, ...taken.conflicts, ...rows.flatMap((row) => row.records ?? [])]
  const known = new Set(records.map(placeName))
  const isMeant = (place: string) =>
    !known.has(place) && [begun, [name]].every((names) => names.includes(everything) || names.includes(place))
  const changed = intents.flatMap(({ outcome }) => (outcome?.state === 'done' ? [outcome] : []))
  const places = new Map(changed.map(({ table, uid }) => [placeName({ table, uid }), { table, uid }]))
  return [...places].filter(([place]) => isMeant(place)).map(([, place]) => place)
}

async function storeRow(
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
  await UndoRow.store(it, async (current) => {
    // A second undo at the same time may have stored a row about the same records.
    const others = current.version === it.version ? [] : await UndoRow.ofRun(current, runId)
    const known = new Set(others.flatMap((row) => row.records ?? []).map(placeName))
    const left = records.filter((one) => !known.has(placeName(one)))
    return left.length === 0 ? undefined : undoneNotice(left, conflicts, actor.lang, at, runId)
  })
}

/** The record with its title as it is now; without one where it is gone, or the user may not see it. */
async function named(actor: Actor, cms: Cms, { table, uid }: Omit<RecordName, 'title'>): Promise<RecordName> {
  return { table, uid, title: (await cms.record(actor, { table, uid }))?.title ?? '' }
}
