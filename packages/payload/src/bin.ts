import { ToolError } from '../../../core/base/error.ts'
import { type Acting, asUser } from './acting.ts'
import { liveOf, mainOf, mayOf, pidOf, type Seen, seeAfter } from './record.ts'
import { hasBin, pagesOf } from './type.ts'

/** The ways of a record into Payload's own bin, out of it, and away. */
export type Way = 'in' | 'out' | 'away'

/** Throws ToolError where the user may not take a record that way, or a person would lose sight of something. */
export async function refuseWay(acting: Acting, seen: Seen, way: Way): Promise<void> {
  const { type, id } = seen
  if (Boolean(mainOf(seen).deletedAt) !== (way === 'out'))
    throw new ToolError(`The record ${id} is ${way === 'out' ? 'not' : ''} in the bin.`)
  for (const operation of hasBin(type) ? (['delete', 'update'] as const) : (['delete'] as const))
    if (!(await mayOf(acting, [seen], operation)).has(id))
      throw new ToolError('The user may not delete this record.')
  const obstacle = way === 'out' ? await obstacleAbove(acting, seen) : await obstacleBelow(acting, seen)
  if (obstacle) throw new ToolError(obstacle)
}

/** Counts pages, including those that the user may not see. */
async function countOf({ payload }: Acting, { type }: Seen, where: object): Promise<number> {
  const as = { where: where as never, draft: true, depth: 0, limit: 1 }
  return (await payload.find({ collection: type.slug, ...as })).totalDocs
}

async function obstacleBelow(acting: Acting, seen: Seen): Promise<string | undefined> {
  const below = { [acting.options.parentField ?? 'parent']: { equals: seen.id } }
  if (seen.type === pagesOf(acting) && (await countOf(acting, seen, below)) > 0)
    return 'There are pages below this page. Delete or move them first.'
  if (!seen.type.hasDrafts || mainOf(seen)._status === 'published') return undefined
  // Payload's bin keeps one state of a record: a draft over the live state would replace it.
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

/** Moves a record in its current state and answers it as it then is; undefined: it is gone. */
export async function applyWay(acting: Acting, seen: Seen, way: Way): Promise<Seen | undefined> {
  const { type, id } = seen
  if (type.isGlobal) throw new Error('A global has no bin')
  const as = { ...(await asUser(acting)), collection: type.slug, id, overrideLock: false }
  if (!hasBin(type)) {
    await acting.payload.delete(as)
    return undefined
  }
  const deletedAt = way === 'out' ? null : new Date().toISOString()
  const data = { deletedAt, ...(type.hasDrafts && { _status: mainOf(seen)._status }) }
  await acting.payload.update({ ...as, data: data as never, trash: way === 'out' })
  return seeAfter({ ...acting, trash: way !== 'out' }, seen)
}
