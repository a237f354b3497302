import type * as Table from '../base/aws/table.ts'
import type { Cms } from '../cms/cms.ts'
import { type Conversation, isDue, own, summary } from '../conversation/item.ts'
import { versionsOf } from '../conversation/path.ts'
import { isBusy } from '../conversation/schema.ts'
import * as Activity from '../conversation/transcript/activity.ts'
import * as Next from '../conversation/transcript/next.ts'
import type { Message } from '../conversation/transcript/schema.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import type { Settings } from '../stage/settings/schema.ts'
import { dollarsOf } from '../stage/usage/sum.ts'
import type { Visitor } from './conversation.ts'
import type { ConversationUsage, MessagesAnswer } from './messages-request.ts'
import { shown } from './pending-approval.ts'
import type { MessagesQuery } from './request.ts'

/** The maximum size of the messages in one answer, in bytes. */
const maxBytes = 2_000_000

/**
 * Implements the specification's `getMessages`. If the client names the stored version, reads no message row. Otherwise
 * returns the messages that the client lacks, with pending calls and instructions. Starts over with `reset` if the
 * client's transcript is no longer valid.
 */
export async function poll(
  { actor, settings, now }: Visitor,
  cms: Cms,
  wanted: MessagesQuery,
  rows: { conversation: Table.Row | undefined; activity: Table.Row | undefined },
): Promise<MessagesAnswer> {
  const stored = own(actor, wanted.conversationId, rows.conversation)
  const activity = Activity.decode(rows.activity, stored)
  const conversation = summary(stored, activity.version)
  const answer = {
    conversation,
    activity: activity.entries,
    progress: (isBusy(stored.status) && activity.progress) || null,
    usage: usageOf(stored, settings),
    windowPercent: stored.windowPercent,
    deferredUntil: (stored.status === 'processing' && stored.deferredUntil) || null,
    pollAfterMs: pollAfterMs(stored, now) ?? null,
  }
  if (wanted.version === conversation.version) {
    const rest = { messages: [], pendingApproval: null, systemPrompt: '', versions: [], next: [] }
    return { ...answer, ...rest, unchanged: true, reset: false, more: false }
  }
  const reset = mustStartOver(stored, wanted, conversation.messageCount)
  const [from, to] = range(wanted, conversation.messageCount, reset)
  const [part, waiting] = await Promise.all([Transcript.part(stored, from, to, true), Next.all(stored)])
  const messages =
    wanted.before === undefined ? capped(part.messages) : capped(part.messages.toReversed()).reverse()
  const end = from + messages.length
  return {
    ...answer,
    messages,
    pendingApproval: await shown(actor, cms, stored, part.pending),
    systemPrompt: part.systemPrompt,
    versions: versionsOf(stored),
    next: Next.shown(waiting, stored),
    unchanged: false,
    reset,
    more: wanted.before === undefined && end < conversation.messageCount,
  }
}

function usageOf(conversation: Conversation, { showUsage }: Settings): ConversationUsage | null {
  const { usedTokens, titleTokens, usedMicroDollars: ofTurns, titleMicroDollars: ofTitle } = conversation
  const tokens = usedTokens + titleTokens
  if (showUsage === 'nothing') return null
  if (showUsage === 'tokens') return { tokens, dollars: null }
  const cost = ofTitle === undefined ? ofTurns : (ofTurns ?? 0) + ofTitle
  return { tokens, dollars: dollarsOf(cost ?? null), unpriced: cost === undefined }
}

function mustStartOver(conversation: Conversation, wanted: MessagesQuery, count: number): boolean {
  const { after, version, before, tail } = wanted
  if (before !== undefined || tail !== undefined) return false
  return after > count || (version !== undefined && conversation.cutVersion > version)
}

function range(wanted: MessagesQuery, count: number, reset: boolean): [from: number, to: number] {
  const { after, limit, before, tail } = wanted
  if (before !== undefined) {
    const to = Math.min(before, count)
    return [Math.max(0, to - limit), to]
  }
  const next = reset ? 0 : after
  const from = tail === undefined ? next : Math.max(0, count - tail)
  return [from, Math.min(from + limit, count)]
}

/** Returns the first messages that fit into one answer, at least one message. */
function capped(messages: Message[]): Message[] {
  let bytes = 0
  const fits = messages.findIndex((message, at) => {
    bytes += Buffer.byteLength(JSON.stringify(message))
    return bytes > maxBytes && at > 0
  })
  return fits === -1 ? messages : messages.slice(0, fits)
}

/** Clients poll a turn less often when it has waited longer than this, in milliseconds. */
const slowFromMs = 10_000
/** The maximum interval that the service asks for, in milliseconds. */
const slowestMs = 10_000
/** A deferral shorter than this, in milliseconds, does not change the interval. */
const shortMs = 2_000

/**
 * The interval while a waiting message is due, in milliseconds; its turn begins soon after the end of the previous
 * turn.
 */
const dueMs = 1_000

/**
 * Returns the milliseconds until the client's next poll. Undefined means the usual interval; an idle conversation needs
 * no poll. While the turn waits for a consumer: a fifth of the wait so far, so that a longer queue gets fewer polls.
 * While the turn waits for its provider: the rest of that wait.
 */
function pollAfterMs(conversation: Conversation, now: number): number | undefined {
  const { status, queuedAt } = conversation
  if (isDue(conversation, now)) return dueMs
  if (status !== 'processing' || queuedAt === '') return undefined
  const waited = now - Date.parse(queuedAt)
  // A deferred turn has a `queuedAt` in the future.
  if (waited < -shortMs) return Math.min(slowestMs, -waited)
  return waited < slowFromMs ? undefined : Math.min(slowestMs, Math.round(waited / 5))
}
