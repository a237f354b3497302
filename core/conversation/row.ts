import { setTimeout as sleep } from 'node:timers/promises'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { attributes, type Changes, type Conversation, decode, indexed, key, mending, still } from './item.ts'
import { checkMove, isBusy } from './schema.ts'

/**
 * Reads and changes the conversation row. Writers other than the consumer use optimistic locking on `version`, and read
 * again after a lost race. A consumer writes under its claim (claim.ts).
 */

export type { Changes }

/** The maximum number of attempts to change a row that another writer changes between the read and the write. */
const tries = 40
/**
 * The maximum pause after two lost races in a row, in milliseconds. The pause is random, so that not all writers repeat
 * at once.
 */
const pauseMs = 100

/**
 * Builds the write of `changes` for the row as it was read, also under `conditions`; the version grows by one. Each
 * unreadable value is overwritten with its empty value, and its old value goes to `damaged`.
 */
export function change(
  conversation: Conversation,
  changes: Changes,
  ...conditions: Required<Table.Condition>[]
): { next: Conversation; write: Table.Write } {
  const changed = { ...conversation, version: conversation.version + 1, ...changes }
  checkMove(conversation.status, changed.status)
  const mended = mending(conversation, changed, changes)
  const set = { ...mended, ...changes, version: changed.version }
  const written = attributes(set)
  const unread = Object.fromEntries(
    Object.entries(conversation.unread).filter(([name]) => !(name in written)),
  )
  const next = { ...changed, ...mended, unread }
  const before = indexed(conversation)
  const after = indexed(next)
  const moved = Object.fromEntries(
    Object.entries(after).filter(([name, at]) => at !== before[name as keyof typeof before]),
  )
  return {
    next,
    write: Table.assignWrite(key(conversation.id), {
      set: { ...written, ...moved },
      ...Table.allOf(still(conversation, 'version', conversation.version), ...conditions),
    }),
  }
}

/** Stores `changes` of the row, with other writes. Returns the changed conversation; undefined after a lost race. */
export async function store(
  conversation: Conversation,
  changes: Changes,
  writes: Table.Write[] = [],
): Promise<Conversation | undefined> {
  const { next, write } = change(conversation, changes)
  const { done } = await Table.transact([write, ...writes])
  return done ? next : undefined
}

/** Returns the condition that the row is as it was read, for transactions that do not change the row. */
export function unchanged(conversation: Conversation): Table.Write {
  return Table.checkWrite(key(conversation.id), still(conversation, 'version', conversation.version))
}

/** Reads the conversation with this id; returns undefined if no such conversation exists. */
export async function read(id: string): Promise<Conversation | undefined> {
  return decode(await Table.get(key(id)))
}

/**
 * Runs `attempt` until it succeeds, first on the row that the caller has read, then on fresh reads. `attempt` returns
 * undefined after a lost race, and throws if the state forbids the change. Throws `gone` for a missing conversation, by
 * default `conversation.notFound`. Throws `service.unavailable` after about two seconds of lost races.
 */
export async function contend<T>(
  conversation: Conversation,
  attempt: (current: Conversation) => Promise<T | undefined>,
  gone: () => Error = () => new VisibleError('conversation.notFound'),
): Promise<T> {
  let current: Conversation | undefined = conversation
  for (let count = 0; count < tries; count++) {
    if (!current) throw gone()
    const done = await attempt(current)
    if (done !== undefined) return done
    if (count > 0) await sleep(Math.random() * pauseMs)
    current = await read(conversation.id)
  }
  throw new VisibleError('service.unavailable', { retryAfterMs: 1_000 })
}

/** Throws `conversation.notFound` for a deleted conversation. */
export function refuseDeleted({ deletedAt }: Conversation): void {
  if (deletedAt) throw new VisibleError('conversation.notFound')
}

/** Throws `conversation.busy` while a consumer has the conversation or its turn is queued. */
export function refuseBusy({ status }: Conversation): void {
  if (isBusy(status)) throw new VisibleError('conversation.busy', { retryAfterMs: 2_000 })
}
