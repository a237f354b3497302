import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import { type English, inLanguage } from '../base/language.ts'
import type { FieldChange } from '../conversation/schema.ts'
import { type Change, missing, type PlannedPut, planPut, referenceOf, UnchangedError } from './change.ts'
import type { Cms, Put } from './cms.ts'
import { changesOf, pageLabel } from './difference.ts'
import type { PutPreview } from './preview.ts'
import type { CmsRecord, Table } from './schema.ts'

/**
 * Changes that refer to a new record of the same proposal. That record has no uid before the approval; `new:1` stands
 * for the first record that the proposal creates. No CMS can preview such a change, so this file computes the preview
 * from the planned record. The CMS checks the change when it is stored.
 */

/**
 * Previews a change that refers to the new record `base`. Throws ToolError, with a reason for the model, if the change
 * is not possible.
 */
export async function previewOnNew(
  cms: Cms,
  actor: Actor,
  change: Change,
  base: CmsRecord,
): Promise<PutPreview> {
  const [{ tree }, tables] = await Promise.all([cms.capabilities(), cms.tables(actor)])
  const name = referenceOf(change)
  const isMove = change.uid !== null && change.uid !== name
  const wanted = change.uid === null || isMove ? tree?.pages : change.table
  if (base.table !== wanted)
    throw new ToolError(`${name} is a record of ${base.table}, not of ${wanted ?? 'pages'}.`)
  if (isMove) return previewMove(cms, actor, change, base)
  const table = tables.find((one) => one.name === change.table)
  if (!table) throw new ToolError(`There is no table ${change.table}, or this user may not see it.`)
  refuseFields(table, change)
  if (change.state) await refuseState(cms, change.table, change.state)
  const planned = await planPut(cms, actor, change, base)
  const { put, original } = planned
  const record = await recordAfter(cms, planned, base, table)
  const before = put.uid === null ? null : { record: base }
  const page = { uid: 0, title: change.uid === null ? base.title : '' }
  const labels = Object.fromEntries(table.fields.map(({ name, label }) => [name, label]))
  const answer = { table: put.table, after: { record }, labels }
  const changes = put.state
    ? stateChanges(put.state, base, actor.lang)
    : await changesOf(cms, actor, { ...planned, answer, before })
  if (changes.length === 0) throw new UnchangedError()
  const { title } = put.uid === null && !original ? record : base
  return { table: put.table, uid: null, label: title, page, changes, versions: [], put, after: record }
}

/** Previews the move of an existing record to the new page `base`. */
async function previewMove(cms: Cms, actor: Actor, change: Change, base: CmsRecord): Promise<PutPreview> {
  const { table, uid, place } = change
  const [{ tree, writes }, record] = await Promise.all([
    cms.capabilities(),
    uid === null ? undefined : cms.record(actor, { table, uid }),
  ])
  if (!writes.place.includes(table)) throw new ToolError(`Records of ${table} cannot be moved.`)
  if (place?.after) throw new ToolError('There is nothing on the new page yet: leave out after.')
  if (!record || !tree) throw missing({ table, uid: uid ?? 0 })
  if (!record.mayEdit) throw new ToolError(`The user may not change ${table} [${record.uid}].`)
  const page = record.pid === 0 ? undefined : await cms.record(actor, { table: tree.pages, uid: record.pid })
  const before = page ? `${page.title} [${page.uid}]` : null
  const changes = [{ field: 'pid', label: inLanguage(pageLabel, actor.lang), before, after: base.title }]
  const { put } = await planPut(cms, actor, change)
  const versions = [{ table, uid: record.uid, version: record.version }]
  const shown = { uid: page?.uid ?? 0, title: page?.title ?? '' }
  return { table, uid: record.uid, label: record.title, page: shown, changes, versions, put, after: record }
}

/** Throws ToolError if a change names a field that does not exist or cannot be changed. */
function refuseFields({ name, fields }: Table, { fields: given = {} }: Change): void {
  const known = fields.filter(({ readOnly }) => !readOnly).map((field) => field.name)
  const others = Object.keys(given).filter((field) => !known.includes(field))
  if (others.length > 0)
    throw new ToolError(
      `The table ${name} has no field ${others.join(', ')} that this user may change. Fields: ${known.join(', ')}.`,
    )
}

type WantedState = NonNullable<Put['state']>

/** Throws ToolError if the CMS has no such state for records of the table. */
async function refuseState(cms: Cms, table: string, { state, from, until }: WantedState): Promise<void> {
  const { states, writes } = await cms.capabilities()
  if (!writes.state.includes(table)) throw new ToolError(`Records of ${table} have no states.`)
  if (!states.includes(state))
    throw new ToolError(`There is no state "${state}". States: ${states.join(', ')}.`)
  if ((from ?? until) !== undefined && !writes.times.includes(table))
    throw new ToolError(`Records of ${table} have no times.`)
}

/** Returns the record after the put, as far as it can be known without the CMS. */
async function recordAfter(
  cms: Cms,
  { put, original }: PlannedPut,
  base: CmsRecord,
  { fields: known, label }: Table,
): Promise<CmsRecord> {
  const { publishing } = await cms.capabilities()
  const { state, locale } = put
  const fields = (put.fields ?? {}) as CmsRecord['fields']
  if (state) return { ...base, hidden: !publishing?.states.includes(state.state) }
  if (put.uid !== null) return { ...base, fields: { ...base.fields, ...fields } }
  const titled = known.find(({ name, kind }) => kind === 'text' && typeof fields[name] === 'string')
  const made = {
    table: put.table,
    uid: 0,
    pid: 0,
    title: titled ? String(fields[titled.name]) : label,
    hidden: true,
    mayEdit: true,
    version: '',
    addresses: [],
    changedAt: base.changedAt,
  }
  if (!original) return { ...made, language: base.language, fields }
  const language = (await cms.languages()).find((one) => one.locale === locale)?.id ?? base.language
  // The CMS itself gives the translation an address and a state.
  const own = known.filter(({ name, unique }) => unique || name === publishing?.field).map(({ name }) => name)
  const taken = Object.entries(original.fields).filter(([name]) => !own.includes(name))
  return { ...made, language, fields: { ...Object.fromEntries(taken), ...fields } }
}

const words: Record<'state' | 'from' | 'until' | 'hidden', English> = {
  state: { en: 'State' },
  from: { en: 'Visible from' },
  until: { en: 'Visible until' },
  hidden: { en: 'hidden' },
}

/** Returns the changes of state and times of a new record, with the state names of the CMS. */
function stateChanges(
  { state, from, until }: WantedState,
  { hidden }: CmsRecord,
  lang: string,
): FieldChange[] {
  const said = { state, from, until }
  return (['state', 'from', 'until'] as const).flatMap((field) => {
    const after = said[field]
    if (after === undefined) return []
    const before = field === 'state' && hidden ? inLanguage(words.hidden, lang) : null
    return [{ field, label: inLanguage(words[field], lang), before, after }]
  })
}
