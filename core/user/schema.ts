import * as z from 'zod'
import { maxCharacters, oneLine, trimmed } from '../base/characters.ts'
import { objectOf } from '../base/lazy-schema.ts'

/** A user's verdict on an answer. */
export const Verdict = z.enum(['helpful', 'notHelpful'])
export type Verdict = z.infer<typeof Verdict>

/** The reasons why an answer did not help; `other` may be explained in words. */
export const feedbackReasons = ['wrong', 'incomplete', 'notAsked', 'tooLong', 'tooSlow', 'other'] as const
/** One of these reasons. */
export const Reason = z.enum(feedbackReasons)
export type Reason = z.infer<typeof Reason>

/** A user's feedback on the answer of a run. */
export const Feedback = objectOf(() => ({ verdict: Verdict, reason: Reason.nullable(), words: z.string() }))
export type Feedback = z.infer<typeof Feedback>

/** The id of a prompt, unique for its user. */
export const PromptId = z.string().regex(/^[0-9a-z]{26}$/)

/** The title of a prompt. */
export const PromptTitle = oneLine(maxCharacters.promptTitle, 1)

/** The text of a prompt; `{word}` is a variable that the user fills in before use. */
export const PromptText = trimmed(maxCharacters.promptText, 1)

/** A prompt that a user has saved. */
export const SavedPrompt = z.object({ id: PromptId, title: z.string(), text: z.string() })
export type SavedPrompt = z.infer<typeof SavedPrompt>

/** The maximum number of prompts of a user: all of them fit in one item of the table, far below its limit. */
export const maxPrompts = 40

/** `POST /instructions`: the whole text; an empty text removes the instructions. */
export const OwnInstructionsBody = z.strictObject({ text: trimmed(maxCharacters.instructions) })
/** The user's instructions, and the house style that administrators set for the stage; each may be empty. */
export const InstructionsAnswer = z.object({ text: z.string(), houseStyle: z.string() })
export type InstructionsAnswer = z.infer<typeof InstructionsAnswer>
/** `GET /instructions` */
export const OwnInstructionsQuery = z.strictObject({})
