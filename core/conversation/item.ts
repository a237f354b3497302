import { createHash } from 'node:crypto'
import * as z from 'zod'
import type * as Table from '../aws/table.ts'
import { FailureCode, Status, type Summary, ViewContext } from './schema.ts'
import { isBusy } from './state.ts'

/**
 * The stored form of a conversation: the one place that knows both the names of the table and those of the code.
 * Reads that it serves: a conversation by id with its children in one partition; a user's list; the busy ones by last
 * sign of life; those of a state by time. Attributes carry the specification's names.
 */

const Legacy = z.looseObject({ role: z.string().catch('assistant'), content: z.string().catch('') })
/** A message of the old transcript column. */
export type LegacyMessage = z.infer<typeof Legacy>

const Stored = z.object({
  id: z.string(),
  be_user: z.number(),
  title: z.string(),
  title_fixed: z.boolean().default(false),
  status: Status,
  current_request_id: z.string().default(''),
  messages: z.array(Legacy).default([]),
  message_count: z.number(),
  version: z.number(),
  pinned: z.boolean(),
  archived: z.boolean(),
  deleted_at: z.string().optional(),
  archived_at: z.string().optional(),
  error_message: z.string().optional(),
  error_code: FailureCode.optional(),
  view_context: ViewContext.optional(),
  created_at: z.string(),
  updated_at: z.string(),
  progress_at: z.string().default(''),
  run_id: z.string().default(''),
  claim: z.number().default(0),
  claimed_at: z.string().default(''),
  worked_ms: z.number().default(0),
  lapses: z.number().default(0),
  handovers: z.number().default(0),
  cut: z.number().default(0),
  cut_version: z.number().default(0),
  swept_to: z.number().default(0),
  cancel_requested: z.boolean().default(false),
  files: z.array(z.tuple([z.number(), z.number()])).default([]),
  activity_key: z.string().default(''),
  activity_version: z.number().default(0),
  has_prompt: z.boolean().default(false),
  awaiting_until: z.string().optional(),
  writing: z.string().optional(),
  shortened: z.boolean().default(false),
  refused_files: z.array(z.number()).default([]),
})

/** A conversation as the code knows it. Times are ISO 8601. */
export type Conversation = {
  id: string
  owner: number
  title: string
  /** Renamed by the user: never changed by the service again. */
  titleFixed: boolean
  status: Status
  /** The request that may claim it, or the consumer that holds it; fences every write of a turn. */
  requestId: string
  /** Transcript of an old release; not empty means that it has no message rows yet. */
  legacy: LegacyMessage[]
  messageCount: number
  version: number
  pinned: boolean
  archived: boolean
  deletedAt: string | undefined
  archivedAt: string | undefined
  errorMessage: string | undefined
  errorCode: FailureCode | undefined
  viewContext: ViewContext | undefined
  createdAt: string
  updatedAt: string
  /** Last sign of life of the turn: claim, step, heartbeat; while it waits for a consumer, when it was queued. */
  progressAt: string
  /** One turn keeps one run, also across a pause, a retry and a hand-over. */
  runId: string
  /** How often it was claimed; orders the consumers of a turn. */
  claim: number
  claimedAt: string
  /** Work of earlier claims of this turn in milliseconds. */
  workedMs: number
  /** Leases of this turn that ran out. */
  lapses: number
  handovers: number
  /** Number of edits, and the version of the last one. */
  cut: number
  cutVersion: number
  /** Rows from `messageCount` up to here were dropped by an edit and not yet removed. */
  sweptTo: number
  cancelRequested: boolean
  /** `[sequence, fileUid]` of each attachment. */
  files: [number, number][]
  /** Names the activity list of this turn; a list with another key is an earlier turn's. */
  activityKey: string
  /** The version of the activity list that `version` already counts. */
  activityVersion: number
  hasPrompt: boolean
  awaitingUntil: string | undefined
  /** The call whose write was begun and whose end is not stored yet. */
  writing: string | undefined
  /** The user was already told that old messages no longer fit the model's window. */
  shortened: boolean
  /** Files that a provider refused: they are not sent in their own form again. */
  refusedFiles: number[]
}

type Attributes = Partial<Omit<Conversation, 'id' | 'owner' | 'createdAt'>>

const names: Record<keyof Attributes, string> = {
  title: 'title',
  titleFixed: 'title_fixed',
  status: 'status',
  requestId: 'current_request_id',
  legacy: 'messages',
  messageCount: 'message_count',
  version: 'version',
  pinned: 'pinned',
  archived: 'archived',
  deletedAt: 'deleted_at',
  archivedAt: 'archived_at',
  errorMessage: 'error_message',
  errorCode: 'error_code',
  viewContext: 'view_context',
  updatedAt: 'updated_at',
  progressAt: 'progress_at',
  runId: 'run_id',
  claim: 'claim',
  claimedAt: 'claimed_at',
  workedMs: 'worked_ms',
  lapses: 'lapses',
  handovers: 'handovers',
  cut: 'cut',
  cutVersion: 'cut_version',
  sweptTo: 'swept_to',
  cancelRequested: 'cancel_requested',
  files: 'files',
  activityKey: 'activity_key',
  activityVersion: 'activity_version',
  hasPrompt: 'has_prompt',
  awaitingUntil: 'awaiting_until',
  writing: 'writing',
  shortened: 'shortened',
  refusedFiles: 'refused_files',
}

/** The partition of a conversation and all that belongs to it. */
export const partition = (id: string) => `conversation#${id}`

/** Key of a conversation's row. */
export const key = (id: string): Table.Key => ({ pk: partition(id), sk: 'conversation' })

/** The user whose conversation an id names. */
export const owner = (id: string): number => Number(id.slice(0, id.indexOf('-')))

/** The conversation of a row; undefined for no row. */
export function decode(row: Table.Row | undefined): Conversation | undefined {
  if (!row) return undefined
  const { id, be_user, created_at, ...stored } = Stored.parse(row)
  const attributes = Object.fromEntries(
    Object.entries(names).map(([name, attribute]) => [name, stored[attribute as keyof typeof stored]]),
  )
  return { id, owner: be_user, createdAt: created_at, ...attributes } as Conversation
}

/** The row of a new conversation. */
export function encode(conversation: Conversation): Table.Row & Table.Key {
  const { id, owner, createdAt, ...rest } = conversation
  const attributes = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [names[name as keyof Attributes], value]),
  )
  return { ...key(id), id, be_user: owner, created_at: createdAt, ...attributes, ...places(conversation) }
}

const shards = 4
/** Shard names of the indexes that every conversation shares, so that no partition of them runs hot. */
export const shardNames = Array.from({ length: shards }, (_, at) => String(at))
const shard = (id: string) => String((createHash('sha1').update(id).digest()[0] as number) % shards)

/** The states by which cleanup finds work, as `byState` names them. */
export type Place = 'awaiting' | 'idle' | 'archived' | 'deleted'

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

/** Where a conversation stands in the three indexes; undefined where it stands in none. */
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
  if (it.status === 'idle' && !it.pinned) return { place: 'idle', since: it.updatedAt }
  return undefined
}

/** The id at the end of an index key. */
export const idOf = (sortKey: string): string => sortKey.slice(sortKey.lastIndexOf('#') + 1)

/** The attributes of a row under their stored names, for an update that names what it changes. */
export function attributes(changes: Attributes): Table.Row {
  return Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [names[name as keyof Attributes], value]),
  )
}

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
