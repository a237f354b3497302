import { assign } from '../aws/expression.ts'
import { item, members, number, type Of, schemaAttribute } from '../aws/item.ts'
import type * as Table from '../aws/table.ts'
import { config } from '../stage/config.ts'

/**
 * What a user holds: the conversations in which the assistant works for them (a set of ids, so that giving back twice
 * does no harm), and how many conversations they have. Both caps are conditional writes, never check-then-act.
 */
export const key = (uid: number): Table.Key => ({ pk: `user#${uid}`, sk: 'quota' })

/** How a quota is stored. */
export const codec = item('quota', 1, {
  active: members('active'),
  conversations: number('conversations', 0),
})

export type Quota = Of<typeof codec.fields>

/** The quota of a row; nothing held where there is none. */
export const decode = (row: Table.Row | undefined): Quota => (row ? codec.decode(row) : codec.empty)

type Caps = { active: number | null; conversations: number | null }

/** Takes a place among the active conversations, and one among all where the conversation is new. */
export function take(uid: number, id: string, caps: Caps, isNew: boolean): Table.Write {
  const conditions: string[] = []
  const values: Table.Row = {}
  if (caps.active !== null) {
    conditions.push('(NOT attribute_type(active, :set) OR size(active) < :active OR contains(active, :id))')
    Object.assign(values, { ':active': caps.active, ':id': id, ':set': 'SS' })
  }
  if (isNew) Object.assign(values, room(caps, conditions))
  return {
    Update: assign(config().table, key(uid), {
      set: { [schemaAttribute]: codec.schema },
      add: { active: new Set([id]), ...(isNew && { conversations: 1 }) },
      ...(conditions.length > 0 && { condition: conditions.join(' AND ') }),
      values,
    }),
  }
}

/** Counts a conversation that comes into being, or back, without working. */
export function count(uid: number, caps: Caps): Table.Write {
  const conditions: string[] = []
  const values = room(caps, conditions)
  return {
    Update: assign(config().table, key(uid), {
      set: { [schemaAttribute]: codec.schema },
      add: { conversations: 1 },
      ...(conditions.length > 0 && { condition: conditions.join(' AND ') }),
      values,
    }),
  }
}

/** Gives a place among the active conversations back; harmless when it was not held. */
export function release(uid: number, id: string): Table.Write {
  return { Update: assign(config().table, key(uid), { set: {}, take: { active: new Set([id]) } }) }
}

/** Counts a deleted conversation no longer. */
export function uncount(uid: number): Table.Write {
  return { Update: assign(config().table, key(uid), { set: {}, add: { conversations: -1 } }) }
}

function room(caps: Caps, conditions: string[]): Table.Row {
  if (caps.conversations === null) return {}
  conditions.push('(NOT attribute_type(conversations, :number) OR conversations < :conversations)')
  return { ':conversations': caps.conversations, ':number': 'N' }
}
