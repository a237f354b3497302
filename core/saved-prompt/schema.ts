import * as z from 'zod'

/** Names a prompt among those of its user. */
export const PromptId = z.string().regex(/^[0-9a-z]{26}$/)

const characters = (max: number) =>
  z
    .string()
    .trim()
    .refine((text) => text !== '' && [...text].length <= max, `1 to ${max} characters`)

/** What a prompt is called; at most 100 characters. */
export const PromptTitle = characters(100)

/** What a prompt says, at most 2,000 characters; `{word}` is a variable, which is asked for when the prompt is used. */
export const PromptText = characters(2_000)

/** A prompt that a user keeps. */
export const SavedPrompt = z.object({ id: PromptId, title: z.string(), text: z.string() })
export type SavedPrompt = z.infer<typeof SavedPrompt>

/** How many a user may keep: all of them are one item of the table, far below its limit. */
export const maxPrompts = 40
