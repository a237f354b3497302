import { createHash } from 'node:crypto'
import { item, text } from '../aws/item.ts'
import type { Key } from '../aws/table.ts'
import { firstGiven } from './schema.ts'

/** How a number is stored that the stage gave: with the text that has it, which is empty once the user was erased. */
export const codec = item('user number', 1, { id: text('cms_user') })

/** Key of a number. */
export const key = (uid: number): Key => ({ pk: `user-number#${uid}`, sk: 'user-number' })

const given = Number.MAX_SAFE_INTEGER - firstGiven + 1

/** The number that a text gets where no other text has it. */
export function firstChoice(id: string): number {
  const hash = createHash('sha256').update(id).digest().readBigUInt64BE()
  return firstGiven + Number(hash % BigInt(given))
}

/** The next number, for a text whose choice another one has. */
export const nextChoice = (uid: number): number => (uid === Number.MAX_SAFE_INTEGER ? firstGiven : uid + 1)
