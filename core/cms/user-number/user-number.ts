import { createHash } from 'node:crypto'
import { item, text } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { config } from '../../base/config.ts'
import { firstGiven, type UserId } from './schema.ts'

/**
 * All parts of the stage know users by number. A user with a text id gets a permanent number. The number comes from a
 * hash of the text id, and its row names that id. If another text id has the number, the next number is tried. A number
 * is never given twice, even after its user was erased. A stage has one CMS, so all text ids belong to that CMS.
 */

/** The stored form of a number that the stage has given: the text id that has it, empty after the user was erased. */
export const codec = item('user number', 1, { id: text('cms_user') })

/** Returns the key of a given number. */
export const key = (uid: number): Table.Key => ({ pk: `user-number#${uid}`, sk: 'user-number' })

const given = Number.MAX_SAFE_INTEGER - firstGiven + 1

/** Returns the number that a text id gets unless another text id has it. */
export function firstChoice(id: string): number {
  const hash = createHash('sha256').update(id).digest().readBigUInt64BE()
  return firstGiven + Number(hash % BigInt(given))
}

/** Returns the next number to try if another text id has the first choice. */
export const nextChoice = (uid: number): number => (uid === Number.MAX_SAFE_INTEGER ? firstGiven : uid + 1)

/** The maximum number of rows that are read in one request. */
const atOnce = 100

/**
 * Returns the number of the text id; gives the text id a number if it has none. Returns undefined, and logs it, if a
 * row that it reads is damaged.
 */
export async function numberOf(id: string): Promise<number | undefined> {
  for (;;) {
    const place = await placeOf(id)
    if (!place || place.isThere) return place?.uid
    // If two processes give a number at the same time, one stores its text here, and the other searches again.
    const row = { ...key(place.uid), ...codec.encode({ id }) }
    if (await Table.put(row, { condition: 'attribute_not_exists(pk)' })) return place.uid
  }
}

/** Returns the number that the text id has or would get; undefined like `numberOf`. */
export const expected = async (id: string): Promise<number | undefined> => (await placeOf(id))?.uid

/** Returns the number of the text id; undefined if it has none. */
export async function known(id: string): Promise<number | undefined> {
  const place = await placeOf(id)
  return place?.isThere ? place.uid : undefined
}

/** Returns the text id of the number; undefined if no id has it. */
export async function textOf(uid: number): Promise<string | undefined> {
  const row = await Table.get(key(uid))
  return (row && codec.decode(row).id) || undefined
}

/** Removes the text id from a number, but never gives the number again; true if the number had a text id. */
export function forget(uid: number): Promise<boolean> {
  return Table.put(
    { ...key(uid), ...codec.encode({ id: '' }) },
    { condition: 'attribute_exists(pk) AND cms_user <> :none', values: { ':none': '' } },
  )
}

/** Returns the users who have a number here, with that number; looks up 100 text ids at a time. */
export async function numbered<User extends { uid: UserId }>(
  users: User[],
): Promise<(Omit<User, 'uid'> & { uid: number })[]> {
  const found: (Omit<User, 'uid'> & { uid: number })[] = []
  const table = config().table
  for (const some of Table.chunks(users, atOnce)) {
    const texts = some.map(({ uid }) => uid).filter((uid) => typeof uid === 'string')
    const rows = await Table.batch(texts.map((id) => ({ table, key: key(firstChoice(id)) })))
    const firsts = new Map(texts.map((id, at) => [id, rows[at]]))
    for (const user of some) {
      const uid = typeof user.uid === 'number' ? user.uid : await behind(user.uid, firsts.get(user.uid))
      if (uid !== undefined) found.push({ ...user, uid })
    }
  }
  return found
}

/**
 * Returns the number of a text id; `first` is the row of the first number to try. Returns undefined if there is no such
 * row. If the row names another id, searches further.
 */
async function behind(id: string, first: Table.Row | undefined): Promise<number | undefined> {
  if (!first) return undefined
  return codec.decode(first).id === id ? firstChoice(id) : known(id)
}

/** Finds the number of a text, or the free number that it would get. */
async function placeOf(id: string): Promise<{ uid: number; isThere: boolean } | undefined> {
  for (let uid = firstChoice(id); ; uid = nextChoice(uid)) {
    const row = await Table.get(key(uid))
    if (!row) return { uid, isThere: false }
    const { value, unread } = codec.read(row)
    if (codec.attributes.id in unread) return undefined
    if (value.id === id) return { uid, isThere: true }
  }
}
