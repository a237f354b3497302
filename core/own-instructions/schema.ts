import * as z from 'zod'

/** How many characters the instructions of a user for all their conversations may have. */
export const maxOwnInstructions = 2_000

/** `POST /instructions`: the whole text; an empty one removes the instructions. */
export const OwnInstructionsBody = z.strictObject({
  text: z
    .string()
    .trim()
    .refine((text) => [...text].length <= maxOwnInstructions, `at most ${maxOwnInstructions} characters`),
})
/** The instructions of the user as they are stored, empty where there are none. */
export const OwnInstructionsAnswer = z.object({ text: z.string() })
export type OwnInstructionsAnswer = z.infer<typeof OwnInstructionsAnswer>
/** `GET /instructions` */
export const OwnInstructionsQuery = z.strictObject({})
