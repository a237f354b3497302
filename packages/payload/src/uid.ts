import type { Payload } from 'payload'
import type { RecordId } from '../../../core/conversation/schema.ts'
import type { RecordType } from './type.ts'

/** The kind of the ids of a collection on this site; a global has the id 1. */
export function idKind(payload: Payload, collection: string | undefined): 'number' | 'text' {
  const custom = collection === undefined ? 'number' : payload.collections[collection]?.customIDType
  return custom ?? payload.db.defaultIDType
}

const kindOf = (payload: Payload, { isGlobal, slug }: RecordType) =>
  idKind(payload, isGlobal ? undefined : slug)

/** The kind of ids that the stage asks the model for: texts if a type of the site has them. */
export function idsOf(payload: Payload, types: RecordType[]): 'number' | 'string' {
  return types.some((type) => kindOf(payload, type) === 'text') ? 'string' : 'number'
}

/** An id as this site has it: a number of the bridge may be the text that the site keeps, and the other way round. */
export function idOf(payload: Payload, type: RecordType, uid: RecordId): RecordId {
  if (kindOf(payload, type) === 'text') return String(uid)
  return typeof uid === 'string' && /^[1-9][0-9]{0,15}$/.test(uid) ? Number(uid) : uid
}

/** True if an id can belong to a type: SQL databases fail on a text in place of a number. */
export function isOf(payload: Payload, type: RecordType, id: RecordId): boolean {
  return kindOf(payload, type) === 'text' || typeof id === 'number'
}
