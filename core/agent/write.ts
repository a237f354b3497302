import type { Actor } from '../actor.ts'
import type { Cms, WritePreview } from '../cms/cms.ts'
import type { CmsRecord } from '../cms/schema.ts'
import { ToolError } from '../error.ts'
import * as Log from '../log.ts'
import { isOfServer } from '../settings/server.ts'
import { deleteRecord } from '../tool/delete-record.ts'
import { cut, nameOf, recordLine, shown } from '../tool/format.ts'
import { done } from '../tool/result.ts'
import { type CallOptions, refusal } from '../tool/run.ts'
import type { CallResult } from '../transcript/result.ts'
import type { RecordName, ToolCall } from '../transcript/schema.ts'
import { writeKey } from './approval.ts'
import { unknownCall } from './call.ts'
import type { Journal } from './journal.ts'
import { kept } from './kept.ts'
import type { Planned } from './propose.ts'
import type { Outcome } from './run.ts'
import type { Intent } from './run-item.ts'

/** One write of an approved proposal. */
export type WriteContext = {
  runId: string
  actor: Actor
  cms: Cms
  journal: Journal
  options: CallOptions
  now: number
}

export type Written = { result: CallResult; outcome: Outcome | undefined }

/**
 * Does a write at most once: the intent is stored before, the outcome after, and the CMS knows the key. Rejects where
 * the intent is already there: such a write is settled, never done again.
 */
export async function write(
  planned: Extract<Planned, { kind: 'write' }>,
  versions: WritePreview['versions'],
  context: WriteContext,
): Promise<Written> {
  const { call, wording } = planned
  const key = writeKey(context.runId, call, wording)
  await context.journal.intend(call, key)
  const outcome = await attempt(planned, key, versions, context)
  if (!outcome) return unknown(call, context)
  await context.journal.conclude(key, kept(outcome))
  return { outcome, result: await resultOf(call, outcome, context) }
}

/**
 * Finds out the end of a write that an earlier consumer began: its outcome, or that it never happened and never will.
 */
export async function settle(call: ToolCall, intent: Intent, context: WriteContext): Promise<Written> {
  const known = intent.outcome as Outcome | undefined
  if (!known && isOfServer(call.name))
    return { outcome: undefined, result: unknownCall(call, context.options) }
  const outcome = known ?? (await ask(intent.key, context))
  if (!outcome) return unknown(call, context)
  if (!intent.outcome) await context.journal.conclude(intent.key, kept(outcome))
  return { outcome, result: await resultOf(call, outcome, context) }
}

/** True when the record may have changed. Without an outcome the write may have happened. */
export function mayHaveChanged(outcome: Outcome | undefined): boolean {
  return outcome === undefined || outcome.state === 'done'
}

async function attempt(
  { write: change }: Extract<Planned, { kind: 'write' }>,
  key: string,
  versions: WritePreview['versions'],
  context: WriteContext,
): Promise<Outcome | undefined> {
  const { actor, cms, runId, now } = context
  try {
    return await cms.write(actor, change, { key, correlationId: runId, versions, now })
  } catch (error) {
    if (error instanceof ToolError) return { state: 'refused', reason: error.message }
    // The write may have happened before the failure: only the CMS can tell.
    Log.error('A write ended without an answer', error)
    return ask(key, context)
  }
}

async function ask(key: string, { actor, cms }: WriteContext): Promise<Outcome | undefined> {
  try {
    return await cms.settle(actor, key)
  } catch (error) {
    Log.error('A write could not be settled', error)
    return undefined
  }
}

async function resultOf(call: ToolCall, outcome: Outcome, context: WriteContext): Promise<CallResult> {
  if (outcome.state === 'called') return outcome.result
  if (outcome.state === 'done') return stored(call, outcome, context)
  const error = new ToolError(reasons[outcome.state](outcome as never), { outcome: ends[outcome.state] })
  return refusal(call.name, error, context.options)
}

const ends = { conflict: 'conflict', void: 'notRun', refused: 'refused' } as const

const reasons = {
  conflict: () =>
    'Not stored: the record was changed after the proposal was made. Read it again before you make a new proposal.',
  void: () =>
    'Not stored: the work was interrupted before the change was made. Propose it again if it is still wanted.',
  refused: ({ reason }: Extract<Outcome, { state: 'refused' }>) => `Not stored: ${reason}`,
}

/** The record as it is after the write, read from the CMS, so that the answer does not rest on the write alone. */
async function stored(
  call: ToolCall,
  { table, uid, changed, record: known }: Extract<Outcome, { state: 'done' }>,
  { actor, cms, options }: WriteContext,
): Promise<CallResult> {
  const record = known === undefined ? await cms.record(actor, table, uid) : known
  // The name is that of the proposal: nothing can be read of what is in the bin.
  if (!record && call.name === deleteRecord.name)
    return done(options.nonce, call.name, `Stored: record ${table} [${uid}] is in the bin.`)
  const lines = record
    ? [
        `Stored. Record ${table} ${recordLine(record)} ${changed.length > 0 ? 'now says:' : 'is there again.'}`,
        ...changed.map((field) => `- ${field}: ${cut(shown(saidIn(record, field)), 2_000)}`),
      ]
    : [`Stored: record ${table} [${uid}]. It cannot be read back with the user's rights.`]
  const name: RecordName = record ? nameOf(record) : { table, uid, title: '' }
  return done(options.nonce, call.name, { text: lines.join('\n'), records: [name], count: changed.length })
}

/** What a record says in a field; a move changes its page, which is none. */
const saidIn = (record: CmsRecord, field: string) => (field === 'pid' ? record.pid : record.fields[field])

function unknown(call: ToolCall, { options }: WriteContext): Written {
  const error = new ToolError(
    'It is unknown whether this change was stored, because the CMS does not answer. Look at the record before you say anything about it.',
    { outcome: 'unknown' },
  )
  return { outcome: undefined, result: refusal(call.name, error, options) }
}
