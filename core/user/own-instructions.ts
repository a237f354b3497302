import type { Actor } from '../base/actor.ts'
import { item, text } from '../base/aws/item.ts'
import * as Table from '../base/aws/table.ts'

/** The stored form of the instructions: an item in the user's partition, where exports and erasures find it. */
export const codec = item('own instructions', 1, { text: text('instructions') })

/** Returns the table key of a user's instructions. */
export const key = (uid: number): Table.Key => ({ pk: `user#${uid}`, sk: 'instructions' })

/** Returns the user's instructions for all their conversations; empty if there are none. */
export async function read({ uid }: Pick<Actor, 'uid'>): Promise<string> {
  return decode(await Table.get(key(uid)))
}

/** Returns the instructions in an item that was read before; empty without an item. */
export const decode = (row: Table.Row | undefined): string => (row ? codec.decode(row).text : '')

/** Stores the user's instructions and returns them; an empty text removes them. */
export async function write({ uid }: Pick<Actor, 'uid'>, text: string): Promise<string> {
  if (text === '') await Table.remove(key(uid))
  else await Table.put({ ...key(uid), ...codec.encode({ text }) })
  return text
}
