import { ToolError } from '../../../core/base/error.ts'
import { isSameValue } from '../../../core/cms/change.ts'
import {
  type Done,
  type DryPut,
  isUndo,
  type Put,
  type PutAnswer,
  type RealPut,
  type Versions,
} from '../../../core/cms/cms.ts'
import { trimAnswer } from '../../../core/cms/difference.ts'
import type { CmsRecord } from '../../../core/cms/schema.ts'
import type { Adapter, ChangeOf, Entry, Person, TypeOf } from './adapter.ts'
import { type KeptPut, outcomeOf, type PutStore, settleKey, voided } from './once.ts'
import { pageWith, recordOf } from './record.ts'
import { keepValue, ruleOf } from './value.ts'

/** The period for which the key of a put is kept, in milliseconds. */
const keptMs = 90 * 86_400_000

/** Returns the stored name of a key. It contains the user's id, so a key is valid only for its user. */
const nameOf = ({ id }: Person, key: string) => `put:${id}:${key}`
const textOf = (kept: KeptPut) => JSON.stringify(kept)
const begun = () => textOf({ begunAt: Date.now() })
const ended = (outcome: PutAnswer) => textOf({ outcome, begunAt: 0 })

const storeOf = ({ keys }: Adapter): PutStore => ({
  read: async (name) => {
    const text = await keys.read(name)
    return text === undefined ? undefined : (JSON.parse(text) as KeptPut)
  },
  addVoid: (name) => keys.add(name, ended(voided), Date.now() + keptMs),
  abandon: (name) => keys.set(name, ended(voided)),
})

/** Returns the outcome of this user's put with a key; an unknown key becomes `void` permanently. */
export const settlePut = (adapter: Adapter, user: Person, key: string): Promise<PutAnswer> =>
  settleKey(storeOf(adapter), nameOf(user, key))

/** Returns the effect of a put, and stores nothing. Throws ToolError. */
export async function showPut(adapter: Adapter, user: Person, { put, versions }: DryPut): Promise<PutAnswer> {
  const conflict = await conflictIn(adapter, user, versions)
  if (conflict) return conflict
  const planned = await plan(adapter, user, put, '')
  const { before, type, change } = planned
  const empty = { type: type.name, id: 0, version: '', changedAt: new Date(0), mayEdit: true }
  const values = { ...before?.values, ...change?.values }
  const answer = answerOf(adapter, planned, change && { ...(before ?? empty), values })
  return { ...answer, uid: before?.id ?? null, version: before?.version ?? '' }
}

/** Makes a put only once for its key. Throws ToolError. */
export async function makePut(adapter: Adapter, user: Person, asked: RealPut): Promise<PutAnswer> {
  const { keys, transaction = (run) => run() } = adapter
  const name = nameOf(user, asked.key)
  const known = await outcomeOf(storeOf(adapter), name)
  if (known) return known
  const made = await transaction(async () => {
    if (!(await keys.add(name, begun(), Date.now() + keptMs))) return undefined
    const answer = await storePut(adapter, user, asked)
    if (answer.state === 'done') await keys.set(name, ended(trimAnswer(answer)))
    else await keys.remove(name)
    return answer
  }).catch(async (error) => {
    // A transaction that fails removes the key itself.
    if (!adapter.transaction) await keys.remove(name)
    throw error
  })
  return made ?? settleKey(storeOf(adapter), name)
}

async function storePut(adapter: Adapter, user: Person, asked: RealPut): Promise<PutAnswer> {
  const conflict = await conflictIn(adapter, user, asked.versions)
  if (conflict) return conflict
  const planned = await plan(adapter, user, asked.put, asked.correlationId)
  const { before, change } = planned
  const isSame =
    change &&
    before &&
    Object.entries(change.values).every(([name, value]) => isSameValue(value, before.values[name]))
  if (isSame) return answerOf(adapter, planned, before)
  const after = change ? await adapter.put(user, change) : before && (await adapter.remove?.(user, before))
  if (after === undefined) return { state: 'conflict', table: asked.put.table, uid: before?.id ?? 0 }
  return answerOf(adapter, planned, after === true ? undefined : after)
}

/** A planned put with the current record; without a `change`, the put removes the record. */
type Planned = {
  type: TypeOf
  before: Entry | undefined
  /** The parent page of a new record. */
  above: CmsRecord | undefined
  change: ChangeOf | undefined
}

/** Checks a put against the rights of the user and the fields of the type. Throws ToolError. */
async function plan(adapter: Adapter, user: Person, put: Put, run: string): Promise<Planned> {
  const { table, uid, fields = {}, place, remove } = put
  refuseForm(adapter, put)
  const type = (await adapter.types(user)).find(({ name }) => name === table)
  if (!type) throw new ToolError(`There is no type ${table}. list_tables names the types.`)
  const before = uid === null ? undefined : await adapter.read(user, table, uid)
  if (uid !== null && !before) throw new ToolError(`There is no record ${uid} in ${table}.`)
  if (before ? !before.mayEdit : !type.mayModify)
    throw new ToolError(`The user may not change this in ${table}.`)
  if (remove) return { type, before, above: undefined, change: undefined }
  const { publishing, tree } = adapter
  const hidden = before ? {} : hiddenValues(type, publishing)
  const above = tree?.type === table ? await pageWith(adapter, user, place?.pid ?? 0) : undefined
  if (place?.pid && !above) throw new ToolError(`There is no page ${place.pid}.`)
  const below = tree && above ? { [tree.parent]: above.uid } : {}
  const values = { ...(await checkValues(type, fields, isUndo(run))), ...below, ...hidden }
  const change: ChangeOf = { type: table, id: uid, values, version: before?.version ?? '', run }
  return {
    type,
    before,
    above,
    change: { ...change, values: (await adapter.check?.(user, change)) ?? values },
  }
}

/** Throws ToolError for a form of put that the kit does not support. */
function refuseForm(adapter: Adapter, { table, uid, fields, ...members }: Put): void {
  const taken = uid === null ? 'place' : adapter.remove && 'remove'
  if (Object.keys(members).some((member) => member !== taken))
    throw new ToolError('This CMS takes no such change. Change the fields of the record.')
}

/** Returns the value that hides a new record from visitors. Throws ToolError if the type has no such field. */
function hiddenValues({ name, fields }: TypeOf, publishing: Adapter['publishing']): Record<string, unknown> {
  if (!publishing || !fields.some((field) => field.name === publishing.field))
    throw new ToolError(`The assistant makes no new records of ${name}: the type has no drafts.`)
  return { [publishing.field]: publishing.hidden }
}

function answerOf(adapter: Adapter, { type, before, above }: Planned, after: Entry | undefined): Done {
  const record = (entry: Entry | undefined) => (entry ? recordOf(adapter, type, entry) : null)
  const basis = record(before) ?? above
  const page = basis ?? record(after)
  return {
    state: 'done',
    table: type.name,
    uid: (before ?? after)?.id ?? null,
    version: after?.version ?? '',
    before: before ? { record: record(before) } : null,
    after: { record: record(after) },
    labels: Object.fromEntries(type.fields.map(({ name, label }) => [name, label])),
    page: page?.uid ? { uid: page.uid, title: page.title } : { uid: 0, title: type.label },
    versions: basis ? [{ table: basis.table, uid: basis.uid, version: basis.version }] : [],
  }
}

/** Returns a conflict for the first version that differs from the stored one. */
async function conflictIn(
  adapter: Adapter,
  user: Person,
  versions: Versions,
): Promise<PutAnswer | undefined> {
  for (const { table, uid, version } of versions)
    if ((await adapter.read(user, table, uid))?.version !== version) return { state: 'conflict', table, uid }
  return undefined
}

/** Returns the wanted values in the form in which the CMS stores them. Throws ToolError. */
async function checkValues(
  type: TypeOf,
  given: Record<string, unknown>,
  isUndoing: boolean,
): Promise<Record<string, unknown>> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const field = type.fields.find((it) => it.name === name)
    const known = type.fields.map((it) => it.name).join(', ')
    if (!field) throw new ToolError(`There is no field ${name} in ${type.name}. Its fields are ${known}.`)
    if (field.readOnly) throw new ToolError(`The user may not change the field ${name}.`)
    const required = field.required === true && !isUndoing
    const rule = ruleOf(field.kind, field.options)
    kept[name] = await keepValue({ name, required, max: field.max ?? null }, rule, value)
  }
  return kept
}
