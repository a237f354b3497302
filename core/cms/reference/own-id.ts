import type { RecordId } from '../../conversation/schema.ts'

/** The uid that an id is here, where all are numbers; -1 for a text that is none: no record has it. */
export function ownId(id: RecordId): number {
  if (typeof id === 'number') return id
  return /^[1-9][0-9]{0,14}$/.test(id) ? Number(id) : -1
}
