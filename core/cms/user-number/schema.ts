import * as z from 'zod'
import { TextId } from '../../conversation/schema.ts'

/** From here to 2^53 - 1 are the numbers that the stage gives; a CMS with numbers of its own has smaller ones. */
export const firstGiven = 9_000_000_000_000_000

/** A text that reads as a number of a user, as one of at most 16 digits does, is the number. */
const reads = /^[0-9]{1,16}$/

/** The id of a user in a CMS with texts. None reads as a number, so that no user can be taken for another of the other kind. */
export const UserText = TextId.refine((id) => !reads.test(id), 'a text that reads as a number')

/** The id of a user as their CMS has it. */
export const UserId = z.union([
  z
    .int()
    .positive()
    .max(firstGiven - 1),
  UserText,
])
export type UserId = z.infer<typeof UserId>

/** The id that a text names, in a statement, a header or on a command line; undefined: it names none. */
export function userIdIn(text: string): UserId | undefined {
  return UserId.safeParse(reads.test(text) && !text.startsWith('0') ? Number(text) : text).data
}

/** True if the stage gave this number of a user for a text. */
export const isGiven = (uid: number): boolean => uid >= firstGiven

/** The numbers of users whose ids are texts, in the table of the stage or, for a check without a stage, in the process. */
export type UserNumbers = {
  /** The number of the user for ever, given at the first time; undefined where what is stored of it cannot be read. */
  numberOf(id: string): Promise<number | undefined>
  /** The text that has the number; undefined: none has, or no more. */
  textOf(uid: number): Promise<string | undefined>
}
