import type { Actor } from '../../actor.ts'
import { inLanguage, type Translated } from '../../language.ts'
import type { Place, UndoResult } from '../cms.ts'
import { touched } from '../touched.ts'
import { type BinObstacle, binSentences, obstacleToDelete, wayBack } from './bin.ts'
import { type Commit, commit } from './commit.ts'
import { type Change, type Recorded, recordedOf } from './history.ts'
import { historyPartition, type Row, runPartition, type Value } from './item.ts'
import { obstacleAt } from './move.ts'
import { type Denial, denyEdit, readableFields } from './permission.ts'
import { denialSentence } from './refusal.ts'
import { tableOf } from './registry.ts'
import { obstacleToRemove } from './remove.ts'
import * as Rows from './rows.ts'
import { open, type Site } from './site.ts'
import type { Vacancy } from './translated.ts'

/** What a run did to one record, oldest change first. */
type Trail = { table: string; uid: number; steps: Recorded[] }

/** Why a record is left as it is. */
type Obstacle = Denial | BinObstacle | 'field' | 'home' | 'touched' | 'inhabited'

/** How many records a run changed whose changes can still be taken back. */
export async function changesOf(site: Site, runId: string): Promise<number> {
  const trails = await trailsOf(site, runId)
  const untouched = await Promise.all(
    trails.map(async (trail) => {
      const row = await found(site, trail)
      return row !== undefined && (await isUntouched(site, trail, row))
    }),
  )
  return untouched.filter(Boolean).length
}

/**
 * Takes back what a run of the actor changed, the last record first: a new record is deleted, the fields of another get
 * back what they held; with `only`, of that record alone. A record that was changed since, or that the actor may no longer change, is left as it is.
 */
export async function undo(
  store: string,
  actor: Actor,
  { runId, only }: { runId: string; only?: Place | undefined },
  now: number,
): Promise<UndoResult> {
  let site = await open(store, actor, now)
  const result: UndoResult = { undone: [], conflicts: [] }
  for (const trail of await trailsOf(site, runId)) {
    const { table, uid } = trail
    if (only && (only.table !== table || only.uid !== uid)) continue
    const obstacle = await takeBack(site, runId, trail, now)
    if (obstacle) result.conflicts.push({ table, uid, reason: reason(obstacle, actor.lang) })
    if (!obstacle) result.undone.push({ table, uid })
    // The next record may be on this page.
    if (!obstacle && table === 'pages') site = await open(store, actor, now)
  }
  return result
}

/** The records that a run of the actor changed and that were not taken back yet, the last one first. */
async function trailsOf(site: Site, runId: string): Promise<Trail[]> {
  const trails = new Map<string, Trail>()
  for await (const row of Rows.trail(site.store, runPartition(site.actor.uid, runId), true)) {
    const step = recordedOf(row)
    const name = `${step.table}:${step.uid}`
    const trail = trails.get(name) ?? { table: step.table, uid: step.uid, steps: [] }
    trails.delete(name)
    trails.set(name, { ...trail, steps: [...trail.steps, step] })
  }
  return [...trails.values()]
    .filter((trail) => !trail.steps.at(-1)?.isUndo && !(isBinned(trail) && goesToBin(trail)))
    .reverse()
}

const binSteps = ({ steps }: Trail) =>
  steps.flatMap(({ action }) => (action === 'delete' || action === 'undelete' ? [action] : []))
/** Whether the run left the record in the bin. */
const isBinned = (trail: Trail) => binSteps(trail).at(-1) === 'delete'
/** Whether the record ends in the bin when the run is taken back: it was made by the run, or was there before. */
const goesToBin = (trail: Trail) => trail.steps[0]?.action === 'add' || binSteps(trail)[0] === 'undelete'

/** The record of a trail; undefined where it is gone, or another user has put it into the bin. */
async function found({ store }: Site, trail: Trail): Promise<Row | undefined> {
  const row = await Rows.stored(store, trail.table, trail.uid)
  return row?.deleted && !isBinned(trail) ? undefined : row
}

async function takeBack(site: Site, runId: string, trail: Trail, now: number): Promise<Obstacle | undefined> {
  const row = await found(site, trail)
  const isNew = trail.steps[0]?.action === 'add'
  const way = row ? await wayTo(site, trail, row, isNew) : { obstacle: 'missing' as const }
  if (!row || 'obstacle' in way) return 'obstacle' in way ? way.obstacle : 'missing'
  const { changes, vacancy } = way
  const deleted = goesToBin(trail)
  const { pid = row.pid, ...values } = Object.fromEntries(changes.map(({ field, after }) => [field, after]))
  const fields = { ...row.fields, ...values }
  const committed = await commit(site.store, {
    actor: site.actor,
    action: actionOf(row, { pid: Number(pid), deleted }),
    before: row,
    row: { ...row, pid: Number(pid), fields, deleted },
    changes,
    runId,
    isUndo: true,
    key: null,
    guards: [],
    vacancy,
    now,
  })
  return committed.state === 'done' ? undefined : 'touched'
}

function actionOf(row: Row, after: Pick<Row, 'pid' | 'deleted'>): Commit['action'] {
  if (after.deleted !== row.deleted) return after.deleted ? 'delete' : 'undelete'
  return after.pid === row.pid ? 'modify' : 'move'
}

/** What the record gets back, or why it is left as it is. */
async function wayTo(
  site: Site,
  trail: Trail,
  row: Row,
  isNew: boolean,
): Promise<{ changes: Change[]; vacancy?: Vacancy } | { obstacle: Obstacle }> {
  const way = await wayAcross(site, trail, row, isNew)
  const obstacle = 'obstacle' in way ? way.obstacle : undefined
  if (obstacle && obstacle !== 'inhabited') return { obstacle }
  if (!(await isUntouched(site, trail, row))) return { obstacle: 'touched' }
  if (isNew || 'obstacle' in way) return obstacle ? { obstacle } : { changes: [] }
  const changes = reversed(trail, row)
  if (!mayWriteFields(site, row, changes)) return { obstacle: 'field' }
  const home = changes.find(({ field }) => field === 'pid')
  if (home && obstacleAt(site, row, Number(home.after))) return { obstacle: 'home' }
  const more = way.changes.filter(({ field }) => !changes.some((change) => change.field === field))
  return { ...way, changes: [...changes, ...more] }
}

/** The way of a record into the bin, out of it, or neither, with what that changes; or what bars it. */
async function wayAcross(
  site: Site,
  trail: Trail,
  row: Row,
  isNew: boolean,
): Promise<{ changes: Change[]; vacancy?: Vacancy } | { obstacle: Obstacle }> {
  if (isBinned(trail)) return wayBack(site, row)
  const obstacle = isNew
    ? await obstacleToRemove(site, row)
    : goesToBin(trail)
      ? await obstacleToDelete(site, row)
      : denyEdit(site.rights, site.pages, row)
  return obstacle ? { obstacle } : { changes: [] }
}

/** True when the record is as the run left it, without a later change that is still there. */
async function isUntouched(site: Site, { table, uid, steps }: Trail, row: Row): Promise<boolean> {
  const isWhole = steps.every((step, at) => at === 0 || step.versionBefore === steps[at - 1]?.versionAfter)
  const left = steps.at(-1)?.versionAfter ?? 0
  if (!isWhole || row.version === left) return isWhole
  const later: Recorded[] = []
  for await (const step of Rows.trail(site.store, historyPartition(table, uid))) {
    const recorded = recordedOf(step)
    if (recorded.versionAfter <= left) break
    later.unshift(recorded)
  }
  return later.at(-1)?.versionAfter === row.version && areTakenBack(later)
}

/**
 * True when the changes were all taken back, and nothing before them was: an undo takes back the changes of its run
 * alone, so one without a change among these took back an older one, such as an undo of the same run at the same time.
 */
function areTakenBack(steps: Recorded[]): boolean {
  const open: Recorded[] = []
  for (const step of steps) {
    if (step.isUndo && open.at(-1)?.runId !== step.runId) return false
    if (!step.isUndo) open.push(step)
    while (step.isUndo && open.at(-1)?.runId === step.runId) open.pop()
  }
  return open.length === 0
}

/** What the fields held before the run, for those that it changed. */
function reversed({ steps }: Trail, row: Row): Change[] {
  const first = new Map<string, Value>()
  for (const { field, before } of steps.flatMap((step) => step.changes))
    if (!first.has(field)) first.set(field, before)
  return [...first].map(([field, value]) => ({
    field,
    before: field === 'pid' ? row.pid : (row.fields[field] ?? null),
    after: value,
  }))
}

function mayWriteFields(site: Site, row: Row, changes: Change[]): boolean {
  const fields = readableFields(site.rights, tableOf(row.table), row).map(({ name }) => name)
  return changes.every(({ field }) => field === 'pid' || fields.includes(field))
}

const reasons: Record<Exclude<Obstacle, Denial>, Translated> = {
  ...binSentences,
  field: {
    en: 'This user may no longer change one of these fields.',
    de: 'Dieser Benutzer darf eines dieser Felder nicht mehr ändern.',
  },
  home: {
    en: 'The record cannot go back to the page where it was.',
    de: 'Der Datensatz kann nicht auf die Seite zurück, auf der er war.',
  },
  touched,
  inhabited: {
    en: 'Something else was put on this page since.',
    de: 'Auf dieser Seite liegt inzwischen anderes.',
  },
}

function reason(obstacle: Obstacle, lang: string): string {
  return obstacle in reasons
    ? inLanguage(reasons[obstacle as keyof typeof reasons], lang)
    : denialSentence(obstacle as Denial, lang)
}
