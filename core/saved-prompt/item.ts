import * as z from 'zod'
import { item, json, number, type Of } from '../aws/item.ts'
import type { Key } from '../aws/table.ts'
import { SavedPrompt } from './schema.ts'

/** The prompts of a user: one item below its owner, so that an export shows it and an erasure finds it. */
export const codec = item('saved prompts', 1, {
  prompts: json('prompts', z.array(SavedPrompt), []),
  version: number('version', 0),
})
export type SavedPrompts = Of<typeof codec.fields>

/** Key of a user's prompts. */
export const key = (uid: number): Key => ({ pk: `user#${uid}`, sk: 'prompts' })
