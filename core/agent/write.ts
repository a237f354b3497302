import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import { fillIn } from '../base/language.ts'
import * as Log from '../base/log.ts'
import { cut } from '../base/safety/invisible.ts'
import type { Cms, Done, Put, Versions } from '../cms/cms.ts'
import type { CmsRecord } from '../cms/schema.ts'
import type { CallResult } from '../conversation/transcript/result.ts'
import type { RecordName, ToolCall } from '../conversation/transcript/schema.ts'
import { isOfServer } from '../stage/settings/server.ts'
import { nameOf, recordLine, shown, urlOf } from '../tool/format.ts'
import { done } from '../tool/result.ts'
import { type CallOptions, refusal } from '../tool/run.ts'
import type { ToolContext } from '../tool/tool.ts'
import { find } from '../tool/tools.ts'
import { writeKey } from './approval.ts'
import type { Journal } from './journal.ts'
import type { PlannedCall, PlannedWrite } from './plan.ts'
import type { Intent } from './run-record.ts'
import { changedFields, type Kept, kept, type Outcome, type StoredOutcome } from './write-outcome.ts'

/** The inputs that settle a write with an unknown end. */
type SettleContext = {
  actor: Actor
  cms: Cms
  journal: Pick<Journal, 'conclude'>
  options: CallOptions
}

/** The inputs that carry out one write or call of an approved proposal. */
type WriteContext = SettleContext & ToolContext & { runId: string; journal: Journal }

/** The end of a write or call. If the outcome is undefined, it is unknown, and the write is never repeated. */
export type WriteEnd = { result: CallResult; outcome: Outcome | StoredOutcome | undefined }

/**
 * Sends the put at most once. Stores the intent before the put and the outcome after it; the CMS makes only one put for
 * the key. Rejects if the intent is already stored, because such a write is settled, never sent again.
 */
export async function write(
  { call, wording }: PlannedWrite,
  sent: { put: Put; versions: Versions },
  context: WriteContext,
): Promise<WriteEnd> {
  const key = writeKey(context.runId, call, wording)
  await context.journal.intend(call, key)
  return concluded(call, key, await attempt(sent, key, context), context)
}

/**
 * Calls a remote tool at most once: stores the intent before the call and the result after it. Rejects if the intent is
 * already stored.
 */
export async function callOnce({ call, tool, args }: PlannedCall, context: WriteContext): Promise<WriteEnd> {
  const { runId, journal, options } = context
  const key = writeKey(runId, call)
  await journal.intend(call, key)
  let result: CallResult
  try {
    result = done(options.nonce, call.name, await tool.call(args, context))
  } catch (error) {
    if (!(error instanceof ToolError)) {
      Log.error('A call of another server ended without an answer', error)
      return unknown(call, noAnswer, context)
    }
    result = refusal(call.name, error, options)
  }
  const { text, isError, outcome: ending } = result
  const outcome: Outcome = { state: 'called', result: { text, isError, outcome: ending } }
  await journal.conclude(key, outcome)
  return { result, outcome }
}

/** Settles a write of an earlier consumer: returns its outcome, or makes sure that it never happens. */
export async function settle(
  call: ToolCall,
  { key, outcome: known }: Intent,
  context: SettleContext,
): Promise<WriteEnd> {
  if (known) return { outcome: known, result: await resultOf(call, known, context) }
  if (isOfServer(call.name)) return unknown(call, noAnswer, context)
  return concluded(call, key, await ask(key, context), context)
}

async function concluded(
  call: ToolCall,
  key: string,
  outcome: Outcome | undefined,
  context: SettleContext,
): Promise<WriteEnd> {
  if (!outcome) return unknown(call, noSign, context)
  await context.journal.conclude(key, kept(outcome))
  return { outcome, result: await resultOf(call, outcome, context) }
}

const noSign =
  'It is unknown whether this change was stored, because the CMS does not answer. Look at the record before you say anything about it.'
const noAnswer =
  'It is unknown whether this was done: the server gave no answer after the call was sent. Do not call it again by yourself; tell the user, who can look there.'

function unknown(call: ToolCall, text: string, { options }: SettleContext): WriteEnd {
  const error = new ToolError(text, { outcome: 'unknown' })
  return { outcome: undefined, result: refusal(call.name, error, options) }
}

/** Returns true if the record may have changed, also for an unknown outcome. */
export function mayHaveChanged(outcome: Pick<Outcome, 'state'> | undefined): boolean {
  return outcome === undefined || outcome.state === 'done'
}

async function attempt(
  { put, versions }: { put: Put; versions: Versions },
  key: string,
  context: WriteContext,
): Promise<Outcome | undefined> {
  const { actor, cms, runId, now } = context
  try {
    return await cms.put(actor, { put, key, correlationId: runId, versions, now })
  } catch (error) {
    if (error instanceof ToolError) return { state: 'refused', reason: error.message }
    // The write may have happened before the failure; only the CMS can tell.
    Log.error('A write ended without an answer', error)
    return ask(key, context)
  }
}

async function ask(key: string, { actor, cms }: SettleContext): Promise<Outcome | undefined> {
  try {
    return await cms.settle(actor, { key })
  } catch (error) {
    Log.error('A write could not be settled', error)
    return undefined
  }
}

async function resultOf(
  call: ToolCall,
  outcome: Outcome | StoredOutcome,
  context: SettleContext,
): Promise<CallResult> {
  if (outcome.state === 'called') return outcome.result
  if (outcome.state === 'done') return stored(call, outcome, context)
  const reason = outcome.state === 'refused' ? `Not stored: ${outcome.reason}` : reasons[outcome.state]
  const error = new ToolError(reason, { outcome: ends[outcome.state] })
  return refusal(call.name, error, context.options)
}

const ends = { conflict: 'conflict', void: 'notRun', refused: 'refused' } as const

const reasons = {
  conflict:
    'Not stored: the record was changed after the proposal was made. Read it again before you make a new proposal.',
  void: 'Not stored: the work was interrupted before the change was made. Propose it again if it is still wanted.',
} as const

/** Returns the result with the record after the write. Reads the record again if only the stored outcome is known. */
async function stored(
  call: ToolCall,
  outcome: Done | Kept,
  { actor, cms, options }: SettleContext,
): Promise<CallResult> {
  const { table, uid } = outcome
  if (uid === null) throw new Error('A put that was made names its record')
  const labels = 'labels' in outcome ? outcome.labels : {}
  const record = 'labels' in outcome ? outcome.after.record : await cms.record(actor, { table, uid })
  const fields = 'labels' in outcome ? changedFields(outcome) : Object.keys(outcome.after.fields ?? {})
  const changed = [...(outcome.after.place ? ['pid'] : []), ...fields]
  const tool = record ? undefined : find(call.name)
  // The result has no name; readers see the name of the proposal.
  if (tool && 'takesAway' in tool) {
    const words = fillIn(tool.words.en.stored, 'en', { record: `record ${table} [${uid}]` })
    return done(options.nonce, call.name, `Stored: ${words}`)
  }
  const lines = record
    ? [
        `Stored. Record ${table} ${recordLine(record)} ${changed.length > 0 ? 'now says:' : 'is there again.'}`,
        ...changed.map((field) => `- ${named(field, labels)}: ${cut(shown(saidIn(record, field)), 2_000)}`),
      ]
    : [`Stored: record ${table} [${uid}]. It cannot be read back with the user's rights.`]
  // The write is done, so a CMS that no longer answers costs only the link.
  const site = record && (await cms.capabilities().catch(() => undefined))
  const url = site && urlOf(site, record)
  const name: RecordName = record ? { ...nameOf(record), ...(url && { url }) } : { table, uid, title: '' }
  return done(options.nonce, call.name, { text: lines.join('\n'), records: [name], count: changed.length })
}

/** Returns the name of a field, with its label as in `get_record`; a stored outcome has no labels. */
function named(field: string, labels: Done['labels']): string {
  const label = labels[field]
  return label && label !== field ? `${field} (${label})` : field
}

/** Returns the value of a record's field; a move changes the page (`pid`), which is not a field. */
const saidIn = (record: CmsRecord, field: string) => (field === 'pid' ? record.pid : record.fields[field])
