import { item, members, number, type Of, schemaAttribute } from '../base/aws/item.ts'
import * as Table from '../base/aws/table.ts'

/**
 * Returns the key of a user's quota: the ids of the conversations in which the assistant works, and the number of all
 * conversations. The ids are a set, so that a repeated release does no harm. Conditional writes enforce both caps,
 * because a check before the write would lose races.
 */
export const key = (uid: number): Table.Key => ({ pk: `user#${uid}`, sk: 'quota' })

/** Encodes and decodes a quota. */
export const codec = item('quota', 1, {
  active: members('active'),
  conversations: number('conversations', 0),
})

export type Quota = Of<typeof codec.fields>

/** Reads the quota of a row; empty without a row. */
export const decode = (row: Table.Row | undefined): Quota => (row ? codec.decode(row) : codec.empty)

type Caps = { active: number | null; conversations: number | null }

/**
 * Returns the write that takes a place among the active conversations. For a new conversation, the write also counts
 * it.
 */
export function take(uid: number, id: string, caps: Caps, isNew: boolean): Table.Write {
  const active = {
    condition: 'NOT attribute_type(active, :set) OR size(active) < :active OR contains(active, :id)',
    values: { ':active': caps.active, ':id': id, ':set': 'SS' },
  }
  return adding(uid, { active: new Set([id]), ...(isNew && { conversations: 1 }) }, [
    ...(caps.active === null ? [] : [active]),
    ...(isNew ? room(caps.conversations) : []),
  ])
}

/**
 * Returns the write that counts a conversation which is created or restored without starting a turn. `most` is the cap;
 * null: no cap.
 */
export function count(uid: number, most: number | null): Table.Write {
  return adding(uid, { conversations: 1 }, room(most))
}

/** Returns the write that gives back a place among the active conversations; harmless if the conversation had none. */
export function release(uid: number, id: string): Table.Write {
  return Table.assignWrite(key(uid), { take: { active: new Set([id]) } })
}

/** Returns the write that subtracts a deleted conversation. */
export function uncount(uid: number): Table.Write {
  return Table.assignWrite(key(uid), { add: { conversations: -1 } })
}

function room(most: number | null): Required<Table.Condition>[] {
  if (most === null) return []
  const condition = 'NOT attribute_type(conversations, :number) OR conversations < :conversations'
  return [{ condition, values: { ':conversations': most, ':number': 'N' } }]
}

/** Returns the write that adds to a quota if all conditions hold. */
function adding(uid: number, add: Table.Row, rooms: Required<Table.Condition>[]): Table.Write {
  return Table.assignWrite(key(uid), {
    set: { [schemaAttribute]: codec.schema },
    add,
    ...Table.allOf(...rooms),
  })
}
