import { createHash } from 'node:crypto'
import * as z from 'zod'
import { choice, field, flag, item, list, number, type Of, optional, text, time } from '../aws/item.ts'
import type * as Table from '../aws/table.ts'
import { bornAt } from './id.ts'
import { oldTranscript } from './old-transcript.ts'
import { Left } from './path.ts'
import { FailureCode, Status, type Summary, ViewContext } from './schema.ts'
import { isBusy } from './state.ts'

/**
 * The stored form of a conversation: the one place that knows both the names of the table and those of the code.
 * Reads that it serves: a conversation by id with its children in one partition; a user's list; the busy ones by last
 * sign of life; those of a state by time. Attributes carry the specification's names.
 */

const stored = item('conversation', 1, {
  id: text('id'),
  owner: number('be_user'),
  title: text('title'),
  /** Renamed by the user: never changed by the service again. */
  titleFixed: flag('title_fixed', false),
  /** A state that cannot be read counts as failed: the owner may try again or delete. */
  status: choice('status', Status, 'failed'),
  /** The request that may claim it, or the consumer that holds it; fences every write of a turn. */
  requestId: text('current_request_id', ''),
  /** Transcript of an old release; not empty means that it has no message rows yet. */
  legacy: oldTranscript('messages'),
  messageCount: number('message_count'),
  version: number('version'),
  pinned: flag('pinned'),
  archived: flag('archived'),
  deletedAt: optional(time('deleted_at')),
  archivedAt: optional(time('archived_at')),
  errorMessage: optional(text('error_message')),
  errorCode: optional(choice('error_code', FailureCode, 'internal.error')),
  viewContext: optional(field('view_context', ViewContext.strip(), { pageId: 0, module: '' })),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
  /** Last sign of life of the turn: claim, step, heartbeat; while it waits for a consumer, when it was queued. */
  progressAt: time('progress_at', ''),
  /** When it began to wait for a consumer; sending its message again changes nothing of it. Empty in old rows. */
  queuedAt: time('queued_at', ''),
  /** Whose turns are its equals in the queue, see `tenant.ts`; empty in old rows, whose owner is meant. */
  tenant: text('tenant', ''),
  /** Until when it waits because the provider takes no more now: the call of the model is booked for then. */
  deferredUntil: optional(time('deferred_until')),
  /** True while it waits until then for the share of its group, and nothing is booked. */
  isUnbooked: optional(flag('deferred_unbooked')),
  /** One turn keeps one run, also across a pause, a retry and a hand-over. */
  runId: text('run_id', ''),
  /** How often it was claimed; orders the consumers of a turn. */
  claim: number('claim', 0),
  claimedAt: time('claimed_at', ''),
  /** Work of earlier claims of this turn in milliseconds. */
  workedMs: number('worked_ms', 0),
  /** Leases of this turn that ran out. */
  lapses: number('lapses', 0),
  handovers: number('handovers', 0),
  /** Number of edits, which also numbers their branches; and the version of the last edit or switch. */
  cut: number('cut', 0),
  cutVersion: number('cut_version', 0),
  /** Which branch holds the rows of the transcript from which sequence on. */
  path: list('path', z.tuple([z.number(), z.number()])),
  /** The versions that an edit or a switch has left, in that order. */
  left: list('left_versions', Left),
  cancelRequested: flag('cancel_requested', false),
  /** `[sequence, fileUid]` of each attachment. */
  files: list('files', z.tuple([z.number(), z.number()])),
  /** `[id, fileUid]` of each message that waits for the end of the turn, in their order; fileUid 0: no file. */
  next: list('next', z.tuple([z.string(), z.number()])),
  /** The messages that wait are not sent by themselves: the last turn was stopped. */
  nextHeld: flag('next_held', false),
  /** Rows that tell of an undo, as JSON: the transcript gets them when the consumer has ended the turn. */
  undoRows: list('undo_rows', z.string()),
  /** Names the activity list of this turn; a list with another key is an earlier turn's. */
  activityKey: text('activity_key', ''),
  /** The version of the activity list that `version` already counts. */
  activityVersion: number('activity_version', 0),
  hasPrompt: flag('has_prompt', false),
  awaitingUntil: optional(time('awaiting_until')),
  /** The call whose write was begun and whose end is not stored yet. */
  writing: optional(text('writing')),
  /** The transcript already says that old messages no longer fit the model's window. */
  shortened: flag('shortened', false),
  /** Files that a provider refused: they are not sent in their own form again. */
  refusedFiles: list('refused_files', z.number()),
  /** Tokens that the models read and wrote for it, the calls of turns that failed and of messages that were edited too. */
  usedTokens: number('used_tokens', 0),
  /** What they cost, in millionths of a dollar at the prices of then; missing where none were known. */
  usedMicroDollars: optional(number('used_micro_dollars')),
  /** What could not be read and was overwritten since, as it was stored, by attribute. */
  damaged: field('damaged', z.record(z.string(), z.unknown()), {}, false),
})

/** Fields, attributes and empty values of a conversation. */
export const codec = stored

/** A conversation as the code knows it. Times are ISO 8601. */
export type Conversation = Of<typeof stored.fields> & {
  /** What could not be read of the row, as it is stored, by attribute; undefined for what is missing. */
  unread: Table.Row
}

type Attributes = Partial<Omit<Conversation, 'id' | 'owner' | 'createdAt' | 'unread'>>

/** The partition of a conversation and all that belongs to it. */
export const partition = (id: string) => `conversation#${id}`

/** Key of a conversation's row. */
export const key = (id: string): Table.Key => ({ pk: partition(id), sk: 'conversation' })

/** The user whose conversation an id names. */
export const owner = (id: string): number => Number(id.slice(0, id.indexOf('-')))

/**
 * The conversation of a row; undefined for no row. Never throws: what cannot be read is empty and named in the log. Id,
 * owner and time of creation are those of the key.
 */
export function decode(row: Table.Row | undefined): Conversation | undefined {
  if (!row) return undefined
  const { value, unread } = stored.read(row)
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

/** The row of a new conversation. */
export function encode(conversation: Conversation): Table.Row & Table.Key {
  return { ...key(conversation.id), ...stored.encode(conversation), ...places(conversation) }
}

/** A conversation with nothing in it yet; `now` in milliseconds since the epoch. */
export function empty(id: string, now: number): Conversation {
  const at = new Date(now).toISOString()
  const known = { id, owner: owner(id), createdAt: at, updatedAt: at }
  return { ...stored.empty, ...known, status: 'idle', version: 1, unread: {} }
}

/**
 * What a change overwrites of a row that could not be read whole: its values then, and the old ones kept beside. The old
 * transcript stays as it is until it is moved, since both forms of a long one do not fit into one item.
 */
export function mending(before: Conversation, after: Conversation, changes: Attributes): Attributes {
  const overwritten = Object.entries(stored.attributes).filter(
    ([name, attribute]) => attribute in before.unread && (name !== 'legacy' || 'legacy' in changes),
  )
  if (overwritten.length === 0) return {}
  const kept = overwritten.map(([, attribute]) => [attribute, before.unread[attribute]])
  return {
    ...Object.fromEntries(overwritten.map(([name]) => [name, after[name as keyof Conversation]])),
    damaged: { ...before.damaged, ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)) },
  }
}

/** The condition that an attribute still is as it was read, also where it was missing or could not be read. */
export function still(it: Conversation, attribute: string, value: unknown): Required<Table.Condition> {
  const [name, at] = [`#${attribute}_read`, `:${attribute}_read`]
  const read = attribute in it.unread ? it.unread[attribute] : value
  const isMissing = `attribute_not_exists(${name})`
  const names = { [name]: attribute }
  if (read === undefined) return { condition: isMissing, names, values: {} }
  const isEmpty = read === '' || (Array.isArray(read) && read.length === 0)
  const condition = isEmpty ? `(${isMissing} OR ${name} = ${at})` : `${name} = ${at}`
  return { condition, names, values: { [at]: read } }
}

const shards = 4
/** Shard names of the indexes that every conversation shares, so that no partition of them runs hot. */
export const shardNames = Array.from({ length: shards }, (_, at) => String(at))
const shard = (id: string) => String((createHash('sha1').update(id).digest()[0] as number) % shards)

/** The states by which cleanup finds work, as `byState` names them. */
export type Place = 'awaiting' | 'next' | 'idle' | 'archived' | 'deleted'

/** Partition of `byProgress` for a shard. */
export const busyPartition = (name: string) => `busy#${name}`
/** Partition of `byState` for a place and a shard. */
export const placePartition = (place: Place, name: string) => `${place}#${name}`
/** Partition of `byUser` for a user's list. */
export const listPartition = (owner: number, archived: boolean) =>
  `user#${owner}#${archived ? 'archived' : 'active'}`

type Places = Record<
  'user_pk' | 'user_sk' | 'busy_pk' | 'busy_sk' | 'state_pk' | 'state_sk',
  string | undefined
>

/** The keys of a conversation in the three indexes; undefined in an index that does not contain it. */
export function places(it: Conversation): Places {
  const busy = isBusy(it.status) && !it.deletedAt
  const state = place(it)
  return {
    user_pk: it.deletedAt ? undefined : listPartition(it.owner, it.archived),
    user_sk: it.deletedAt ? undefined : `${it.pinned ? 1 : 0}#${it.updatedAt}#${it.id}`,
    busy_pk: busy ? busyPartition(shard(it.id)) : undefined,
    busy_sk: busy ? `${it.progressAt}#${it.id}` : undefined,
    state_pk: state && placePartition(state.place, shard(it.id)),
    state_sk: state && `${state.since}#${it.id}`,
  }
}

function place(it: Conversation): { place: Place; since: string } | undefined {
  if (it.deletedAt) return { place: 'deleted', since: it.deletedAt }
  // Who pins what is archived wants to keep it.
  if (it.archived) return it.pinned ? undefined : { place: 'archived', since: it.archivedAt ?? it.updatedAt }
  if (it.status === 'awaiting_approval') return { place: 'awaiting', since: it.awaitingUntil ?? it.updatedAt }
  if (isDue(it)) return { place: 'next', since: it.updatedAt }
  if (it.status === 'idle' && !it.pinned) return { place: 'idle', since: it.updatedAt }
  return undefined
}

/** A message waits, and nothing keeps it from being sent. */
export function isDue(it: Conversation): boolean {
  return it.status === 'idle' && it.next.length > 0 && !it.nextHeld && !it.archived && !it.deletedAt
}

/** The id at the end of an index key. */
export const idOf = (sortKey: string): string => sortKey.slice(sortKey.lastIndexOf('#') + 1)

/** The attributes of a row under their stored names, for an update that names what it changes. */
export const attributes = (changes: Attributes): Table.Row => stored.changed(changes)

/** What readers get of a conversation. `activityVersion` is that of its activity list, where it was read along. */
export function summary(it: Conversation, activityVersion = it.activityVersion): Summary {
  return {
    id: it.id,
    title: it.title,
    status: it.status,
    messageCount: it.legacy.length > 0 ? it.legacy.length : it.messageCount,
    version: it.version + Math.max(0, activityVersion - it.activityVersion),
    pinned: it.pinned,
    archived: it.archived,
    errorMessage: it.errorMessage ?? null,
    errorCode: it.errorCode ?? null,
    createdAt: it.createdAt,
    updatedAt: it.updatedAt,
  }
}
