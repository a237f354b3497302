import type { Actor } from '../../actor.ts'
import { inLanguage, type Translated } from '../../language.ts'
import type { Place, UndoResult } from '../cms.ts'
import { touched } from '../touched.ts'
import { commit } from './commit.ts'
import { type Change, type Recorded, recordedOf } from './history.ts'
import { historyPartition, type Row, runPartition, type Value } from './item.ts'
import { obstacleAt } from './move.ts'
import { type Denial, denyEdit, readableFields } from './permission.ts'
import { denialSentence } from './refusal.ts'
import { tableOf } from './registry.ts'
import { obstacleToRemove } from './remove.ts'
import * as Rows from './rows.ts'
import { open, type Site } from './site.ts'

/** What a run did to one record, oldest change first. */
type Trail = { table: string; uid: number; steps: Recorded[] }

/** Why a record is left as it is. */
type Obstacle = Denial | 'field' | 'home' | 'touched' | 'inhabited'

/** How many records a run changed whose changes can still be taken back. */
export async function changesOf(site: Site, runId: string): Promise<number> {
  const trails = await trailsOf(site, runId)
  const untouched = await Promise.all(
    trails.map(async (trail) => {
      const row = await Rows.find(site.store, trail.table, trail.uid)
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
  const site = await open(store, actor, now)
  const result: UndoResult = { undone: [], conflicts: [] }
  for (const trail of await trailsOf(site, runId)) {
    const { table, uid } = trail
    if (only && (only.table !== table || only.uid !== uid)) continue
    const obstacle = await takeBack(site, runId, trail, now)
    if (obstacle) result.conflicts.push({ table, uid, reason: reason(obstacle, actor.lang) })
    if (!obstacle) result.undone.push({ table, uid })
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
  return [...trails.values()].filter(({ steps }) => !steps.at(-1)?.isUndo).reverse()
}

async function takeBack(site: Site, runId: string, trail: Trail, now: number): Promise<Obstacle | undefined> {
  const row = await Rows.find(site.store, trail.table, trail.uid)
  const isNew = trail.steps[0]?.action === 'add'
  const obstacle = row ? await obstacleTo(site, trail, row, isNew) : 'missing'
  if (!row || obstacle) return obstacle
  const changes = isNew ? [] : reversed(trail, row)
  const { pid = row.pid, ...values } = Object.fromEntries(changes.map(({ field, after }) => [field, after]))
  const fields = { ...row.fields, ...values }
  const committed = await commit(site.store, {
    actor: site.actor,
    action: isNew ? 'delete' : Number(pid) === row.pid ? 'modify' : 'move',
    before: row,
    row: { ...row, pid: Number(pid), fields, deleted: isNew },
    changes,
    runId,
    isUndo: true,
    key: null,
    guards: [],
    now,
  })
  return committed.state === 'done' ? undefined : 'touched'
}

async function obstacleTo(site: Site, trail: Trail, row: Row, isNew: boolean): Promise<Obstacle | undefined> {
  const denial = isNew ? await obstacleToRemove(site, row) : denyEdit(site.rights, site.pages, row)
  if (denial && denial !== 'inhabited') return denial
  if (!(await isUntouched(site, trail, row))) return 'touched'
  if (isNew) return denial
  const changes = reversed(trail, row)
  if (!mayWriteFields(site, row, changes)) return 'field'
  const home = changes.find(({ field }) => field === 'pid')
  return home && obstacleAt(site, row, Number(home.after)) ? 'home' : undefined
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
