import { ToolError } from '../../../core/base/error.ts'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import type { Done, DryPut, Put, PutAnswer, RealPut, Versions } from '../../../core/cms/cms.ts'
import { trimAnswer } from '../../../core/cms/difference.ts'
import { inTurn, outcomeOf, type PutStore, settleKey, voided } from '../../node/src/once.ts'
import { bareCapabilities } from '../../node/src/port.ts'
import { type Acting, type Installed, requestOf } from './acting.ts'
import * as Bin from './bin.ts'
import { type Content, isUnchanged, plan, store } from './content.ts'
import { mainOf, readable, recordsOf, type Seen, see, seeOne, titleOf, versionOf } from './record.ts'
import { rehearse } from './rehearsal.ts'
import { addRow, putsIn, transact, writes } from './store.ts'
import { pagesOf, type RecordType, typeNamed } from './type.ts'
import { personIn } from './user.ts'

/** Thrown if another request has already used the key, or has changed the version. */
class Taken extends Error {}

/** A planned put with the current record: either values to store, or the way to move or delete the record. */
type Planned = { put: Put; type: RecordType; seen: Seen | undefined } & (
  | { content: Content; live: Seen | undefined }
  | { way: Bin.Way }
)

/** Returns the types of the site that accept each kind of put. The field `_status` publishes a draft. */
export function writesOf({ types }: Installed): Capabilities['writes'] {
  const namesOf = (isOne: (type: RecordType) => boolean) => types.filter(isOne).map(({ name }) => name)
  return {
    ...bareCapabilities.writes,
    create: namesOf((type) => type.hasDrafts && !type.isGlobal),
    bin: namesOf(Bin.has),
    remove: namesOf((type) => !type.isGlobal),
  }
}

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
  return planned.seen && Bin.move(acting, planned.seen, planned.way)
}

/** Plans a put in one of the forms that this CMS supports. Throws ToolError. */
async function planOf(acting: Acting, put: Put): Promise<Planned> {
  const { table, uid, fields, bin, remove, ...others } = put
  if (Object.keys(others).some((member) => member !== 'place' || uid !== null))
    throw new ToolError('This CMS takes no such change. Change the fields of the record.')
  const type = typeNamed(acting, table)
  if (!type) throw new ToolError(`There is no type ${table}. list_tables names the types.`)
  const way = Bin.wayOf(type, put)
  const reaching = Bin.reaching(acting, put)
  const seen = uid === null ? undefined : await seeOne(reaching, type, uid)
  if (uid !== null && !seen) throw new ToolError(`There is no record ${uid} in ${table}.`)
  if (!way) {
    const content = await plan(acting, type, seen, put)
    return { put, type, seen, content, live: seen && (await liveUnder(acting, seen, put)) }
  }
  return { put, type, seen: await Bin.check(reaching, seen, way), way }
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
  return {
    state: 'done',
    table: type.name,
    uid: (after ?? seen)?.id ?? null,
    version: after ? versionOf(after) : '',
    before: seen ? { record: before ?? null, ...Bin.beforePut(put) } : null,
    after: { record: then ?? null, ...Bin.afterPut(put) },
    labels: Object.fromEntries((await readable(acting, type)).map(({ name, label }) => [name, label])),
    page: { uid: named?.id ?? 0, title: named ? titleOf(named) : type.label },
    versions: named ? [{ table: named.type.name, uid: named.id, version: versionOf(named) }] : [],
  }
}

/** Returns a conflict for the first version that differs from the stored one. */
async function conflictIn(acting: Acting, put: Put, versions: Versions): Promise<PutAnswer | undefined> {
  for (const { table, uid, version } of versions) {
    const type = typeNamed(acting, table)
    const now = type && (await seeOne(Bin.reaching(acting, put), type, uid))
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

/** Stores the outcome of a put. Payload returns the errors of such an update, and throws none. */
async function complete(acting: Acting, key: string, data: Record<string, unknown>): Promise<void> {
  const as = { where: { key: { equals: key } }, depth: 0, req: await requestOf(acting) }
  const { errors } = await acting.payload.update({ collection: writes, data, ...as })
  if (errors.length > 0) throw new Error('The outcome of a put was not stored.', { cause: errors })
}
