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
import { maxFilesPerConversation } from '../file/schema.ts'
import type { Attached } from './attachments.ts'
import { appendRows, checkAlive, progressEveryMs, saveWork, type Work } from './work.ts'

/**
 * Returns the journal of a turn. It stores each answer, result, pause and end in one transaction with the row, under
 * the claim. `reread` reads the attachments and mentions of messages that the user sends to the running turn.
 */
export function journal(work: Work, reread: Attached['reread'] = async () => undefined): Journal {
  return {
    progress: progress(work),
    alive: () => checkAlive(work),
    hear: () => takeUpHanded(work, reread),
    wants: async ({ text, calls, notice, thought }) => {
      const named = unique(calls, work.rows)
      const reply = assistant(work, text, { toolCalls: named, ...(notice && { notice }) })
      const rows = [...takeNotices(work), reply]
      const sequence = work.conversation.messageCount + rows.length - 1
      if (thought) work.thoughts.set(sequence, thought)
      const kept = thought ? Thought.writes(work.run, sequence, thought.model, thought.parts) : []
      const changes = { shortened: work.isShortened, awaitingUntil: undefined }
      await appendRows(work, rows, changes, [...kept, ...takeProposalRemovals(work)])
      return named
    },
    ends: async ({ text, ...more }) => {
      const answer = assistant(work, text, more)
      const messages = [...takeNotices(work), answer]
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

/** Ends or pauses the turn. One transaction stores the row, the last messages and the list of active conversations. */
async function finish(work: Work, how: How, more: Changes = {}): Promise<void> {
  const { changes, writes } = ending(work.conversation, { ...how, pending: work.pending }, work.now())
  work.pending = undefined
  const { pageTitle } = work
  await saveWork(work, { ...changes, ...(pageTitle && { pageTitle }), ...more }, writes)
}

/**
 * Returns the writes that remove a decided proposal when its calls are carried out; a decision must not outlive its
 * calls.
 */
function takeProposalRemovals(work: Work): Table.Write[] {
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

/** Notes the step and its detail for the next save. A separate request would cost as much as the row's write. */
function step(work: Work, entry: Parameters<Journal['step']>[0], detail: Record<string, unknown>): void {
  // An earlier consumer that began to carry out the decision has already stored this entry.
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

/**
 * Returns the notices for the user, each only once. One notice says that the oldest messages no longer fit. The other
 * notice names files that were left out or shortened.
 */
function takeNotices(work: Work): Omit<Message, 'sequence'>[] {
  const { actor, conversation, notUsed } = work
  work.notUsed = []
  const isNew = work.isShortened && !conversation.shortened
  return [
    ...(isNew ? [notice('shortened', actor.lang, work.at(), conversation.runId)] : []),
    ...(notUsed.length > 0 ? [notUsedNotice(notUsed, actor.lang, work.at(), conversation.runId)] : []),
  ]
}

/**
 * Makes call ids unique, because some servers repeat ids across replies and a write key needs a unique id. `__proto__`
 * counts as taken, because an object cannot hold it as a key.
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

/** Stores the progress of a call with the steps of the turn. The next save removes the progress. */
function progress(work: Work): Journal['progress'] {
  let last = { call: '', at: 0 }
  return async ({ id: call }, n, total) => {
    const at = work.now()
    if (last.call !== call) last = { call, at }
    if (at - last.at < progressEveryMs) return
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
  // Unsaved steps have already raised the version; this write stores them too.
  const known = hold.activityVersion - (work.steps ? 1 : 0)
  const version = await Activity.write(hold.conversation, work.entries, known, of)
  if (version === undefined) return
  hold.activityVersion = version
  work.steps = undefined
}

/**
 * Appends to the transcript the messages that the user sent while the turn was running. They follow the results of the
 * last calls: the next request has results and messages in one user message. The row changes only if it is still as it
 * was read. So a message is never both in the queue and in the transcript, and no edit of it is lost.
 */
async function takeUpHanded(work: Work, reread: () => Promise<void>): Promise<void> {
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
  const room = Math.max(0, maxFilesPerConversation - conversation.files.length)
  const fitting = handed.filter(({ fileUid }) => files.has(fileUid ?? 0)).slice(0, room)
  // A message whose file was removed or is too many stays in the queue; sending it later is refused, which tells the
  // user.
  const waiting = handed.filter((one) => one.fileUid === undefined || fitting.includes(one))
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
      viewContext: (waiting.at(-1) ?? conversation).viewContext,
    },
    writes: [
      ...messages.map((message) => Transcript.put(conversation, message)),
      ...waiting.map(({ id }) => Next.remove(conversation.id, id)),
    ],
  }
}

/** Returns the stored files of waiting messages, by uid. Files that no longer exist are missing. */
async function filesOf({ actor }: Work, waiting: Next.Waiting[]): Promise<Map<number, FileItem>> {
  const uids = waiting.flatMap(({ fileUid }) => fileUid ?? [])
  const files = await Promise.all(uids.map((uid) => File.load(actor.uid, uid)))
  return new Map(files.flatMap((file) => (file?.state === 'stored' ? [[file.fileUid, file]] : [])))
}
