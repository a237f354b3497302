import { type Ended, type Journal, Stopped } from '../agent/journal.ts'
import * as Run from '../agent/run-record.ts'
import * as Thought from '../agent/thought.ts'
import type * as Table from '../base/aws/table.ts'
import * as Log from '../base/log.ts'
import { auditChange } from '../chat/doubt.ts'
import { userMessage } from '../chat/send.ts'
import * as Claim from '../conversation/claim.ts'
import type { Conversation } from '../conversation/item.ts'
import type { Changes } from '../conversation/row.ts'
import * as Activity from '../conversation/transcript/activity.ts'
import * as Written from '../conversation/transcript/changes.ts'
import { ending, type How } from '../conversation/transcript/ending.ts'
import * as Next from '../conversation/transcript/next.ts'
import { notUsedNotice } from '../conversation/transcript/not-used.ts'
import { notice } from '../conversation/transcript/notice.ts'
import * as Pending from '../conversation/transcript/pending.ts'
import { resultRow } from '../conversation/transcript/result.ts'
import { batches, callId, type Message, type ToolCall } from '../conversation/transcript/schema.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import * as File from '../file/file.ts'
import type { File as FileItem } from '../file/item.ts'
import type { Attached } from './attachments.ts'
import { appendRows, checkAlive, saveWork, type Work } from './work.ts'

/**
 * Stores a turn as it happens: each answer, result, pause and end in one transaction with the row, under the claim.
 * `reread` reads the mentions of messages that the user hands to the running turn.
 */
export function journal(work: Work, reread: Attached['reread'] = async () => undefined): Journal {
  return {
    progress: progress(work),
    alive: () => checkAlive(work),
    hear: () => takeUpHanded(work, reread),
    wants: async ({ text, calls, notice, thought }) => {
      const named = unique(calls, work.rows)
      const reply = assistant(work, text, { toolCalls: named, ...(notice && { notice }) })
      const rows = [...limits(work), reply]
      const sequence = work.conversation.messageCount + rows.length - 1
      if (thought) work.thoughts.set(sequence, thought)
      const kept = thought ? Thought.writes(work.run, sequence, thought.model, thought.parts) : []
      const changes = { shortened: work.isShortened, awaitingUntil: undefined }
      await appendRows(work, rows, changes, [...kept, ...decided(work)])
      return named
    },
    ends: async ({ text, ...more }) => {
      const answer = assistant(work, text, more)
      const messages = [...limits(work), answer]
      await finish(work, { status: 'idle', messages }, { shortened: work.isShortened })
      work.answer = text
    },
    refused: () => {
      const refusal = notice('refused', work.actor.lang, work.at(), work.conversation.runId)
      return finish(work, { status: 'idle', messages: [refusal] })
    },
    results: (ended) => results(work, ended),
    step: (entry, detail) => step(work, entry, detail),
    intend: (call, key) =>
      saveWork(work, { writing: key }, [
        Run.intention(work.run, { id: call.id, tool: call.name, order: work.nextWrite++ }, key, work.now()),
      ]),
    conclude: (key, outcome) => Run.conclude(work.run, key, outcome),
    pause: async ({ digest, calls, versions, definitions }, open) => {
      const until = new Date(work.now() + Pending.approvalExpiryMs).toISOString()
      const names = batches(open).map(({ id, name }) => ({ id, name }))
      const { runId } = work.conversation
      const proposal = { runId, digest, until, open: names, versions, definitions, calls }
      await finish(work, { status: 'awaiting_approval', proposal })
    },
  }
}

/** Ends or pauses the turn: the row, the last messages and the place among the active conversations in one transaction. */
export async function finish(work: Work, how: How, more: Changes = {}): Promise<void> {
  const { changes, writes } = ending(work.conversation, { ...how, pending: work.pending }, work.now())
  work.pending = undefined
  const { pageTitle } = work
  await saveWork(work, { ...changes, ...(pageTitle && { pageTitle }), ...more }, writes)
}

/** The writes that remove a decided proposal once its calls are served; a decision must not outlive them. */
function decided(work: Work): Table.Write[] {
  const { pending } = work
  work.pending = undefined
  return pending ? Pending.clear(work.conversation.id, pending) : []
}

async function results(work: Work, ended: Ended[]): Promise<void> {
  const { conversation, retainAuditDays } = work
  const { runId } = conversation
  for (const { call, result } of ended) if (result.images) work.pictures.set(call.id, result.images)
  const rows = ended.map(({ call, result }) => resultRow(call, result, work.at(), runId))
  const noted = ended.flatMap(({ call, result, changed }, at) => {
    const change = { runId, tool: call.name, records: result.records }
    return changed
      ? [
          Written.note(conversation, conversation.messageCount + at, runId),
          auditChange(conversation.owner, change, retainAuditDays, work.now()),
        ]
      : []
  })
  await appendRows(work, rows, { writing: undefined }, noted)
}

/** List and detail go with the next save: requests of their own would cost as much as the row. */
function step(work: Work, entry: Parameters<Journal['step']>[0], detail: Record<string, unknown>): void {
  // An earlier consumer that began to carry out the decision has stored its entry already.
  const { kind, round } = entry
  if (kind === 'approval' && work.entries.some((one) => one.kind === kind && one.round === round)) return
  work.entries = [...work.entries, entry].slice(-Activity.limit)
  const { hold } = work
  if (!work.steps) hold.activityVersion += 1
  work.steps = Activity.change(hold.conversation, work.entries, hold.activityVersion)
  const recorded = { number: work.nextStep++, detail: { ...entry, ...detail }, at: work.now() }
  work.unrecorded = [...work.unrecorded, recorded]
}

function assistant(work: Work, content: string, more: Partial<Message>): Omit<Message, 'sequence'> {
  return { role: 'assistant', content, createdAt: work.at(), runId: work.conversation.runId, ...more }
}

/** Tells the user once each: that the oldest messages no longer fit, and which files were not used, or not as a whole. */
function limits(work: Work): Omit<Message, 'sequence'>[] {
  const { actor, conversation, notUsed } = work
  work.notUsed = []
  const isNew = work.isShortened && !conversation.shortened
  return [
    ...(isNew ? [notice('shortened', actor.lang, work.at(), conversation.runId)] : []),
    ...(notUsed.length > 0 ? [notUsedNotice(notUsed, actor.lang, work.at(), conversation.runId)] : []),
  ]
}

/**
 * Some servers repeat call ids across replies; write keys need unique ones. `__proto__` counts as taken,
 * because an object that is keyed by ids cannot hold it.
 */
function unique(calls: ToolCall[], rows: Message[]): ToolCall[] {
  const taken = new Set(['__proto__', ...rows.flatMap((row) => row.toolCalls?.map(({ id }) => id) ?? [])])
  return calls.map((call) => {
    const given = callId(call.id)
    let id = given
    for (let copy = 2; taken.has(id); copy++) id = `${given}_${copy}`
    taken.add(id)
    return { ...call, id }
  })
}

/** The least time before a call stores its progress, and between two such writes, in milliseconds. */
const everyMs = 1_000

/** Stores the progress of a call with the steps of the turn. The next save removes it. */
function progress(work: Work): Journal['progress'] {
  let last = { call: '', at: 0 }
  return async ({ id: call }, n, total) => {
    const at = work.now()
    if (last.call !== call) last = { call, at }
    if (at - last.at < everyMs) return
    last = { call, at }
    try {
      await store(work, { call, n, total })
    } catch (cause) {
      // The call goes on: its result does not depend on the progress shown meanwhile.
      Log.failure('The progress of a call could not be stored', cause)
    }
  }
}

async function store(work: Work, of: NonNullable<Activity.List['progress']>): Promise<void> {
  const { hold } = work
  // Steps that wait for the next save have their version already, and are stored here.
  const known = hold.activityVersion - (work.steps ? 1 : 0)
  const version = await Activity.write(hold.conversation, work.entries, known, of)
  if (version === undefined) return
  hold.activityVersion = version
  work.steps = undefined
}

/**
 * Takes up the messages that the user has handed to the running turn. They go behind the results of its last calls, so
 * that the next request has results and words in one message of the user. The row changes only where the queue is as it
 * was read: a message is in the queue or in the transcript, never in both.
 */
export async function takeUpHanded(work: Work, reread: () => Promise<void>): Promise<void> {
  const { hold } = work
  if (!hold.isHanded) return
  hold.isHanded = false
  let taken: Message[] = []
  const plan = async (conversation: Conversation) => {
    const { messages, ...stored } = await takingUp(work, conversation)
    taken = messages
    return stored
  }
  if (!(await Claim.contend(hold, plan, work.now()))) throw new Stopped('lost')
  work.rows.push(...taken)
  if (taken.some(({ fileUid, mentions }) => fileUid !== undefined || mentions)) await reread()
}

async function takingUp(work: Work, conversation: Conversation) {
  const { nextNow, nextHeld, nextOpen } = conversation
  const isHanded = ({ id }: Next.Waiting) => !nextHeld && id !== nextOpen && nextNow.includes(id)
  const handed = (await Next.all(conversation)).filter(isHanded)
  const files = await filesOf(work, handed)
  // A message whose file was removed stays in the queue: the send refuses it and tells the user.
  const waiting = handed.filter(({ fileUid }) => fileUid === undefined || files.has(fileUid))
  const messages = waiting.map(({ content, fileUid = 0, mentions }, at) => ({
    ...userMessage(content, { file: files.get(fileUid), mentions }, work.at()),
    sequence: conversation.messageCount + at,
  }))
  const ids = new Set(waiting.map(({ id }) => id))
  const named = messages.flatMap(({ sequence, fileUid }): [number, number][] =>
    fileUid === undefined ? [] : [[sequence, fileUid]],
  )
  return {
    messages,
    changes: {
      next: conversation.next.filter(([id]) => !ids.has(id)),
      nextNow: nextNow.filter((id) => !ids.has(id) && id === nextOpen),
      messageCount: conversation.messageCount + messages.length,
      files: [...conversation.files, ...named],
      viewContext: waiting.at(-1)?.viewContext ?? conversation.viewContext,
    },
    writes: [
      ...messages.map((message) => Transcript.put(conversation, message)),
      ...waiting.map(({ id }) => Next.remove(conversation.id, id)),
    ],
  }
}

/** The files of messages that wait, by uid; those that are gone are missing. */
async function filesOf({ actor }: Work, waiting: Next.Waiting[]): Promise<Map<number, FileItem>> {
  const uids = waiting.flatMap(({ fileUid }) => fileUid ?? [])
  const files = await Promise.all(uids.map((uid) => File.load(actor.uid, uid)))
  return new Map(files.flatMap((file) => (file?.state === 'stored' ? [[file.fileUid, file]] : [])))
}
