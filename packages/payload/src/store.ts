import type { CollectionConfig, Field, Payload, Where } from 'payload'
import type { PutAnswer } from '../../../core/cms/cms.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { inTurn } from '../../node/src/once.ts'
import { type Acting, requestOf } from './acting.ts'
import { ownPrefix } from './type.ts'

/** The slug of the collection with the used nonces. */
const nonces = `${ownPrefix}nonces`
/** The slug of the collection with the keys and outcomes of the puts; each key is valid once. */
export const writes = `${ownPrefix}writes`

const closed = () => false

/** Returns a collection that no user sees and no API returns. */
const hidden = (slug: string, fields: Field[]): CollectionConfig => ({
  slug,
  access: { create: closed, read: closed, update: closed, delete: closed },
  admin: { hidden: true },
  graphQL: false,
  lockDocuments: false,
  fields,
})

/** The collections of the plugin. */
export const collections: CollectionConfig[] = [
  hidden(nonces, [
    { name: 'nonce', type: 'text', required: true, unique: true },
    { name: 'until', type: 'number', required: true, index: true },
  ]),
  hidden(writes, [
    { name: 'key', type: 'text', required: true, unique: true },
    // The record and the version that the put expects: of two puts on the same version, only one succeeds.
    { name: 'guard', type: 'text', required: true, unique: true },
    { name: 'outcome', type: 'json' },
    { name: 'run', type: 'text' },
    { name: 'person', type: 'text' },
    { name: 'table', type: 'text', index: true },
    { name: 'record', type: 'text', index: true },
  ]),
]

/** A stored put; the outcome is absent while the put is in progress. */
export type Kept = {
  id: RecordId
  outcome?: PutAnswer
  run: string
  /** The name of the user. */
  person: string
  createdAt: string
}

/** Returns the stored puts that a query finds, the newest first; 0 as `limit` returns all. */
export async function putsIn(acting: Acting, where: Where, limit = 0): Promise<Kept[]> {
  const as = { sort: '-createdAt', limit, depth: 0, req: await requestOf(acting) }
  const { docs } = await acting.payload.find({ collection: writes, where, ...as })
  return docs as unknown as Kept[]
}

/** Runs `run` in one transaction, if the database adapter supports transactions; an error then stores nothing. */
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

/**
 * Stores a nonce until that time, in milliseconds since the epoch; returns false if the nonce was used before. Deletes
 * expired nonces.
 */
export function spend(payload: Payload, nonce: string, until: number): Promise<boolean> {
  return inTurn(payload, async () => {
    await payload.db.deleteMany({ collection: nonces, where: { until: { less_than: Date.now() } } })
    return addRow({ payload }, nonces, { nonce, until })
  })
}

/** Inserts a row in one atomic step; returns false if a unique value of the row exists already. */
export async function addRow(
  { payload, transactionID }: Pick<Acting, 'payload' | 'transactionID'>,
  collection: string,
  data: Record<string, unknown>,
): Promise<boolean> {
  const req = await requestOf({ payload, user: null as never, transactionID })
  try {
    await payload.create({ collection, data, req, depth: 0 })
    return true
  } catch (error) {
    // Payload reports a duplicate of a unique value as a validation error.
    if (error instanceof Error && error.name === 'ValidationError') return false
    throw error
  }
}
