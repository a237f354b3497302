import * as z from 'zod'
import { trimmed } from '../../base/characters.ts'

/** The most characters of a user's own instructions. */
export const maxOwnInstructions = 2_000

/** `POST /instructions`: the whole text; an empty one removes the instructions. */
export const OwnInstructionsBody = z.strictObject({
  text: trimmed(maxOwnInstructions),
})
/** The user's instructions, and the house style that administrators set for the stage. Each may be empty. */
export const InstructionsAnswer = z.object({ text: z.string(), houseStyle: z.string() })
export type InstructionsAnswer = z.infer<typeof InstructionsAnswer>
/** `GET /instructions` */
export const OwnInstructionsQuery = z.strictObject({})
