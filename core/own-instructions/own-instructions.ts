import type { Actor } from '../actor.ts'
import * as Table from '../aws/table.ts'
import { codec, key } from './item.ts'

/** What a user tells the assistant for all their conversations; empty where there is nothing. */
export async function read({ uid }: Pick<Actor, 'uid'>): Promise<string> {
  return decode(await Table.get(key(uid)))
}

/** The instructions of an item that was read along with others. */
export const decode = (row: Table.Row | undefined): string => (row ? codec.decode(row).text : '')

/** Stores the instructions of the user in the place of those before, and answers them; an empty text removes them. */
export async function write({ uid }: Pick<Actor, 'uid'>, text: string): Promise<string> {
  if (text === '') await Table.remove(key(uid))
  else await Table.put({ ...key(uid), ...codec.encode({ text }) })
  return text
}
