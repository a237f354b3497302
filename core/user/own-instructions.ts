import type { Actor } from '../base/actor.ts'
import { item, text } from '../base/aws/item.ts'
import type { Key } from '../base/aws/table.ts'
import * as Table from '../base/aws/table.ts'

/**
 * The stored form of the instructions: an item below its owner, so that an export contains it and an erasure finds it.
 */
export const codec = item('own instructions', 1, { text: text('instructions') })

/** Key of a user's instructions. */
export const key = (uid: number): Key => ({ pk: `user#${uid}`, sk: 'instructions' })

/** Reads the user's instructions for all their conversations; empty if there are none. */
export async function read({ uid }: Pick<Actor, 'uid'>): Promise<string> {
  return decode(await Table.get(key(uid)))
}

/** Decodes instructions from an item that was read along with others. */
export const decode = (row: Table.Row | undefined): string => (row ? codec.decode(row).text : '')

/** Replaces the user's instructions and answers them; an empty text removes them. */
export async function write({ uid }: Pick<Actor, 'uid'>, text: string): Promise<string> {
  if (text === '') await Table.remove(key(uid))
  else await Table.put({ ...key(uid), ...codec.encode({ text }) })
  return text
}
