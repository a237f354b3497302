import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Actor } from '../../core/base/actor.ts'
import { systemClock } from '../../core/base/clock.ts'
import { ignoreRefusal } from '../../core/base/error.ts'
import type { Cms, Place } from '../../core/cms/cms.ts'
import { showPut } from '../../core/cms/preview.ts'
import type { CmsRecord } from '../../core/cms/schema.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import { UsageError } from '../command.ts'
import { editablePages, fillRequired } from '../connect/kit/bench.ts'
import { type Belongings, type Leftover, openBelongings, wayOut } from './belongings.ts'
import type { Ground } from './ground.ts'
import { changeOf, type Site } from './site.ts'
import type { Task, WantedChange } from './task.ts'

/** The evaluation in a CMS that others use, as one of its users. */
export type Visit = {
  site: Site
  ground: Ground
  /**
   * Separates the tasks that are possible in this CMS from the impossible tasks. Fills the CMS's names of types and
   * fields into the possible tasks.
   */
  sortTasks(tasks: readonly Task[]): { possible: Task[]; impossible: Task[] }
  /** Removes all records of the visit and ends it; returns the records that could not be removed. */
  close(): Promise<Leftover[]>
}

/** The CMS, its address, the user's id there, and a folder for the list of records that must be removed. */
export type Destination = { cms: Cms; url: string; user: string; folder: string }

type Values = ReadonlyMap<string, RecordId>

/**
 * Begins a visit; first removes the records that an earlier visit left. Throws UsageError if the user may not do the
 * tasks.
 */
export async function openVisit({ cms, url, user, folder }: Destination): Promise<Visit> {
  const actor = await cms.userNamed(user)
  if (!actor)
    throw new UsageError(`The CMS has no user ${user} who may log in; name another one with --user.`)
  const [capabilities, languages] = await Promise.all([cms.capabilities(), cms.languages()])
  const name = createHash('sha256').update(`${url} ${user}`).digest('hex').slice(0, 16)
  const belongings = await openBelongings(cms, actor, join(folder, `records-${name}.json`))
  const earlier = await belongings.takeBack()
  if (earlier.length > 0)
    throw new UsageError(`An earlier run has left ${listLeftovers(earlier)}. Remove them by hand.`)
  const desk = await openDesk(cms, actor, belongings)
  const values = await valuesAt(desk)
  return {
    site: siteOf(desk),
    ground: { capabilities, languages, actors: [actor], of: { url, user, values: [...values] } },
    sortTasks(tasks) {
      const isPossible = ({ given, stage, needs }: Task) =>
        given.length === 0 &&
        !stage?.parts &&
        needs.every((need) =>
          need === 'bin' ? capabilities.writes.bin.includes(String(values.get('type'))) : capabilities[need],
        )
      return {
        possible: tasks.filter(isPossible).map((task) => fillNames(task, values)),
        impossible: tasks.filter((task) => !isPossible(task)),
      }
    },
    close: () => belongings.takeBack(true),
  }
}

/** Returns the records as text: the type, the id, and why the record could not be removed. */
export const listLeftovers = (left: Leftover[]): string =>
  left.map(({ table, uid, why }) => `${table} ${uid} (${why})`).join(', ')

/** Returns the CMS as a site for one task at a time; only the task's own records may change. */
function siteOf(desk: Desk): Site {
  const { cms, actor, belongings } = desk
  let lang = actor.lang
  /** The task's records as they were before the task, and the names of all records that existed then. */
  let originals: Original[] = []
  let known = new Set<string>()
  return {
    cms: {
      ...cms,
      put: belongings.put,
      async user(...asked) {
        const user = await cms.user(...asked)
        return user && { ...user, lang }
      },
      async opening(...asked) {
        const opening = await cms.opening(...asked)
        return opening && { ...opening, actor: { ...opening.actor, lang } }
      },
    },
    clock: () => systemClock,
    actor: async () => ({ ...actor, lang }),
    async prepare(task) {
      lang = task.lang
      originals = []
      const values = new Map<string, RecordId>()
      // Creates the records in order, because a later record may refer to an earlier one.
      for (const { name, ...draft } of task.records) {
        const place = await createRecord(desk, task, fillNames(draft, values))
        values.set(name, place.uid)
        originals.push({ place, record: await cms.record(actor, place) })
      }
      known = new Set(belongings.places().map(visitName))
      return fillNames(task, values)
    },
    async finish() {
      const added = belongings.places().filter((place) => !known.has(visitName(place)))
      const all = [...originals, ...added.map((place) => ({ place, record: undefined }))]
      const changes = await Promise.all(
        all.map(async ({ place, record }) =>
          changeOf(visitName(place), record, await cms.record(actor, place)),
        ),
      )
      // A record that could not be removed is tried again at the end of the visit, and reported then.
      await belongings.takeBack()
      return mergeChanges([...changes.flat(), ...belongings.refused()])
    },
  }
}

/** A record before a task; undefined if it did not exist. */
type Original = { place: Place; record: CmsRecord | undefined }

/** Merges the made and the refused changes of one record into one change. */
function mergeChanges(changes: WantedChange[]): WantedChange[] {
  const all = new Map<string, WantedChange>()
  for (const change of changes) {
    const name = `${change.record} ${change.kind}`
    const first = all.get(name) ?? change
    all.set(name, { ...first, fields: { ...first.fields, ...change.fields } })
  }
  return [...all.values()]
}

const visitName = ({ table, uid }: Place) => `${table}:${uid}`

/**
 * Replaces names such as `{lamp}` by their values. A text that is only a name becomes the value itself; inside a longer
 * text the value is inserted.
 */
function fillNames<T>(held: T, values: Values): T
function fillNames(held: unknown, values: Values): unknown {
  if (typeof held === 'string') {
    const whole = values.get(/^\{(\w+)\}$/.exec(held)?.[1] ?? '')
    return whole ?? held.replace(/\{(\w+)\}/g, (text, name) => String(values.get(name) ?? text))
  }
  if (Array.isArray(held)) return held.map((item) => fillNames(item, values))
  if (typeof held !== 'object' || held === null) return held
  return Object.fromEntries(
    Object.entries(held).map(([name, value]) => [fillNames(name, values), fillNames(value, values)]),
  )
}

/**
 * The rights of the user: their tables, the pages that they may edit, and the pages where they may create records of a
 * table.
 */
type Desk = Awaited<ReturnType<typeof openDesk>>

/** Reads the user's rights in the CMS; creates no record. */
async function openDesk(cms: Cms, actor: Actor, belongings: Belongings) {
  const [{ writes }, tables, pages] = await Promise.all([
    cms.capabilities(),
    cms.tables(actor),
    editablePages(cms, actor),
  ])
  const places = new Map<string, RecordId>()
  return { cms, actor, belongings, writes, tables, pages, places }
}

type Draft = { table: string; fields: Record<string, unknown>; page?: RecordId | undefined }

/** Returns the put that creates a record on the first page where the user may do so; undefined without such a page. */
async function findPut({ cms, actor, tables, pages, places }: Desk, { table, fields, page }: Draft) {
  const all = tables.find(({ name }) => name === table)?.fields ?? []
  const whole = { ...fillRequired(all, 'Evaluation'), ...fields }
  const known = page ?? places.get(table)
  for (const pid of known === undefined ? pages : [known]) {
    const put = { table, uid: null, place: { pid }, fields: whole }
    const shown = await showPut(cms, actor, put, []).catch(ignoreRefusal)
    if (!shown) continue
    if (page === undefined) places.set(table, pid)
    return { put, versions: shown.versions }
  }
  return undefined
}

/** Creates a record for a task. Throws UsageError if the user may not create it, or if the CMS could not remove it. */
async function createRecord(desk: Desk, { id }: Task, draft: Draft): Promise<Place> {
  const { actor, belongings, writes } = desk
  const { table } = draft
  if (!wayOut({ table, uid: 0 }, { writes }))
    throw new UsageError(
      `Records of ${table} cannot be taken back in this CMS: the task ${id} cannot be done.`,
    )
  const found = await findPut(desk, draft)
  const run = { key: randomUUID(), correlationId: `eval-${randomUUID()}`, now: Date.now() }
  const answer = found && (await belongings.put(actor, { ...found, ...run }))
  if (answer?.state === 'done' && answer.uid !== null) return { table, uid: answer.uid }
  throw new UsageError(
    `The user ${actor.username} may make no record of ${table} for the task ${id}; name another one with --user.`,
  )
}

/**
 * Finds the first type whose records the user may create. Returns the values for the tasks: the `type`, its `label`,
 * its fields for a `title` and a `body`, and the `page` of its records.
 */
async function valuesAt(desk: Desk): Promise<ReadonlyMap<string, RecordId>> {
  for (const { name, label, fields } of desk.tables) {
    const writable = fields.filter(({ readOnly }) => !readOnly)
    const title = writable.find(({ kind }) => kind === 'text')?.name
    const body = writable.find(({ kind }) => kind === 'html' || kind === 'longtext')?.name
    const isMade = desk.writes.create.includes(name) && wayOut({ table: name, uid: 0 }, desk)
    if (!isMade || title === undefined || body === undefined) continue
    if (await findPut(desk, { table: name, fields: { [title]: 'Evaluation', [body]: 'Evaluation' } }))
      return new Map(Object.entries({ type: name, label, title, body, page: desk.places.get(name) ?? 0 }))
  }
  throw new UsageError(
    `The user ${desk.actor.username} may make no record with a title and a text that can be taken back; name another one with --user.`,
  )
}
