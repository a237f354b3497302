import { randomUUID } from 'node:crypto'
import type { Actor } from '../../core/base/actor.ts'
import { ToolError } from '../../core/base/error.ts'
import type { Capabilities } from '../../core/cms/capabilities.ts'
import type { Cms, Place } from '../../core/cms/cms.ts'
import { showPut } from '../../core/cms/preview.ts'
import type { Field, Table } from '../../core/cms/schema.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import { type Belongings, wayOut } from './belongings.ts'
import { Mistake, type Task } from './task.ts'

/** The user at work: their tables, the pages that they may edit, and where they may make records of a table. */
export type Desk = {
  cms: Cms
  actor: Actor
  belongings: Belongings
  writes: Capabilities['writes']
  tables: Table[]
  pages: RecordId[]
  places: Map<string, RecordId>
}

/** The desk of a user, without anything made. */
export async function openDesk(cms: Cms, actor: Actor, belongings: Belongings): Promise<Desk> {
  const [{ writes }, tables, tree] = await Promise.all([
    cms.capabilities(),
    cms.tables(actor),
    cms.pageTree(actor, { root: 0, depth: 3, limit: 20 }),
  ])
  const pages = [0, ...tree.filter(({ mayEdit }) => mayEdit).map(({ uid }) => uid)]
  return { cms, actor, belongings, writes, tables, pages, places: new Map() }
}

type Draft = { table: string; fields: Record<string, unknown>; page?: RecordId | undefined }

/** The put of a new record where the user may make it; undefined: nowhere. */
async function possible({ cms, actor, tables, pages, places }: Desk, { table, fields, page }: Draft) {
  const all = tables.find(({ name }) => name === table)?.fields ?? []
  const known = page ?? places.get(table)
  for (const pid of known === undefined ? pages : [known]) {
    const put = { table, uid: null, place: { pid }, fields: { ...needed(all), ...fields } }
    const shown = await showPut(cms, actor, put, []).catch(noneIfRefused)
    if (!shown) continue
    if (page === undefined) places.set(table, pid)
    return { put, versions: shown.versions }
  }
  return undefined
}

/** Makes a record for a task. Throws in a sentence where the user may not, or where it could not be taken back. */
export async function make(desk: Desk, { id }: Task, draft: Draft): Promise<Place> {
  const { actor, belongings, writes } = desk
  const { table } = draft
  if (!wayOut({ table, uid: 0 }, { writes }))
    throw new Mistake(`Records of ${table} cannot be taken back in this CMS: the task ${id} cannot be done.`)
  const found = await possible(desk, draft)
  const asked = found && {
    ...found,
    key: randomUUID(),
    correlationId: `eval-${randomUUID()}`,
    now: Date.now(),
  }
  const answer = asked && (await belongings.put(actor, asked))
  if (answer?.state === 'done' && answer.uid !== null) return { table, uid: answer.uid }
  throw new Mistake(
    `The user ${actor.username} may make no record of ${table} for the task ${id}; name another one with --user.`,
  )
}

/**
 * The values that stand for the first type of which the user may make records: `type`, its `label`, its fields for a
 * `title` and a text, and the `page` of its records.
 */
export async function valuesAt(desk: Desk): Promise<ReadonlyMap<string, RecordId>> {
  for (const { name, label, fields } of desk.tables) {
    const writable = fields.filter(({ readOnly }) => !readOnly)
    const title = writable.find(({ kind }) => kind === 'text')?.name
    const body = writable.find(({ kind }) => kind === 'html' || kind === 'longtext')?.name
    const isMade = desk.writes.create.includes(name) && wayOut({ table: name, uid: 0 }, desk)
    if (!isMade || title === undefined || body === undefined) continue
    if (await possible(desk, { table: name, fields: { [title]: 'Evaluation', [body]: 'Evaluation' } }))
      return new Map(Object.entries({ type: name, label, title, body, page: desk.places.get(name) ?? 0 }))
  }
  throw new Mistake(
    `The user ${desk.actor.username} may make no record with a title and a text that can be taken back; name another one with --user.`,
  )
}

/** Values for the fields of a new record that have to have one. */
const needed = (fields: Field[]) =>
  Object.fromEntries(
    fields
      .filter(({ required, readOnly, kind }) => required && !readOnly && /text|html/.test(kind))
      .map(({ name }) => [name, 'Evaluation']),
  )

/** A refusal of the CMS says that it is not possible; anything else is thrown on. */
function noneIfRefused(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error
}
