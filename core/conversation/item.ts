import { createHash } from 'node:crypto'
import { decodeTime } from 'ulid'
import * as z from 'zod'
import type { Actor } from '../base/actor.ts'
import { choice, field, flag, item, list, number, type Of, optional, text, time } from '../base/aws/item.ts'
import type * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { oldTranscript } from './legacy/old-transcript.ts'
import { Left } from './path.ts'
import { FailureCode, isBusy, Status, StoredViewContext, type Summary } from './schema.ts'

/**
 * Converts a conversation to its stored form and back. Only this file knows the attribute names of the table, which are
 * those of the specification. The keys serve these reads: a conversation by id with all its items; a user's list; the
 * busy conversations by last sign of life; the conversations in one state by time.
 */

/** Encodes and decodes the row of a conversation. */
export const codec = item('conversation', 1, {
  id: text('id'),
  owner: number('be_user'),
  title: text('title'),
  /** True if the user set the title or the model wrote it; then the service never changes the title again. */
  titleFixed: flag('title_fixed', false),
  /** An unreadable state counts as failed, so that the owner may try again or delete the conversation. */
  status: choice('status', Status, 'failed'),
  /**
   * The id of the request that may claim the conversation, or of the consumer that holds it. Every write of a turn
   * requires this id.
   */
  requestId: text('current_request_id', ''),
  /**
   * The id of the HTTP request that started the turn, or continued it after a decision. Each log line of the turn has
   * it.
   */
  httpRequestId: optional(text('http_request_id')),
  /** The transcript of an old release; if it is not empty, there are no message rows yet. */
  legacy: oldTranscript('messages'),
  messageCount: number('message_count'),
  version: number('version'),
  pinned: flag('pinned'),
  archived: flag('archived'),
  deletedAt: optional(time('deleted_at')),
  archivedAt: optional(time('archived_at')),
  /** The time when the user last took the conversation out of the archive, pinned it or unpinned it. */
  keptSince: optional(time('kept_since')),
  errorMessage: optional(text('error_message')),
  errorCode: optional(choice('error_code', FailureCode, 'internal.error')),
  viewContext: optional(field('view_context', StoredViewContext, { pageId: 0, module: '' })),
  /** The title of the last page or record that was open during a turn, as the user saw it then. */
  pageTitle: optional(text('page_title')),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
  /**
   * The time of the last claim, step or heartbeat; while the turn waits for a consumer, the time when it was queued.
   */
  progressAt: time('progress_at', ''),
  /**
   * The start of the wait for a consumer; a repeated queue message does not change it. Empty in rows of old releases.
   */
  queuedAt: time('queued_at', ''),
  /**
   * The tenant whose turns share a place in the queue, see `tenantOf`. Empty in rows of old releases, whose owner then
   * is the tenant.
   */
  tenant: text('tenant', ''),
  /** The time until which the turn is deferred, because its provider limits the rate of calls. */
  deferredUntil: optional(time('deferred_until')),
  /** True if the deferred turn waits for the share of its group, and its model call is not booked. */
  isUnbooked: optional(flag('deferred_unbooked')),
  /** The id of the run. A turn keeps it across a pause, a retry and a hand-over. */
  runId: text('run_id', ''),
  /** The number of claims of the turn. A later consumer has a higher number. */
  claim: number('claim', 0),
  claimedAt: time('claimed_at', ''),
  /** The time that consumers with earlier claims worked on this turn, in milliseconds. */
  workedMs: number('worked_ms', 0),
  /** The number of expired leases of this turn. */
  lapses: number('lapses', 0),
  handovers: number('handovers', 0),
  /**
   * The number of edits, which is also the number of the newest branch. `cutVersion` is the version of the last edit or
   * switch.
   */
  cut: number('cut', 0),
  cutVersion: number('cut_version', 0),
  /** The path of the transcript: `[branch, first sequence]` of each stretch, see `path.ts`. */
  path: list('path', z.tuple([z.number(), z.number()])),
  /** The versions of the transcript that edits and switches have left, oldest first. */
  left: list('left_versions', Left),
  cancelRequested: flag('cancel_requested', false),
  /** `[sequence, fileUid]` of each attachment. */
  files: list('files', z.tuple([z.number(), z.number()])),
  /**
   * `[id, fileUid]` of each message that waits for the end of the turn, in the order of sending; fileUid 0 means no
   * file.
   */
  next: list('next', z.tuple([z.string(), z.number()])),
  /** True if the waiting messages are not sent automatically, because the user stopped the last turn. */
  nextHeld: flag('next_held', false),
  /** The id of the waiting message that the user is editing; until the user closes it, no message is sent. */
  nextOpen: text('next_open', ''),
  /** The end of this wait for the user. Undefined in rows of old releases, where the wait has no end. */
  nextOpenUntil: optional(time('next_open_until')),
  /**
   * The ids of the waiting messages that the user has handed to the running turn. The turn takes them at its next step.
   */
  nextNow: list('next_now', z.string()),
  /** Rows about undos, as JSON. They join the transcript when the consumer has ended the turn. */
  undoRows: list('undo_rows', z.string()),
  /** The id of the run whose changes a consumer takes back; undefined while the assistant has the turn. */
  undoing: optional(text('undo_run')),
  /** The key of this turn's list of steps; a list with another key belongs to an earlier turn. */
  activityKey: text('activity_key', ''),
  /** The version of the list of steps that `version` already includes. */
  activityVersion: number('activity_version', 0),
  hasPrompt: flag('has_prompt', false),
  awaitingUntil: optional(time('awaiting_until')),
  /** The key of a write that has begun and whose end is not stored yet. */
  writing: optional(text('writing')),
  /** True if the transcript already tells that old messages no longer fit into the model's window. */
  shortened: flag('shortened', false),
  /** The uids of files that a provider refused in their original form; they are not sent in that form again. */
  refusedFiles: list('refused_files', z.number()),
  /** The tokens that the models read and wrote, including failed turns and replaced messages. */
  usedTokens: number('used_tokens', 0),
  /**
   * The cost of these tokens in millionths of a dollar, at the prices of that time; undefined if no price was known.
   */
  usedMicroDollars: optional(number('used_micro_dollars')),
  /** The tokens and the cost of the title's call, which a consumer may make while the next turn runs. */
  titleTokens: number('title_tokens', 0),
  titleMicroDollars: optional(number('title_micro_dollars')),
  /** The share of the model's window that the last call used, in percent. */
  windowPercent: number('window_percent', 0),
  /** Unreadable stored values that were overwritten since, by attribute. */
  damaged: field('damaged', z.record(z.string(), z.unknown()), {}, false),
})

/** A conversation as its row stores it. Times are ISO 8601. */
export type Conversation = Of<typeof codec.fields> & {
  /** The stored values that could not be read, by attribute; undefined for a missing attribute. */
  unread: Table.Row
}

/** A change of a conversation's row. */
export type Changes = Partial<Omit<Conversation, 'id' | 'owner' | 'createdAt' | 'unread'>>

/** Returns the partition of a conversation and all its items. */
export const partition = (id: string) => `conversation#${id}`

/** Returns the key of a conversation's row. */
export const key = (id: string): Table.Key => ({ pk: partition(id), sk: 'conversation' })

/** Reads the owner's uid from the id of a conversation. */
export const owner = (id: string): number => Number(id.slice(0, id.indexOf('-')))

/**
 * Reads the conversation of a row; undefined without a row. Never throws: an unreadable value becomes empty, and the
 * log names it. Id, owner and time of creation come from the key.
 */
export function decode(row: Table.Row | undefined): Conversation | undefined {
  if (!row) return undefined
  const { value, unread } = codec.read(row)
  const id = String(row.pk).slice(partition('').length)
  const createdAt = 'created_at' in unread ? new Date(bornAt(id)).toISOString() : value.createdAt
  return {
    ...value,
    id,
    owner: owner(id),
    createdAt,
    ...('updated_at' in unread && { updatedAt: createdAt }),
    ...('status' in unread && { errorCode: 'internal.error' as const }),
    unread,
  }
}

/** Returns the row of a new conversation. */
export function encode(conversation: Conversation): Table.Row & Table.Key {
  return { ...key(conversation.id), ...codec.encode(conversation), ...indexed(conversation) }
}

/** Returns a conversation without content; `now` in milliseconds since the epoch. */
export function empty(id: string, now: number): Conversation {
  const at = new Date(now).toISOString()
  const known = { id, owner: owner(id), createdAt: at, updatedAt: at }
  return { ...codec.empty, ...known, status: 'idle', version: 1, unread: {} }
}

/**
 * Returns the changes that repair a row with unreadable values: they overwrite each such value and keep the old one in
 * `damaged`. An old transcript stays until it is moved: both forms of a long transcript do not fit into one item.
 */
export function mending(before: Conversation, after: Conversation, changes: Changes): Changes {
  const overwritten = Object.entries(codec.attributes).filter(
    ([name, attribute]) => attribute in before.unread && (name !== 'legacy' || 'legacy' in changes),
  )
  if (overwritten.length === 0) return {}
  const kept = overwritten.map(([, attribute]) => [attribute, before.unread[attribute]])
  return {
    ...Object.fromEntries(overwritten.map(([name]) => [name, after[name as keyof Conversation]])),
    damaged: { ...before.damaged, ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)) },
  }
}

/** Returns the condition that an attribute still has the read value, even if that value was missing or unreadable. */
export function still(
  conversation: Conversation,
  attribute: string,
  value: unknown,
): Required<Table.Condition> {
  const [name, at] = [`#${attribute}`, `:${attribute}_read`]
  const read = attribute in conversation.unread ? conversation.unread[attribute] : value
  const isMissing = `attribute_not_exists(${name})`
  if (read === undefined) return { condition: isMissing, values: {} }
  const isEmpty = read === '' || (Array.isArray(read) && read.length === 0)
  const condition = isEmpty ? `${isMissing} OR ${name} = ${at}` : `${name} = ${at}`
  return { condition, values: { [at]: read } }
}

const shards = 4
/** The shard names of the shared indexes. Shards keep each index partition below its throughput limit. */
export const shardNames = Array.from({ length: shards }, (_, at) => String(at))
const shard = (id: string) => String((createHash('sha1').update(id).digest()[0] as number) % shards)

/** The groups in which cleanup finds its work, as `byState` names them. */
export type StateGroup = 'awaiting' | 'next' | 'idle' | 'archived' | 'deleted'

/** Returns the partition of the index `byProgress` for a shard. */
export const busyPartition = (name: string) => `busy#${name}`
/** Returns the partition of the index `byState` for a group and a shard. */
export const statePartition = (group: StateGroup, name: string) => `${group}#${name}`
/** Returns the partition of the index `byUser` for a user's active or archived list. */
export const listPartition = (owner: number, archived: boolean) =>
  `user#${owner}#${archived ? 'archived' : 'active'}`

/** Returns the keys of a conversation in the three indexes; undefined in an index that does not contain it. */
export function indexed(conversation: Conversation) {
  const busy = isBusy(conversation.status) && !conversation.deletedAt
  const state = stateGroup(conversation)
  return {
    user_pk: conversation.deletedAt ? undefined : listPartition(conversation.owner, conversation.archived),
    user_sk: conversation.deletedAt
      ? undefined
      : `${conversation.pinned ? 1 : 0}#${conversation.updatedAt}#${conversation.id}`,
    busy_pk: busy ? busyPartition(shard(conversation.id)) : undefined,
    busy_sk: busy ? `${conversation.progressAt}#${conversation.id}` : undefined,
    state_pk: state && statePartition(state.group, shard(conversation.id)),
    state_sk: state && `${state.since}#${conversation.id}`,
  }
}

function stateGroup(conversation: Conversation): { group: StateGroup; since: string } | undefined {
  if (conversation.deletedAt) return { group: 'deleted', since: conversation.deletedAt }
  // Cleanup deletes old archived conversations, but a pinned one must stay.
  if (conversation.archived)
    return conversation.pinned ? undefined : { group: 'archived', since: restingSince(conversation) }
  if (conversation.status === 'awaiting_approval')
    return { group: 'awaiting', since: conversation.awaitingUntil ?? conversation.updatedAt }
  const since = dueAt(conversation)
  if (since) return { group: 'next', since }
  if (conversation.status === 'idle' && !conversation.pinned)
    return { group: 'idle', since: restingSince(conversation) }
  return undefined
}

/** Returns the time from which cleanup counts the days until it archives or removes the conversation. */
export function restingSince({ archived, archivedAt, updatedAt, keptSince = '' }: Conversation): string {
  const since = (archived && archivedAt) || updatedAt
  return keptSince > since ? keptSince : since
}

/** Returns true if a message waits and nothing prevents its sending. */
export function isDue(conversation: Conversation, now: number): boolean {
  const at = dueAt(conversation)
  return at !== undefined && (!conversation.nextOpen || Date.parse(at) <= now)
}

/** Returns the time from which a message waits to be sent; undefined if none waits, or only the user can go on. */
function dueAt(conversation: Conversation): string | undefined {
  const isWaiting =
    conversation.status === 'idle' &&
    conversation.next.length > 0 &&
    !conversation.nextHeld &&
    !conversation.archived &&
    !conversation.deletedAt
  const at = conversation.nextOpen ? conversation.nextOpenUntil : conversation.updatedAt
  return isWaiting ? at : undefined
}

/** Returns the id at the end of an index key. */
export const idOf = (sortKey: string): string => sortKey.slice(sortKey.lastIndexOf('#') + 1)

/** Returns the changes under their stored names, for an update of only these attributes. */
export const attributes = (changes: Changes): Table.Row => codec.changed(changes)

/**
 * Returns the summary of a conversation for its readers. `activityVersion` is the version of its list of steps, if the
 * caller has read that list.
 */
export function summary(conversation: Conversation, activityVersion = conversation.activityVersion): Summary {
  return {
    id: conversation.id,
    title: conversation.title,
    status: conversation.status,
    messageCount: conversation.legacy.length > 0 ? conversation.legacy.length : conversation.messageCount,
    version: conversation.version + Math.max(0, activityVersion - conversation.activityVersion),
    pinned: conversation.pinned,
    archived: conversation.archived,
    errorMessage: conversation.errorMessage ?? null,
    errorCode: conversation.errorCode ?? null,
    createdAt: conversation.createdAt,
    updatedAt: conversation.updatedAt,
    ...(conversation.pageTitle && { pageTitle: conversation.pageTitle }),
  }
}

/**
 * Returns the start of the conversation or run with this id, in milliseconds since the epoch: the time in its ULID.
 * Returns 0 for an id without a ULID.
 */
export function bornAt(id: string): number {
  try {
    return decodeTime(id.slice(id.indexOf('-') + 1).toUpperCase())
  } catch {
    // An id without a ULID contains no time.
    return 0
  }
}

/**
 * Returns the actor's conversation from a row that the caller has read. Throws `conversation.notFound` if it is
 * missing, deleted or another user's.
 */
export function own(actor: Actor, id: string, row: Table.Row | undefined): Conversation {
  const conversation = owner(id) === actor.uid ? decode(row) : undefined
  if (!conversation || conversation.deletedAt) throw new VisibleError('conversation.notFound')
  return conversation
}
