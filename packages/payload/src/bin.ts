import { ToolError } from '../../../core/base/error.ts'
import type { Put } from '../../../core/cms/cms.ts'
import { isReadable } from '../../../core/cms/put.ts'
import { type Acting, asUser } from './acting.ts'
import { liveOf, mainOf, mayOf, pidOf, type Seen, seeAfter } from './record.ts'
import { putsIn } from './store.ts'
import { type Collection, pagesOf, type RecordType } from './type.ts'

/** Moves records into Payload's bin and out of it, and removes records that a run created. */

/** The moves of a record: into the bin, out of it, or deleted. */
export type Way = 'in' | 'out' | 'away'

/** True if the records of a type go to Payload's own bin. */
export const has = (type: RecordType): type is Collection => !type.isGlobal && Boolean(type.config.trash)

/** Returns the move of a put; undefined if it is no move. Throws ToolError if the type has no bin. */
export function wayOf(type: RecordType, { bin, remove }: Put): Way | undefined {
  if (bin === undefined && !remove) return undefined
  if (type.isGlobal || (!remove && !has(type)))
    throw new ToolError(`Records of ${type.name} have no bin, and nothing is deleted for good.`)
  if (remove) return 'away'
  return bin ? 'in' : 'out'
}

/** Returns the site whose reads find the record of a put: also in the bin if the put restores it. */
export const reaching = (acting: Acting, put: Put): Acting => withBin(acting, !isReadable(put))

const withBin = (acting: Acting, trash: boolean): Acting => ({ ...acting, reading: { trash } })

/** Returns where a record is before a put, if the put concerns the bin. */
export const beforePut = ({ bin }: Put) => (bin === undefined ? {} : { bin: !bin })
/** Returns where a record is after a put, if the put concerns the bin. */
export const afterPut = ({ bin }: Put) => (bin === undefined ? {} : { bin })

/** Returns the record. Throws ToolError if the user may not move it, or if the move would lose data. */
export async function check(acting: Acting, seen: Seen | undefined, way: Way): Promise<Seen> {
  if (!seen) throw new ToolError('A new record has no bin.')
  const { type, id } = seen
  if (Boolean(mainOf(seen).deletedAt) !== (way === 'out'))
    throw new ToolError(`The record ${id} is ${way === 'out' ? 'not ' : ''}in the bin.`)
  for (const operation of has(type) ? (['delete', 'update'] as const) : (['delete'] as const))
    if (!(await mayOf(acting, [seen], operation)).has(id))
      throw new ToolError('The user may not delete this record.')
  const obstacle = way === 'out' ? await obstacleAbove(acting, seen) : await obstacleBelow(acting, seen)
  if (obstacle) throw new ToolError(obstacle)
  return seen
}

/** Counts pages, including pages that the user may not see. */
async function countOf({ payload }: Acting, { type }: Seen, where: object): Promise<number> {
  const as = { where: where as never, draft: true, depth: 0, limit: 1 }
  return (await payload.find({ collection: type.slug, ...as })).totalDocs
}

async function obstacleBelow(acting: Acting, seen: Seen): Promise<string | undefined> {
  const below = { [acting.options.parentField ?? 'parent']: { equals: seen.id } }
  if (seen.type === pagesOf(acting) && (await countOf(acting, seen, below)) > 0)
    return 'There are pages below this page. Delete or move them first.'
  if (!seen.type.hasDrafts || mainOf(seen)._status === 'published') return undefined
  // Payload's bin keeps only one state of a record. If a record has a draft and a published state, the draft would
  // replace the published state.
  return (await liveOf(acting, [seen])).size > 0
    ? 'There is a draft over what visitors see of this record. Publish or discard it first.'
    : undefined
}

async function obstacleAbove(acting: Acting, seen: Seen): Promise<string | undefined> {
  const above = pidOf(acting, seen)
  return above !== 0 && (await countOf(acting, seen, { id: { equals: above } })) === 0
    ? 'The page above it is not there. Bring that back first.'
    : undefined
}

/** True for a record that a check of the bridge created and now removes: it is deleted without the bin. */
async function isOfCheck(acting: Acting, { type, id }: Seen): Promise<boolean> {
  const [, run] = /^(kit-.+)\/undo$/.exec(acting.run ?? '') ?? []
  if (run === undefined) return false
  const made = { run: { equals: run }, table: { equals: type.name }, record: { equals: String(id) } }
  const puts = await putsIn(acting, made)
  return puts.some(({ outcome }) => outcome?.state === 'done' && outcome.before === null)
}

/** Moves a record in its current state and returns its new state; undefined if it is deleted. */
export async function move(acting: Acting, seen: Seen, way: Way): Promise<Seen | undefined> {
  const { type, id } = seen
  if (type.isGlobal) throw new Error('A global has no bin')
  const as = { ...(await asUser(acting)), collection: type.slug, id, overrideLock: false }
  if (!has(type) || (way === 'away' && (await isOfCheck(acting, seen)))) {
    await acting.payload.delete(as)
    return undefined
  }
  const deletedAt = way === 'out' ? null : new Date().toISOString()
  const data = { deletedAt, ...(type.hasDrafts && { _status: mainOf(seen)._status }) }
  await acting.payload.update({ ...as, data: data as never, trash: way === 'out' })
  return seeAfter(withBin(acting, way !== 'out'), seen)
}
