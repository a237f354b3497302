import { ToolError } from '../../../core/base/error.ts'
import { isSameValue } from '../../../core/cms/change.ts'
import type { Done, DryPut, Put, PutAnswer, RealPut, Versions } from '../../../core/cms/cms.ts'
import { type Acting, requestOf, type Within } from './acting.ts'
import { applyWay, refuseWay, type Way } from './bin.ts'
import { type Content, isUnchanged, plan, store } from './content.ts'
import { readable, recordsOf, type Seen, seeOne, titleOf, typeNamed, versionOf } from './record.ts'
import { rehearse } from './rehearsal.ts'
import { addRow, inTurn, type Kept, transact, writes } from './store.ts'
import { hasBin, pagesOf, type RecordType } from './type.ts'
import { personIn } from './user.ts'

const voided: PutAnswer = { state: 'void' }
/** How long a put without a transaction may take before its key counts as abandoned, in milliseconds. */
const patienceMs = 60_000

/** Another request with the key, or on the version, was first. */
class Taken extends Error {}

/** A put with its record as it is, and with what is stored: values of fields, or a way. */
type Planned = { put: Put; type: RecordType; seen: Seen | undefined } & ({ content: Content } | { way: Way })

/** Shows a put, as Payload would store it; nothing is stored. Throws ToolError. */
export async function show(acting: Acting, { put, versions }: DryPut): Promise<PutAnswer> {
  const conflict = await conflictIn(acting, put, versions)
  if (conflict) return conflict
  const planned = await planOf(acting, put)
  const { seen } = planned
  const after =
    'way' in planned || isUnchanged(planned.content) ? seen : await rehearse(acting, planned.content)
  const answer = await answerOf(acting, planned, after)
  const { record } = answer.after
  if (record && !seen) record.version = ''
  return { ...answer, uid: seen ? seen.id : null, version: seen ? versionOf(seen) : '' }
}

/** Makes a put, once for its key, on the versions that the user has seen. Throws ToolError. */
export function make(acting: Acting, asked: RealPut): Promise<PutAnswer> {
  const { payload } = acting
  const key = keyOf(acting, asked.key)
  return inTurn(payload, async () => {
    const known = await outcomeOf(acting, key)
    if (known) return known
    try {
      return await transact(payload, (transactionID) =>
        makeOnce(acting, { ...asked, key }, { transactionID }),
      )
    } catch (error) {
      if (!(error instanceof Taken)) throw error
      return (await outcomeOf(acting, key)) ?? conflictOf(asked)
    }
  })
}

/** Says how a put ended; one that has not come is never made. */
export function settle(acting: Acting, asked: { key: string }): Promise<PutAnswer> {
  const key = keyOf(acting, asked.key)
  return inTurn(acting.payload, async () => {
    const known = await outcomeOf(acting, key)
    if (known) return known
    await addRow(acting.payload, writes, { key, guard: `none:${key}`, outcome: voided })
    return (await outcomeOf(acting, key)) ?? voided
  })
}

async function makeOnce(acting: Acting, asked: RealPut, within: Within): Promise<PutAnswer> {
  const { put, key, versions, correlationId: run } = asked
  const conflict = await conflictIn(acting, put, versions, within)
  if (conflict) return conflict
  const planned = await planOf(acting, put, within)
  const isSame = 'content' in planned && isUnchanged(planned.content)
  const [first] = versions
  const guard =
    first && put.uid !== null && !isSame ? `${first.table}:${first.uid}:${first.version}` : `none:${key}`
  if (!(await addRow(acting.payload, writes, { key, guard }, within.transactionID))) throw new Taken()
  try {
    const after = isSame ? planned.seen : await storePlanned(acting, planned, { ...within, run })
    const answer = await answerOf(acting, planned, after, within)
    const { id, name } = { id: String(answer.uid), ...personIn(acting.user, acting.options) }
    const row = { run, person: name, table: put.table, record: isSame ? '' : id }
    await complete(acting, key, { ...row, outcome: keptOf(answer) }, within)
    return answer
  } catch (error) {
    // A transaction takes the key back by itself.
    if (within.transactionID === undefined)
      await acting.payload.db.deleteMany({ collection: writes, where: { key: { equals: key } } })
    throw error
  }
}

function storePlanned(acting: Acting, planned: Planned, within: Within): Promise<Seen | undefined> {
  if ('content' in planned) return store(acting, planned.content, within)
  if (!planned.seen) throw new Error('A new record has no way')
  return applyWay(acting, planned.seen, planned.way, within)
}

/** Plans a put in one of the forms that this CMS accepts. Throws ToolError. */
async function planOf(acting: Acting, put: Put, within: Within = {}): Promise<Planned> {
  const { table, uid, bin, remove } = put
  if (put.state || put.original !== undefined || (put.place && uid !== null))
    throw new ToolError('This CMS takes no such change. Change the fields of the record.')
  const type = typeNamed(acting, table)
  if (!type) throw new ToolError(`There is no type ${table}. list_tables names the types.`)
  const way: Way | undefined = remove ? 'away' : bin === undefined ? undefined : bin ? 'in' : 'out'
  if (way && (type.isGlobal || (way !== 'away' && !hasBin(type))))
    throw new ToolError(`Records of ${table} have no bin, and nothing is deleted for good.`)
  const seen = uid === null ? undefined : await seeOne(acting, type, uid, { ...within, trash: bin === false })
  if (uid !== null && !seen) throw new ToolError(`There is no record ${uid} in ${table}.`)
  if (!way) return { put, type, seen, content: await plan(acting, type, seen, put, within) }
  if (!seen) throw new ToolError('A new record has no bin.')
  await refuseWay(acting, seen, way)
  return { put, type, seen, way }
}

/** The answer to a put: the record before it, and as it is `after`, or would be. */
async function answerOf(
  acting: Acting,
  planned: Planned,
  after: Seen | undefined,
  within: Within = {},
): Promise<Done> {
  const { put, type, seen } = planned
  const isGone = 'way' in planned && planned.way !== 'out'
  const [before] = seen ? await recordsOf(acting, [seen], within) : []
  const [then] = after && !isGone ? await recordsOf(acting, [after], within) : []
  const pid = 'content' in planned ? planned.content.pid : 0
  const pages = pid === 0 ? undefined : pagesOf(acting.types, acting.options)
  const named = seen ?? (pages && (await seeOne(acting, pages, pid, within)))
  const side = (record: typeof before, bin: boolean) => ({
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

/** The answer as it is kept: only the fields that differ. */
function keptOf({ before, after, ...answer }: Done): Done {
  const [old, now] = [before?.record?.fields ?? {}, after.record?.fields ?? {}]
  const cut = (side: Done['after']): Done['after'] => {
    const fields = Object.entries(side.record?.fields ?? {})
    const differing = fields.filter(([name]) => !isSameValue(old[name], now[name]))
    return { ...side, record: side.record && { ...side.record, fields: Object.fromEntries(differing) } }
  }
  return { ...answer, labels: {}, before: before && cut(before), after: cut(after) }
}

/** The first of the versions that is not the one that is stored. */
async function conflictIn(
  acting: Acting,
  put: Put,
  versions: Versions,
  within: Within = {},
): Promise<PutAnswer | undefined> {
  for (const { table, uid, version } of versions) {
    const type = typeNamed(acting, table)
    const now = type && (await seeOne(acting, type, uid, { ...within, trash: put.bin === false }))
    if (!now || versionOf(now) !== version) return { state: 'conflict', table, uid }
  }
  return undefined
}

const conflictOf = ({ put, versions: [first] }: RealPut): PutAnswer => ({
  state: 'conflict',
  table: put.table,
  uid: put.uid ?? first?.uid ?? 0,
})

/** A key is good for one user. */
const keyOf = ({ user }: Acting, key: string) => `${user.id}:${key}`

/** Says how the put with a key ended; undefined: it is not known. Waits for one of another process that is still made. */
async function outcomeOf(acting: Acting, key: string): Promise<PutAnswer | undefined> {
  const where = { key: { equals: key } }
  for (;;) {
    const { docs } = await acting.payload.find({ collection: writes, where, limit: 1, depth: 0 })
    const [row] = docs as unknown as Kept[]
    if (!row || row.outcome) return row?.outcome
    // The process that made it has died meanwhile; only a put without a transaction leaves such a row.
    if (Date.now() - Date.parse(row.createdAt) > patienceMs) {
      await complete(acting, key, { outcome: voided, guard: `none:${key}` })
      return voided
    }
    await new Promise((done) => setTimeout(done, 50))
  }
}

async function complete(
  acting: Acting,
  key: string,
  data: Record<string, unknown>,
  { transactionID }: Within = {},
): Promise<void> {
  const req = await requestOf(acting, { transactionID })
  await acting.payload.update({ collection: writes, where: { key: { equals: key } }, data, req, depth: 0 })
}
