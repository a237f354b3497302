import { item, text } from '../aws/item.ts'
import type { Key } from '../aws/table.ts'

/** How the instructions are stored: an item below its owner, so that an export shows it and an erasure finds it. */
export const codec = item('own instructions', 1, { text: text('instructions') })

/** Key of a user's instructions. */
export const key = (uid: number): Key => ({ pk: `user#${uid}`, sk: 'instructions' })
