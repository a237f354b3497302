import { type UserId, userIdIn } from '../core/user-number/schema.ts'
import * as UserNumber from '../core/user-number/user-number.ts'
import { UsageError } from './command.ts'

/** The user of an option, by the id that the CMS has: a number or a text; undefined where the option is absent. */
export function userIn(name: string, value: string | undefined): UserId | undefined {
  if (value === undefined) return undefined
  const id = userIdIn(value)
  if (id !== undefined) return id
  throw new UsageError(`--${name} is ${value}; it has to be the id that a user has in the CMS.`)
}

/** The number that a stage has for the user of an option, who is named by it or by the id of the CMS. */
export async function uidIn(name: string, value: string | undefined): Promise<number | undefined> {
  if (value === undefined) return undefined
  const uid = /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : await UserNumber.known(value)
  if (uid !== undefined && Number.isSafeInteger(uid)) return uid
  throw new UsageError(
    `--${name} is ${value}; it has to be the number or the id of a user whom the stage knows.`,
  )
}
