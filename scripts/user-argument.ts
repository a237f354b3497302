import { records } from '../core/chat/user-data/work-record.ts'
import type { Cms } from '../core/cms/cms.ts'
import { type UserId, userIdIn } from '../core/cms/user-number/schema.ts'
import * as UserNumber from '../core/cms/user-number/user-number.ts'
import { UsageError } from './command.ts'

/**
 * Returns the CMS's id of the user that an option names, a number or a text; undefined if the option is absent. Throws
 * UsageError.
 */
export function userIn(name: string, value: string | undefined): UserId | undefined {
  if (value === undefined) return undefined
  const id = userIdIn(value)
  if (id !== undefined) return id
  throw new UsageError(`--${name} is ${value}; it has to be the id that a user has in the CMS.`)
}

/**
 * Returns the stage's number of a user, from an option with that number or with the id of the CMS. Throws UsageError.
 */
export async function uidIn(name: string, value: string | undefined): Promise<number | undefined> {
  if (value === undefined) return undefined
  const uid = /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : await UserNumber.known(value)
  if (uid !== undefined && Number.isSafeInteger(uid)) return uid
  throw new UsageError(
    `--${name} is ${value}; it has to be the number or the id of a user whom the stage knows.`,
  )
}

/**
 * Throws UsageError if nothing is stored of a user whom the CMS does not know either: the number is probably mistyped.
 * `found` is the number of places with data. If something is stored, the CMS may have removed the user since.
 */
export async function refuseNobody(cms: Pick<Cms, 'user'>, uid: number, found: number): Promise<void> {
  if (found > 0 || (await UserNumber.textOf(uid)) !== undefined) return
  // The last step of an interrupted erasure finds nothing any more.
  if ((await records(uid)).some(({ endedAt }) => endedAt === undefined) || (await cms.user(uid))) return
  throw new UsageError(`Nothing is stored of a user ${uid}, and the CMS has none.`)
}
