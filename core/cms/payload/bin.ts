import type { RecordId } from '../../conversation/schema.ts'
import { ToolError } from '../../error.ts'
import type { Write, WritePreview } from '../cms.ts'
import { type Acting, asUser, type Within } from './acting.ts'
import { typeNamed } from './read.ts'
import { liveOf, mainOf, mayOf, pidOf, type Seen, seeOne, titleOf, versionOf } from './record.ts'
import { type Collection, hasBin, pagesOf } from './type.ts'

/** Into Payload's own bin and out of it, for collections with `trash`. */

type Move = Extract<Write, { kind: 'delete' | 'undelete' }>

/** Whether a write is about the bin. */
export const isMove = (write: Write): write is Move => write.kind === 'delete' || write.kind === 'undelete'

/** Whether a record is in the bin. */
export const isBinned = (seen: Seen): boolean => Boolean(mainOf(seen).deletedAt)

/** The record that a write puts into the bin or brings back, where the user may delete it. Throws ToolError. */
export async function movable(acting: Acting, write: Move, within: Within = {}): Promise<Seen> {
  const { table, uid, kind } = write
  const type = typeNamed(acting, table)
  if (!type || !hasBin(type))
    throw new ToolError(`Records of ${table} have no bin, and nothing is deleted for good.`)
  const isBack = kind === 'undelete'
  const seen = await seeOne(acting, type, uid, { ...within, trash: isBack })
  if (!seen) throw new ToolError(`There is no record ${uid} in ${table}.`)
  if (isBinned(seen) !== isBack) throw new ToolError(`The record ${uid} is not in the bin.`)
  for (const operation of ['delete', 'update'] as const)
    if (!(await mayOf(acting, [seen], operation, isBack)).has(seen.id))
      throw new ToolError('The user may not delete this record.')
  const obstacle = isBack
    ? await obstacleAbove(acting, seen)
    : ((await obstacleBelow(acting, type, seen.id)) ?? (await obstacleOver(acting, seen)))
  if (obstacle) throw new ToolError(obstacle)
  return seen
}

/** A page with pages below it stays. */
async function obstacleBelow(
  { payload, types, options }: Acting,
  type: Collection,
  id: RecordId,
): Promise<string | undefined> {
  if (type !== pagesOf(types, options)) return undefined
  const where = { [options.parentField ?? 'parent']: { equals: id } }
  const { totalDocs } = await payload.find({ collection: type.slug, where, draft: true, depth: 0, limit: 1 })
  return totalDocs > 0 ? 'There are pages below this page. Delete or move them first.' : undefined
}

/** Payload's bin keeps one state of a record: a draft over what visitors see would take the place of that. */
async function obstacleOver(acting: Acting, seen: Seen): Promise<string | undefined> {
  if (!seen.type.hasDrafts || mainOf(seen)._status === 'published') return undefined
  return (await liveOf(acting, [seen])).size > 0
    ? 'There is a draft over what visitors see of this record. Publish or discard it first.'
    : undefined
}

/** A page whose parent is in the bin has no place to come back to. */
async function obstacleAbove(acting: Acting, seen: Seen): Promise<string | undefined> {
  const above = pidOf(acting, seen)
  if (above === 0) return undefined
  const where = { id: { equals: above } }
  const { totalDocs } = await acting.payload.find({
    collection: seen.type.slug,
    where,
    draft: true,
    depth: 0,
    limit: 1,
  })
  return totalDocs === 0 ? 'The page above it is not there. Bring that back first.' : undefined
}

/** What a write about the bin would do; nothing is stored. Throws ToolError. */
export async function shownMove(acting: Acting, write: Move): Promise<WritePreview> {
  const seen = await movable(acting, write)
  const title = titleOf(seen)
  const isBack = write.kind === 'undelete'
  return {
    table: write.table,
    uid: seen.id,
    label: title,
    page: { uid: seen.id, title },
    changes: [
      {
        field: 'deleted',
        label: isBack ? 'Out of the bin' : 'Into the bin',
        before: isBack ? null : title,
        after: isBack ? title : null,
      },
    ],
    versions: [{ table: write.table, uid: seen.id, version: versionOf(seen) }],
  }
}

/** Puts a record into the bin or brings it back, in the state in which it is, and answers it as it then is. */
export async function move(
  acting: Acting,
  { type, id, ...seen }: Seen,
  kind: Move['kind'],
  within: Within,
): Promise<Seen> {
  if (type.isGlobal) throw new Error('A global has no bin')
  const { _status } = mainOf({ type, id, ...seen })
  const data = {
    deletedAt: kind === 'delete' ? new Date().toISOString() : null,
    ...(type.hasDrafts && { _status }),
  }
  await acting.payload.update({
    ...(await asUser(acting, within)),
    collection: type.slug,
    id,
    data: data as never,
    trash: kind === 'undelete',
    overrideLock: false,
  })
  const after = await seeOne(acting, type, id, { ...within, trash: kind === 'delete' })
  if (!after) throw new ToolError('The user may not see the record any more after this change.')
  return after
}
