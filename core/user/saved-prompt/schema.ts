import * as z from 'zod'
import { trimmed } from '../../base/characters.ts'

/** The id of a prompt, unique for its user. */
export const PromptId = z.string().regex(/^[0-9a-z]{26}$/)

/** The title of a prompt; at most 100 characters. */
export const PromptTitle = trimmed(100, 1)

/** The text of a prompt, at most 2,000 characters; `{word}` is a variable that the user fills in before use. */
export const PromptText = trimmed(2_000, 1)

/** A prompt that a user has saved. */
export const SavedPrompt = z.object({ id: PromptId, title: z.string(), text: z.string() })
export type SavedPrompt = z.infer<typeof SavedPrompt>

/** The most prompts of a user: all of them fit in one item of the table, far below its limit. */
export const maxPrompts = 40
