import * as z from 'zod'
import { TextId } from '../../conversation/schema.ts'

/** The stage assigns user numbers from this number to 2^53 - 1. Numeric user ids of a CMS are smaller. */
export const firstGiven = 9_000_000_000_000_000

/** A text of at most 16 digits is read as the number of a user. */
const reads = /^[0-9]{1,16}$/

/** The text id of a user. It must not look like a number, so that a text id and a numeric id can never be confused. */
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

/** Returns the user id in a statement, a header or a command line argument; undefined if the text is no user id. */
export function userIdIn(text: string): UserId | undefined {
  return UserId.safeParse(reads.test(text) && !text.startsWith('0') ? Number(text) : text).data
}

/** True if the stage gave this number for a text id. */
export const isGiven = (uid: number): boolean => uid >= firstGiven

/** The numbers of users with text ids, in the table of the stage. A check without a stage keeps them in the process. */
export type UserNumbers = {
  /** Returns the permanent number of the user, given on first use; undefined if the stored row cannot be read. */
  numberOf(id: string): Promise<number | undefined>
  /** Returns the text id with this number; undefined if no id has it, or if the id was erased. */
  textOf(uid: number): Promise<string | undefined>
}
