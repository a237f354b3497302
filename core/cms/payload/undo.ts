import { ToolError } from '../../error.ts'
import type { Place, UndoResult } from '../cms.ts'
import { type Acting, asUser, requestOf, type Within } from './acting.ts'
import { isBinned, movable, move } from './bin.ts'
import type { Planned } from './change.ts'
import { fieldsOf, localesOf } from './field.ts'
import { typeNamed } from './read.ts'
import { editableOf, mainOf, type Seen, seeOne, versionOf } from './record.ts'
import { refusing } from './refusal.ts'
import { complete } from './richtext.ts'
import { inTurn, type Kept, transact, writes } from './store.ts'
import { hasBin, type RecordType } from './type.ts'
import { idOf } from './uid.ts'
import { store } from './write.ts'

const status = '_status'

/** How many writes of a run are still there to take back. */
export async function changesOf(acting: Acting, run: string): Promise<number> {
  return (await writesOf(acting, run)).length
}

/** The writes of a run that are not taken back yet, the newest first. */
async function writesOf({ payload, user }: Acting, run: string): Promise<Kept[]> {
  const where = {
    and: [
      { run: { equals: run } },
      { person: { equals: String(user.id) } },
      { isUndone: { not_equals: true } },
    ],
  }
  const { docs } = await payload.find({
    collection: writes,
    where,
    sort: ['-createdAt', '-id'],
    pagination: false,
    depth: 0,
  })
  return docs as unknown as Kept[]
}

/** Takes back the writes of a run: for each record all of them, or none where it was changed since. */
export async function undo(acting: Acting, run: string, only?: Place): Promise<UndoResult> {
  const result: UndoResult = { undone: [], conflicts: [] }
  const byRecord = new Map<string, Kept[]>()
  for (const it of await writesOf(acting, run)) {
    const name = `${it.table}:${it.record}`
    byRecord.set(name, [...(byRecord.get(name) ?? []), it])
  }
  for (const all of byRecord.values()) {
    const [newest] = all as [Kept]
    const type = typeNamed(acting, newest.table)
    const uid = type ? idOf(acting.payload, type, newest.record) : newest.record
    const place = { table: newest.table, uid }
    if (only && (only.table !== place.table || String(only.uid) !== newest.record)) continue
    const reason = type
      ? await reasonAgainst(() =>
          inTurn(acting.payload, () =>
            transact(acting.payload, (transactionID) =>
              takenBack(acting, type, place, all, { transactionID, run }),
            ),
          ),
        )
      : 'The assistant does not know this type any more.'
    if (reason === undefined) result.undone.push(place)
    else result.conflicts.push({ ...place, reason })
  }
  return result
}

/** What Payload refuses for one record becomes its reason, so that the others go on. */
async function reasonAgainst(run: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await refusing(run)
  } catch (error) {
    if (error instanceof ToolError) return error.message
    throw error
  }
}

/** Takes back the writes of one record. Answers why it could not. */
async function takenBack(
  acting: Acting,
  type: RecordType,
  { uid }: Place,
  all: Kept[],
  within: Within,
): Promise<string | undefined> {
  const [newest] = all as [Kept]
  const oldest = all.at(-1) as Kept
  const moves = all.flatMap(({ kind }) => (kind === 'delete' || kind === 'undelete' ? [kind] : []))
  const isGone = moves[0] === 'delete'
  const found = await seeOne(acting, type, uid, { ...within, trash: isGone })
  if (!found || isBinned(found) !== isGone) return 'It is not there any more.'
  if (versionOf(found) !== newest.version) return 'It was changed since.'
  const across = async (kind: 'delete' | 'undelete') => {
    const place = { kind, table: type.name, uid: found.id }
    return move(acting, await movable(acting, place, within), kind, within)
  }
  const isBack = isGone && oldest.kind !== 'create' && moves.at(-1) === 'delete'
  const seen = isBack ? await across('undelete') : found
  if (moves.at(-1) === 'undelete' && oldest.kind !== 'create') {
    const left = isGone ? seen : await across('delete')
    await mark(acting, all, oldest, versionOf(left), within)
    return undefined
  }
  if (oldest.kind === 'create') {
    const reason = isGone ? undefined : await removed(acting, seen, within)
    if (reason === undefined) await mark(acting, all, oldest, '', within)
    return reason
  }
  if (!(await editableOf(acting, [seen])).has(seen.id)) return 'You may not change it any more.'
  // The oldest write comes last, and its values are those that were there before the turn.
  const before: Record<string, unknown> = Object.assign({}, ...all.map((it) => it.before))
  const values = new Map(
    fieldsOf(acting.payload, type)
      .filter(({ name, isReadOnly }) => name in before && name !== status && !isReadOnly)
      .map((field) => [field.name, { field, value: complete(before[field.name]) }]),
  )
  if (isBack && values.size === 0 && !(status in before)) {
    await mark(acting, all, oldest, versionOf(seen), within)
    return undefined
  }
  const planned = { type, seen, pid: 0, values, mode: modeOf(type, seen, before) }
  if (isEmptying(acting, planned)) {
    await store(acting, { ...planned, mode: { draft: true, status: 'draft' } }, within)
    planned.values = new Map()
  }
  const after = await store(acting, planned, within)
  await mark(acting, all, oldest, versionOf(after), within)
  return undefined
}

/**
 * Whether a value of a further locale was empty in what was live. Payload asks for required values of the locale alone that
 * it stores: a draft may be without them, and it is then published in the first locale.
 */
function isEmptying({ payload }: Acting, { mode, values }: Planned): boolean {
  const [first] = localesOf(payload)
  return (
    mode.status === 'published' &&
    [...values.values()].some(({ field, value }) => field.locale !== first && (value ?? '') === '')
  )
}

/** The state that a record had, where the turn changed it; otherwise the one that it has. */
function modeOf(type: RecordType, seen: Seen, before: Record<string, unknown>): Planned['mode'] {
  if (!type.hasDrafts) return { draft: false }
  const was = status in before ? before[status] : mainOf(seen)._status
  return was === 'draft' ? { draft: true, status: 'draft' } : { draft: false, status: 'published' }
}

/** Puts a new record into the bin, or deletes it where the collection has none. */
async function removed(acting: Acting, seen: Seen, within: Within): Promise<string | undefined> {
  const { type, id } = seen
  if (type.isGlobal) return 'It cannot be removed.'
  const { payload } = acting
  const as = { ...(await asUser(acting, within)), collection: type.slug, id, overrideLock: false }
  // A draft alone would leave the record itself out of the bin.
  if (hasBin(type)) await move(acting, seen, 'delete', within)
  else await payload.delete(as)
  return undefined
}

/** Notes that the writes are taken back. The version of the turn before them becomes the new one, as if they had not been. */
async function mark(
  { payload, ...acting }: Acting,
  all: Kept[],
  { table, record, versionBefore }: Kept,
  version: string,
  within: Within,
): Promise<void> {
  const req = await requestOf({ payload, ...acting }, { transactionID: within.transactionID })
  const ids = all.map(({ id }) => id)
  const change = { collection: writes, depth: 0, req }
  await payload.update({ ...change, where: { id: { in: ids } }, data: { isUndone: true } })
  if (version === '' || versionBefore === '') return
  const earlier = {
    and: [
      { table: { equals: table } },
      { record: { equals: record } },
      { version: { equals: versionBefore } },
      { isUndone: { not_equals: true } },
    ],
  }
  await payload.update({ ...change, where: earlier, data: { version } })
}
