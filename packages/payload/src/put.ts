import { ToolError } from '../../../core/base/error.ts'
import type { Done, DryPut, Put, PutAnswer, RealPut, Standing, Versions } from '../../../core/cms/cms.ts'
import { trimAnswer } from '../../../core/cms/difference.ts'
import { inTurn, outcomeOf, type PutStore, settleKey, voided } from '../../node/src/once.ts'
import { type Acting, asUser, requestOf } from './acting.ts'
import { type Content, isUnchanged, plan, store } from './content.ts'
import {
  liveOf,
  mainOf,
  mayOf,
  pidOf,
  readable,
  recordsOf,
  type Seen,
  see,
  seeAfter,
  seeOne,
  titleOf,
  versionOf,
} from './record.ts'
import { rehearse } from './rehearsal.ts'
import { addRow, putsIn, transact, writes } from './store.ts'
import { hasBin, pagesOf, type RecordType, typeNamed } from './type.ts'
import { personIn } from './user.ts'

/** Thrown if another request has already used the key, or has changed the version. */
class Taken extends Error {}

/** A planned put with the current record: either values to store, or the way to move or delete the record. */
type Planned = { put: Put; type: RecordType; seen: Seen | undefined } & (
  | { content: Content; live: Seen | undefined }
  | { way: Way }
)

/** Returns the effect of a put as Payload would store it, and stores nothing. Throws ToolError. */
export async function show(acting: Acting, { put, versions }: DryPut): Promise<PutAnswer> {
  const conflict = await conflictIn(acting, put, versions)
  if (conflict) return conflict
  const planned = await planOf(acting, put)
  const { seen } = planned
  const stays = 'way' in planned || isSameIn(planned)
  const answer = await answerOf(acting, planned, stays ? seen : await rehearse(acting, planned.content))
  const { record } = answer.after
  if (record && !seen) record.version = ''
  return { ...answer, uid: seen ? seen.id : null, version: seen ? versionOf(seen) : '' }
}

/** Makes a put only once for its key, on the versions that the user has seen. Throws ToolError. */
export function make(acting: Acting, asked: RealPut): Promise<PutAnswer> {
  const { payload } = acting
  const key = keyOf(acting, asked.key)
  return inTurn(payload, async () => {
    const known = await outcomeOf(storeOf(acting), key)
    if (known) return known
    try {
      return await transact(payload, (transactionID) =>
        makeOnce({ ...acting, transactionID, run: asked.correlationId }, { ...asked, key }),
      )
    } catch (error) {
      if (!(error instanceof Taken)) throw error
      const [first] = asked.versions
      const { table, uid } = asked.put
      return (
        (await outcomeOf(storeOf(acting), key)) ?? { state: 'conflict', table, uid: uid ?? first?.uid ?? 0 }
      )
    }
  })
}

/** Returns the outcome of a put; if its key is unknown, the put can never be made later. */
export const settle = (acting: Acting, { key }: { key: string }): Promise<PutAnswer> =>
  inTurn(acting.payload, () => settleKey(storeOf(acting), keyOf(acting, key)))

async function makeOnce(acting: Acting, { put, key, versions }: RealPut): Promise<PutAnswer> {
  // Reads the number before the versions, so that of two puts on one version the later one meets a conflict.
  const earlier = await countPuts(acting, put)
  const conflict = await conflictIn(acting, put, versions)
  if (conflict) return conflict
  const planned = await planOf(acting, put)
  const isSame = isSameIn(planned)
  const [first] = versions
  const guard =
    first && put.uid !== null && !isSame
      ? `${first.table}:${first.uid}:${first.version}:${earlier}`
      : `none:${key}`
  if (!(await addRow(acting, writes, { key, guard }))) throw new Taken()
  try {
    const after = isSame ? planned.seen : await storePlanned(acting, planned)
    const answer = await answerOf(acting, planned, after)
    const record = isSame ? '' : String(answer.uid)
    const { name: person } = personIn(acting.user, acting.options)
    const row = { run: acting.run, person, table: put.table, record }
    await complete(acting, key, { ...row, outcome: trimAnswer(answer) })
    return answer
  } catch (error) {
    // A transaction that fails removes the key itself.
    if (acting.transactionID === undefined)
      await acting.payload.db.deleteMany({ collection: writes, where: { key: { equals: key } } })
    throw error
  }
}

const isSameIn = (planned: Planned) => 'content' in planned && !planned.live && isUnchanged(planned.content)

/** Counts the stored puts of a record. The version of a record without a time is its content, which can come back. */
async function countPuts(acting: Acting, { table, uid }: Put): Promise<number> {
  const where = { table: { equals: table }, record: { equals: String(uid) } }
  const req = await requestOf(acting)
  return (await acting.payload.count({ collection: writes, where, req })).totalDocs
}

async function storePlanned(acting: Acting, planned: Planned): Promise<Seen | undefined> {
  if ('content' in planned) return store(acting, planned.content)
  return planned.seen && applyWay(acting, planned.seen, planned.way)
}

/**
 * Returns the site with `trash` if the put restores a record. Only with `trash` do reads include records in the bin.
 */
const forPut = (acting: Acting, { bin }: Put): Acting => ({ ...acting, trash: bin === false })

/** Plans a put in one of the forms that this CMS supports. Throws ToolError. */
async function planOf(acting: Acting, put: Put): Promise<Planned> {
  const { table, uid, fields, bin, remove, ...others } = put
  if (Object.keys(others).some((member) => member !== 'place' || uid !== null))
    throw new ToolError('This CMS takes no such change. Change the fields of the record.')
  const type = typeNamed(acting, table)
  if (!type) throw new ToolError(`There is no type ${table}. list_tables names the types.`)
  const way = wayOf(put)
  if (way && (type.isGlobal || (way !== 'away' && !hasBin(type))))
    throw new ToolError(`Records of ${table} have no bin, and nothing is deleted for good.`)
  const seen = uid === null ? undefined : await seeOne(forPut(acting, put), type, uid)
  if (uid !== null && !seen) throw new ToolError(`There is no record ${uid} in ${table}.`)
  if (!way) {
    const content = await plan(acting, type, seen, put)
    return { put, type, seen, content, live: seen && (await liveUnder(acting, seen, put)) }
  }
  if (!seen) throw new ToolError('A new record has no bin.')
  await refuseWay(forPut(acting, put), seen, way)
  return { put, type, seen, way }
}

/**
 * Returns the live state under a draft, if a put sets the state alone. The put replaces what visitors see, so it is
 * shown and taken back against the live state.
 */
async function liveUnder(acting: Acting, seen: Seen, { fields = {} }: Put): Promise<Seen | undefined> {
  const isStateAlone = Boolean(fields._status) && Object.keys(fields).length === 1
  if (!isStateAlone || mainOf(seen)._status !== 'draft') return undefined
  const [live] = await see(acting, seen.type, [seen.id], [false])
  return live && mainOf(live)._status === 'published' ? live : undefined
}

/** Returns the answer to a put: the record before it, and the record `after` it (stored or only planned). */
async function answerOf(acting: Acting, planned: Planned, after: Seen | undefined): Promise<Done> {
  const { put, type, seen } = planned
  const isGone = 'way' in planned && planned.way !== 'out'
  const found = ('content' in planned && planned.live) || seen
  const [before] = found ? await recordsOf(acting, [found]) : []
  const [then] = after && !isGone ? await recordsOf(acting, [after]) : []
  const pid = 'content' in planned ? planned.content.pid : 0
  const pages = pid === 0 ? undefined : pagesOf(acting)
  const named = seen ?? (pages && (await seeOne(acting, pages, pid)))
  const side = (record: typeof before, bin: boolean): Standing => ({
    record: record ?? null,
    ...(put.bin !== undefined && { bin }),
  })
  return {
    state: 'done',
    table: type.name,
    uid: (after ?? seen)?.id ?? null,
    version: after ? versionOf(after) : '',
    before: seen ? side(before, put.bin === false) : null,
    after: side(then, put.bin === true),
    labels: Object.fromEntries((await readable(acting, type)).map(({ name, label }) => [name, label])),
    page: { uid: named?.id ?? 0, title: named ? titleOf(named) : type.label },
    versions: named ? [{ table: named.type.name, uid: named.id, version: versionOf(named) }] : [],
  }
}

/** Returns a conflict for the first version that differs from the stored one. */
async function conflictIn(acting: Acting, put: Put, versions: Versions): Promise<PutAnswer | undefined> {
  for (const { table, uid, version } of versions) {
    const type = typeNamed(acting, table)
    const now = type && (await seeOne(forPut(acting, put), type, uid))
    if (!now || versionOf(now) !== version) return { state: 'conflict', table, uid }
  }
  return undefined
}

/** Returns the stored form of a key. It contains the user's id, so it is valid only for its user. */
const keyOf = ({ user }: Acting, key: string) => `${user.id}:${key}`

/** Returns the puts of the site by key. */
const storeOf = (acting: Acting): PutStore => ({
  read: async (key) => {
    const [row] = await putsIn(acting, { key: { equals: key } }, 1)
    return row && { outcome: row.outcome, begunAt: Date.parse(row.createdAt) }
  },
  addVoid: (key) => addRow(acting, writes, { key, guard: `none:${key}`, outcome: voided }),
  abandon: (key) => complete(acting, key, { outcome: voided, guard: `none:${key}` }),
})

async function complete(acting: Acting, key: string, data: Record<string, unknown>): Promise<void> {
  const req = await requestOf(acting)
  await acting.payload.update({ collection: writes, where: { key: { equals: key } }, data, depth: 0, req })
}

/** The moves of a record: into Payload's bin, out of it, or deleted. */
type Way = 'in' | 'out' | 'away'

function wayOf({ bin, remove }: Put): Way | undefined {
  if (remove) return 'away'
  if (bin === undefined) return undefined
  return bin ? 'in' : 'out'
}

/** Throws ToolError if the user may not move the record, or if the move would lose data. */
async function refuseWay(acting: Acting, seen: Seen, way: Way): Promise<void> {
  const { type, id } = seen
  if (Boolean(mainOf(seen).deletedAt) !== (way === 'out'))
    throw new ToolError(`The record ${id} is ${way === 'out' ? 'not' : ''} in the bin.`)
  for (const operation of hasBin(type) ? (['delete', 'update'] as const) : (['delete'] as const))
    if (!(await mayOf(acting, [seen], operation)).has(id))
      throw new ToolError('The user may not delete this record.')
  const obstacle = way === 'out' ? await obstacleAbove(acting, seen) : await obstacleBelow(acting, seen)
  if (obstacle) throw new ToolError(obstacle)
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
async function applyWay(acting: Acting, seen: Seen, way: Way): Promise<Seen | undefined> {
  const { type, id } = seen
  if (type.isGlobal) throw new Error('A global has no bin')
  const as = { ...(await asUser(acting)), collection: type.slug, id, overrideLock: false }
  if (!hasBin(type) || (way === 'away' && (await isOfCheck(acting, seen)))) {
    await acting.payload.delete(as)
    return undefined
  }
  const deletedAt = way === 'out' ? null : new Date().toISOString()
  const data = { deletedAt, ...(type.hasDrafts && { _status: mainOf(seen)._status }) }
  await acting.payload.update({ ...as, data: data as never, trash: way === 'out' })
  return seeAfter({ ...acting, trash: way !== 'out' }, seen)
}
