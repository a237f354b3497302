import type { Payload } from 'payload'
import type { RecordId } from '../../conversation/schema.ts'
import { added, inTurn, people } from './store.ts'
import type { RecordType } from './type.ts'

/** What the ids of a type are on this site. */
function kindOf(payload: Payload, type: RecordType): 'number' | 'text' {
  const custom = type.isGlobal ? 'number' : payload.collections[type.slug]?.customIDType
  return custom ?? payload.db.defaultIDType
}

/** What the stage is to ask the model for: texts where a type of the site has them. */
export function idsOf(payload: Payload, types: RecordType[]): 'number' | 'string' {
  return types.some((type) => kindOf(payload, type) === 'text') ? 'string' : 'number'
}

/** An id as this site has it: a number of the bridge may be the text that the site keeps, and the other way round. */
export function idOf(payload: Payload, type: RecordType, uid: RecordId): RecordId {
  if (kindOf(payload, type) === 'text') return String(uid)
  return typeof uid === 'string' && /^[1-9][0-9]{0,15}$/.test(uid) ? Number(uid) : uid
}

/** Whether an id can be one of a type: SQL databases fail on a text where a number is. */
export function isOf(payload: Payload, type: RecordType, id: RecordId): boolean {
  return kindOf(payload, type) === 'text' || typeof id === 'number'
}

/**
 * The number that a user has on the bridge. Ids that are texts get one for ever, by a step that gives it once: of two that
 * count to the same number at the same time, one counts again.
 */
export async function numberOf(payload: Payload, id: RecordId): Promise<number> {
  if (typeof id === 'number') return id
  for (;;) {
    const [known] = (await find(payload, { person: { equals: id } })).docs
    if (known) return known.number
    const [last] = (await find(payload, {})).docs
    const row = { person: id, number: (last?.number ?? 0) + 1 }
    await inTurn(payload, () => added(payload, people, row))
  }
}

/** The id of the user with a number on the bridge; undefined: no user got it. */
export async function personOf(payload: Payload, number: number): Promise<RecordId | undefined> {
  const collection = payload.collections[payload.config.admin.user]
  if ((collection?.customIDType ?? payload.db.defaultIDType) === 'number') return number
  return (await find(payload, { number: { equals: number } })).docs[0]?.person
}

function find(payload: Payload, where: object) {
  const query = { collection: people, where: where as never, sort: '-number', limit: 1, depth: 0 }
  return payload.find(query) as unknown as Promise<{ docs: { person: string; number: number }[] }>
}
