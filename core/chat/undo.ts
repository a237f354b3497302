import * as Run from '../agent/run-record.ts'
import { intentStoreOf } from '../agent/undo/intent-store.ts'
import { countOpen, type Scene, takeBack, type UndoReport } from '../agent/undo/undo.ts'
import type { Actor } from '../base/actor.ts'
import type { Cms, Place, UndoResult } from '../cms/cms.ts'
import * as Claim from '../conversation/claim.ts'
import type { Conversation } from '../conversation/item.ts'
import { tenantOf } from '../conversation/queue.ts'
import * as Row from '../conversation/row.ts'
import type { ConversationAnswer } from '../conversation/schema.ts'
import { undoneNotice } from '../conversation/transcript/notice.ts'
import * as UndoRow from '../conversation/transcript/undo-row.ts'
import * as Audit from '../user/audit.ts'
import * as Idempotency from './idempotency.ts'
import { restart, type Starter, unbudgeted } from './start.ts'

/** The maximum number of records that an undo within the request takes back; a consumer makes larger undos. */
const mostInRequest = 10

/** Takes back the changes of one turn, or queues the undo of many records. A repeated request changes nothing more. */
export async function undoOnce(
  starter: Starter,
  cms: Cms,
  conversation: Conversation,
  wanted: { runId: string; record?: Place | undefined },
): Promise<ConversationAnswer | UndoResult> {
  const { runId, record } = wanted
  Row.refuseBusy(conversation)
  const run = await Run.ofConversation(starter.actor.uid, conversation.id, runId, starter.now)
  if (!record && (await countOpen({ cms, runId }, await Run.intents(run))) > mostInRequest)
    return queueUndo(starter, conversation, runId)
  const result = await undo(starter, cms, conversation, run, record)
  await Idempotency.keep(starter.request, result, starter.now)
  return result
}

type Undoer = Pick<Starter, 'actor' | 'now'> & { settings: Pick<Starter['settings'], 'retainAuditDays'> }

/**
 * Takes back the changes of one turn, or only its changes of `record`, and returns the records with conflicts. A record
 * that changed again since keeps its value. A row in the transcript reports the undo to the user and to the model of
 * the next turn. A repeated undo changes nothing more. If an earlier undo died before it stored its row, this undo also
 * reports what the earlier undo took back.
 */
export async function undo(
  { actor, settings, now }: Undoer,
  cms: Cms,
  conversation: Conversation,
  run: Run.Run,
  record?: Place,
): Promise<UndoResult> {
  // The audit comes first: an undo without an entry is worse than an entry for an undo that changed nothing.
  await Audit.note(audited(actor, conversation, run.runId, record), settings.retainAuditDays, now)
  return takeBackRun({ actor, cms, conversation, run, now }, record)
}

/** Queues an undo of many records: a consumer runs it with `takeBackRun`, and polls show its progress. */
function queueUndo(starter: Starter, stored: Conversation, runId: string): Promise<ConversationAnswer> {
  const { actor, now } = starter
  return restart(unbudgeted(starter), stored, async (current) => {
    Row.refuseBusy(current)
    const counters = { cancelRequested: false, workedMs: 0, lapses: 0, handovers: 0 }
    // The error of an earlier undo is not the state to which this one returns.
    const cleared = current.undoing ? { errorCode: undefined, errorMessage: undefined } : {}
    return {
      // The steps and the proposal of the last turn stay unchanged.
      changes: { ...Claim.enqueue(now), ...counters, ...cleared, tenant: tenantOf(actor), undoing: runId },
      writes: [Audit.write(audited(actor, stored, runId), starter.settings.retainAuditDays, now)],
      answer: (conversation) => ({ conversation }),
    }
  })
}

function audited({ uid }: Actor, { id }: Conversation, runId: string, record?: Place): Audit.Audited {
  const resources = [
    { type: 'conversation', uid: id },
    ...(record ? [{ type: record.table, uid: record.uid }] : []),
  ]
  return { act: 'undo', uid, source: 'web', runId, resources }
}

/** The inputs of an undo: its conversation and run, and for many records the check `goOn` before each record. */
type Undo = Pick<Scene, 'actor' | 'cms' | 'now' | 'goOn'> & { conversation: Conversation; run: Run.Run }

/** Takes back the changes of a run, or of only one record, and reports the result in the transcript. */
export async function takeBackRun(
  { actor, cms, conversation, run, now, goOn }: Undo,
  record?: Place,
): Promise<UndoResult> {
  const name = record ? placeName(record) : everything
  await Run.beginUndo(run, name)
  const scene: Scene = { actor, cms, runId: run.runId, store: intentStoreOf(run, now), now }
  const taken = await takeBack(goOn ? { ...scene, goOn } : scene, record)
  const undone = [...taken.undone, ...(await unreported(conversation, run, name, taken))]
  const result = { undone, conflicts: taken.conflicts }
  // A request reports the conflicts in its answer. A consumer sends no answer, so it reports the conflicts in a row.
  if (undone.length > 0 || (goOn && result.conflicts.length > 0))
    await storeRow({ actor, cms, conversation, run, now }, result)
  await Run.endUndo(run, record ? [name] : [name, ...(run.undoing ?? [])])
  return result
}

/** The name that stands for an undo of the whole run. */
const everything = 'all'
const placeName = ({ table, uid }: Place) => `${table}#${uid}`

/**
 * Returns the records that an earlier undo took back before it could store its row. The run changed such a record, and
 * both undos concern it. This undo did not restore it, and no row of the transcript names it.
 */
async function unreported(
  conversation: Conversation,
  run: Run.Run,
  name: string,
  taken: UndoReport,
): Promise<Place[]> {
  const begun = run.undoing ?? []
  if (begun.length === 0) return []
  const [intents, rows] = await Promise.all([Run.intents(run), UndoRow.ofRun(conversation, run.runId)])
  const records = [
    ...taken.undone,
    ...taken.conflicts,
    ...taken.left,
    ...rows.flatMap((row) => row.records ?? []),
  ]
  const known = new Set(records.map(placeName))
  const isMeant = (place: string) =>
    !known.has(place) && [begun, [name]].every((names) => names.includes(everything) || names.includes(place))
  const changed = intents.flatMap(({ outcome }) => (outcome?.state === 'done' ? [outcome] : []))
  const places = new Map(changed.map(({ table, uid }) => [placeName({ table, uid }), { table, uid }]))
  return [...places].filter(([place]) => isMeant(place)).map(([, place]) => place)
}

async function storeRow({ actor, cms, conversation, run, now }: Undo, result: UndoResult): Promise<void> {
  const at = new Date(now).toISOString()
  const { runId } = run
  /** Adds the record's present title; empty if the record is gone or hidden from the user. */
  const titled = async <R extends Place>(record: R) => {
    const { table, uid } = record
    return { ...record, title: (await cms.record(actor, { table, uid }))?.title ?? '' }
  }
  const [records, conflicts] = await Promise.all([
    Promise.all(result.undone.map(titled)),
    Promise.all(result.conflicts.map(titled)),
  ])
  await UndoRow.store(conversation, async (current) => {
    // A second undo at the same time may have stored a row about the same records.
    const others = current.version === conversation.version ? [] : await UndoRow.ofRun(current, runId)
    const known = new Set(others.flatMap((row) => row.records ?? []).map(placeName))
    const left = records.filter((one) => !known.has(placeName(one)))
    const isNews = left.length > 0 || (records.length === 0 && conflicts.length > 0)
    return isNews ? undoneNotice(left, conflicts, actor.lang, at, runId) : undefined
  })
}
