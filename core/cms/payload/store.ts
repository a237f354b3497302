import type { CollectionConfig, Payload } from 'payload'
import { requestOf } from './acting.ts'
import { own } from './type.ts'

/** Slugs of the collections that the plugin keeps its own things in. */
export const nonces = `${own}nonces`
/** The numbers of users whose ids are texts. */
export const people = `${own}people`
/** Once-only keys of writes, with what was changed. */
export const writes = `${own}writes`

const closed = { create: () => false, read: () => false, update: () => false, delete: () => false }

/** The collections of the plugin: no user sees them, and no API gives them out. */
export const collections: CollectionConfig[] = [
  {
    slug: nonces,
    access: closed,
    admin: { hidden: true },
    graphQL: false,
    lockDocuments: false,
    fields: [
      { name: 'nonce', type: 'text', required: true, unique: true },
      { name: 'until', type: 'number', required: true, index: true },
    ],
  },
  {
    slug: people,
    access: closed,
    admin: { hidden: true },
    graphQL: false,
    lockDocuments: false,
    fields: [
      { name: 'person', type: 'text', required: true, unique: true },
      { name: 'number', type: 'number', required: true, unique: true },
    ],
  },
  {
    slug: writes,
    access: closed,
    admin: { hidden: true },
    graphQL: false,
    lockDocuments: false,
    fields: [
      { name: 'key', type: 'text', required: true, unique: true },
      // The record with the version that the write is made on: of two writes on one version, one gets in.
      { name: 'guard', type: 'text', required: true, unique: true },
      { name: 'outcome', type: 'json' },
      { name: 'run', type: 'text', index: true },
      { name: 'person', type: 'text' },
      { name: 'personName', type: 'text' },
      { name: 'table', type: 'text', index: true },
      { name: 'record', type: 'text', index: true },
      { name: 'kind', type: 'text' },
      { name: 'version', type: 'text' },
      { name: 'versionBefore', type: 'text' },
      { name: 'before', type: 'json' },
      { name: 'after', type: 'json' },
      { name: 'isUndone', type: 'checkbox', defaultValue: false },
    ],
  },
]

/** A write as the plugin keeps it. */
export type Kept = {
  id: number | string
  key: string
  outcome: unknown
  run: string
  personName: string
  table: string
  record: string
  kind: 'update' | 'create' | 'delete' | 'undelete'
  version: string
  versionBefore: string
  before: Record<string, unknown>
  after: Record<string, unknown>
  createdAt: string
}

const queues = new WeakMap<Payload, Promise<unknown>>()

/**
 * Runs what stores something for the bridge, one after the other in this process, and again where another connection
 * keeps the database busy: SQLite has one writer, and does not wait for it.
 */
export function inTurn<T>(payload: Payload, run: () => Promise<T>): Promise<T> {
  const before = queues.get(payload) ?? Promise.resolve()
  const mine = before.then(() => whenFree(run))
  queues.set(
    payload,
    mine.catch(() => undefined),
  )
  return mine
}

async function whenFree<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === 20 || !isBusy(error)) throw error
      await new Promise((done) => setTimeout(done, 20 + 80 * Math.random()))
    }
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return /SQLITE_BUSY|database is locked/.test(error.message) || isBusy(error.cause)
}

/** Runs in one transaction, where the adapter has transactions; on an error nothing of it is stored. */
export async function transact<T>(
  payload: Payload,
  run: (transactionID: number | string | undefined) => Promise<T>,
): Promise<T> {
  const id = (await payload.db.beginTransaction()) ?? undefined
  try {
    const result = await run(id)
    if (id !== undefined) await payload.db.commitTransaction(id)
    return result
  } catch (error) {
    if (id !== undefined) await payload.db.rollbackTransaction(id)
    throw error
  }
}

/** Notes a nonce until then, in milliseconds since the epoch; false when it was used before. Forgets the old ones. */
export function spend(payload: Payload, nonce: string, until: number, now: number): Promise<boolean> {
  return inTurn(payload, async () => {
    await payload.db.deleteMany({ collection: nonces, where: { until: { less_than: now } } })
    return added(payload, nonces, { nonce, until })
  })
}

/** Puts a row in by one step; false where a unique value of it is there already. */
export async function added(
  payload: Payload,
  collection: string,
  data: Record<string, unknown>,
  transactionID?: number | string,
): Promise<boolean> {
  const req = await requestOf({ payload, user: null as never }, { transactionID })
  try {
    await payload.create({ collection, data, req, depth: 0 })
    return true
  } catch (error) {
    // Payload says of a unique value that is there what it says of every wrong value of a field.
    if (error instanceof Error && error.name === 'ValidationError') return false
    throw error
  }
}
