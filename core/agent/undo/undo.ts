import type { Actor } from '../../base/actor.ts'
import { ToolError } from '../../base/error.ts'
import { hash } from '../../base/hash.ts'
import { type English, fillIn, inLanguage } from '../../base/language.ts'
import { type Cms, CmsFailure, ofUndo, type Place, type PutAnswer, type UndoResult } from '../../cms/cms.ts'
import { showPut } from '../../cms/preview.ts'
import { isReadable } from '../../cms/put.ts'
import { isOfServer } from '../../stage/settings/server.ts'
import type { Intent } from '../run-record.ts'
import { type Kept, kept, type StoredOutcome } from '../write-outcome.ts'
import { isAsLeft, type Means, type Obstacle, type Step, wayBack } from './way.ts'

/**
 * Takes back the changes of a run by ordinary puts, with the present rights and states. Each put has an intent under
 * its own key. Each key contains the expected version. A repeated or parallel call sends the same put, and the CMS
 * makes it once.
 */

/** The store of a run's intents. */
export type IntentStore = {
  all(): Promise<Intent[]>
  /** Stores the intent of an undo's put once; `callId` holds the version that the put expects. */
  begin(key: string, callId: string): Promise<void>
  /** Stores the outcome in the form that `kept` returns; false if an outcome is already stored. */
  conclude(key: string, outcome: StoredOutcome): Promise<boolean>
  /** Removes the intent if it has no outcome. */
  forget(key: string): Promise<void>
}

/** The inputs of an undo by its actor; `now` is in milliseconds since the epoch. */
export type Scene = {
  actor: Actor
  cms: Cms
  runId: string
  store: IntentStore
  now: number
  /**
   * Called before each record with the number of finished records; false ends the undo. If present, a CMS that does not
   * answer also ends it. Absent for an undo of few records.
   */
  goOn?(n: number, total: number): Promise<boolean>
}

/** The result of an undo; `left` lists the records that it did not reach. */
export type UndoReport = UndoResult & { left: Place[] }

/** The run's changes of one record, oldest put first. */
type Trail = { place: Place; done: Kept[] }
/** The result for one record; `nothing`: another call has taken the changes back. */
type UndoEnd = 'undone' | 'nothing' | Obstacle | { refusal: string }

/** The tool name in the intents of an undo. */
export const undoTool = 'undo'
const versionPrefix = 'on '

/**
 * Takes back the changes of a run, beginning with the record that was changed last. Records on a new page are taken back
 * before the page. `only` limits the undo to one record. A record that changed again since, or that the CMS
 * refuses, stays and is returned with a reason. A repeated call, even after a crash, takes nothing back twice.
 */
export async function takeBack(scene: Scene, only?: Place): Promise<UndoReport> {
  const { actor, store } = scene
  const intents = await settleIntents(scene, await store.all())
  const trails = trailsOf(intents).filter(({ place }) => !only || nameOf(only) === nameOf(place))
  const result: UndoReport = { undone: [], conflicts: [], left: [] }
  for (const [at, { place, done }] of trails.entries()) {
    const reportFrom = (from: number) => ({ ...result, left: trails.slice(from).map((trail) => trail.place) })
    if (scene.goOn && !(await scene.goOn(at, trails.length))) return reportFrom(at)
    const end = await takeBackRecord(scene, { place, done }, intents).catch((error: unknown): UndoEnd => {
      if (scene.goOn && error instanceof CmsFailure) return 'unanswered'
      throw error
    })
    if (end === 'undone') result.undone.push(place)
    else if (end !== 'nothing') result.conflicts.push({ ...place, reason: reasonOf(end, actor.lang) })
    if (end === 'unanswered') return reportFrom(at + 1)
  }
  return result
}

/** Returns the number of a run's records with changes that are not taken back yet. */
export async function countOpen(scene: Pick<Scene, 'cms' | 'runId'>, intents: Intent[]): Promise<number> {
  const steps = await Promise.all(trailsOf(intents).map((trail) => openSteps(scene, trail, intents)))
  return steps.filter((open) => typeof open !== 'string' && open.length > 0).length
}

/** Returns the number of records whose changes can be taken back: each is as the run left it. */
export async function countUndoable(scene: Omit<Scene, 'now'>): Promise<number> {
  const { store } = scene
  const intents = await store.all()
  const open = await Promise.all(
    trailsOf(intents).map(async ({ place, done }) => {
      const steps = await openSteps(scene, { place, done }, intents)
      if (typeof steps === 'string' || steps.length === 0) return false
      return 'version' in (await standOf(scene, { place, done }, steps))
    }),
  )
  return open.filter(Boolean).length
}

/** Returns the intents with their outcomes. Asks the CMS for outcomes that no consumer received. */
async function settleIntents({ actor, cms, store }: Scene, intents: Intent[]): Promise<Intent[]> {
  return Promise.all(
    intents.map(async (intent) => {
      if (intent.outcome !== undefined || intent.tool === undoTool || isOfServer(intent.tool)) return intent
      const outcome = kept(await cms.settle(actor, { key: intent.key }))
      await store.conclude(intent.key, outcome)
      return { ...intent, outcome }
    }),
  )
}

const nameOf = ({ table, uid }: Place) => `${table}#${uid}`

function trailsOf(intents: Intent[]): Trail[] {
  const trails = new Map<string, Trail>()
  for (const { outcome } of intents
    .filter((intent) => intent.tool !== undoTool)
    .toSorted((a, b) => a.order - b.order)) {
    if (outcome?.state !== 'done') continue
    const place = { table: outcome.table, uid: outcome.uid }
    const known = trails.get(nameOf(place))?.done ?? []
    // Records that were put on a new record are taken back before the new record.
    if (known[0]?.before !== null || outcome.after.place) trails.delete(nameOf(place))
    trails.set(nameOf(place), { place, done: [...known, outcome] })
  }
  return [...trails.values()].reverse()
}

/** Returns the steps that are not done yet. */
async function openSteps(
  { cms, runId }: Pick<Scene, 'cms' | 'runId'>,
  { place, done }: Trail,
  intents: Intent[],
): Promise<Step[] | Obstacle> {
  const steps = wayBack(place, done, await meansFor(cms, place))
  if (typeof steps === 'string') return steps
  const isDone = (step: Step) =>
    intentsOfStep(runId, step, intents).some(({ outcome }) => outcome?.state === 'done')
  return steps.filter((step) => !isDone(step))
}

async function meansFor(cms: Pick<Cms, 'capabilities'>, { table }: Place): Promise<Means> {
  const { writes, types } = await cms.capabilities()
  const fields = types.find(({ name }) => name === table)?.fields ?? []
  const fieldOf = (wanted: string) => fields.find(({ name }) => name === wanted)
  return { mayRemove: writes.remove.includes(table), fieldOf }
}

/** Returns the common prefix of all keys of a step; the version follows it. */
const keyPrefix = (runId: string, { part, put: { table, uid } }: Step) =>
  `${runId}/${undoTool}/${hash({ table, uid, part })}/`

const intentsOfStep = (runId: string, step: Step, intents: Intent[]) =>
  intents.filter(({ key }) => key.startsWith(keyPrefix(runId, step)))

async function takeBackRecord(scene: Scene, trail: Trail, intents: Intent[]): Promise<UndoEnd> {
  const steps = await openSteps(scene, trail, intents)
  if (typeof steps === 'string') return steps
  if (steps.length === 0) return 'nothing'
  let isMine = false
  const left: Step[] = []
  // Repeats the puts of an earlier call under their old keys, for which the CMS makes each only once.
  for (const step of steps) {
    const open = intentsOfStep(scene.runId, step, intents).find(({ outcome }) => outcome === undefined)
    const end = open && (await takeStep(scene, step, open.callId.slice(versionPrefix.length)))
    if (end?.state === 'done') isMine ||= end.isMine
    else left.push(step)
  }
  const end = left.length === 0 ? 'nothing' : await takeBackSteps(scene, trail, left)
  return end === 'nothing' && isMine ? 'undone' : end
}

/** Makes the puts of the steps, starting from the record's present version. */
async function takeBackSteps(scene: Scene, trail: Trail, steps: Step[]): Promise<UndoEnd> {
  const { store, runId } = scene
  const stand = await standOf(scene, trail, steps)
  if ('why' in stand) {
    const present = await store.all()
    const isTaken = steps.every((step) => intentsOfStep(runId, step, present).length > 0)
    return isTaken ? 'nothing' : stand.why
  }
  let { version } = stand
  let isMine = false
  for (const step of steps) {
    const end = await takeStep(scene, step, version)
    if (end.state === 'refused') return { refusal: end.reason }
    if (end.state !== 'done') return 'touched'
    version = end.version
    isMine ||= end.isMine
  }
  return isMine ? 'undone' : 'nothing'
}

/**
 * Returns the version for the first step, or the reason why the record stays as it is. The preview of the first step
 * shows both. A record that cannot be read cannot change either.
 */
async function standOf(
  { actor, cms }: Pick<Scene, 'actor' | 'cms'>,
  { place, done }: Trail,
  steps: Step[],
): Promise<{ version: string } | { why: Obstacle | { refusal: string } }> {
  const [first] = steps
  if (!first) return { why: 'touched' }
  const isRead = isReadable(first.put)
  try {
    const { version, before } = await showPut(cms, actor, first.shown ?? first.put, [])
    const isLeft = isRead ? before && steps.every((step) => isAsLeft(before, step)) : steps.length === 1
    return isLeft || version === done.at(-1)?.version ? { version } : { why: 'touched' }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const isThere = !isRead || (await cms.record(actor, place))
    return { why: isThere ? { refusal: error.message } : 'missing' }
  }
}

type PutFailure = Exclude<PutAnswer, { state: 'done' }> | { state: 'refused'; reason: string }

/** Makes the put of one step on a version of the record. `isMine` is true if this call must report it. */
async function takeStep(
  { actor, cms, runId, store, now }: Scene,
  step: Step,
  version: string,
): Promise<PutFailure | { state: 'done'; version: string; isMine: boolean }> {
  const { put } = step
  if (put.uid === null) throw new Error('A step is about a record')
  const key = `${keyPrefix(runId, step)}${hash(version)}`
  // Another call may have stored the intent; the CMS makes only one put for the key.
  await store.begin(key, `${versionPrefix}${version}`)
  const versions = [{ table: put.table, uid: put.uid, version }]
  const asked = { put, key, correlationId: ofUndo(runId), versions, now }
  const outcome: PutAnswer | PutFailure = await cms.put(actor, asked).catch((error: unknown) => {
    if (error instanceof ToolError) return { state: 'refused', reason: error.message }
    throw error
  })
  if (outcome.state === 'done') {
    const isMine = await store.conclude(key, kept(outcome))
    return { state: 'done', version: outcome.version, isMine }
  }
  await store.forget(key)
  return outcome
}

const sentences: Record<Obstacle | 'refused', English> = {
  missing: { en: 'There is no such record any more, or this user may not see it.' },
  touched: { en: 'The record was changed again since.' },
  unknown: {
    en: 'The chat does not know all earlier values. Restore the record by hand, from its history.',
  },
  lasting: { en: 'The chat cannot delete records in this system. Delete the new record by hand.' },
  unanswered: { en: 'The system did not answer, and the undo ended here. Take the rest back again.' },
  refused: { en: 'The system refused it: {reason}' },
}

/** Returns the reason for a person why the undo leaves a record unchanged; `refusal` is the reason of the CMS. */
function reasonOf(why: Obstacle | { refusal: string }, lang: string): string {
  if (typeof why === 'string') return inLanguage(sentences[why], lang)
  return fillIn(inLanguage(sentences.refused, lang), lang, { reason: why.refusal })
}
