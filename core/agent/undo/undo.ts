import type { Actor } from '../../base/actor.ts'
import { ToolError } from '../../base/error.ts'
import { hash } from '../../base/hash.ts'
import { type English, filled, inLanguage } from '../../base/language.ts'
import { type Cms, CmsFailure, ofUndo, type Place, type PutAnswer, type UndoResult } from '../../cms/cms.ts'
import { showPut } from '../../cms/preview.ts'
import { isOfServer } from '../../stage/settings/server.ts'
import type { Intent } from '../run-record.ts'
import { type Kept, kept, type StoredOutcome } from '../write-outcome.ts'
import { isAsLeft, type Means, type Obstacle, type Step, wayBack } from './way.ts'

/**
 * Takes back the changes of a run by puts like any other: the current rights and states hold. Each put has an intent
 * under a key of its own, which names the version that the put expects. A call that is repeated, or made twice at
 * once, therefore asks for the same put again.
 */

/** The store for the intents of a run. */
export type Notes = {
  all(): Promise<Intent[]>
  /** Notes the intent of a put of an undo, once; `callId` holds the version that the put expects. */
  begin(key: string, callId: string): Promise<void>
  /** Keeps the outcome, as `kept` leaves it; false: there is one already. */
  conclude(key: string, outcome: StoredOutcome): Promise<boolean>
  /** Takes the intent away where it has no outcome. */
  forget(key: string): Promise<void>
}

/** The undo of a run by its actor; `now` is milliseconds since the epoch. */
export type Scene = {
  actor: Actor
  cms: Cms
  runId: string
  notes: Notes
  now: number
  /**
   * Asked before each record, with how many of them the undo is through; false ends it. With it, a CMS that does not
   * answer ends the undo as well. Absent for few records.
   */
  goOn?(n: number, total: number): Promise<boolean>
}

/** The result of an undo; `left` has the records that it did not reach. */
export type Taken = UndoResult & { left: Place[] }

/** The changes of a run to one record, the oldest put first. */
type Trail = { place: Place; done: Kept[] }
/** The end of the undo of one record; `nothing`: another call has taken it back. */
type End = 'undone' | 'nothing' | Obstacle | { refusal: string }

/** The name that the intents of an undo have instead of a tool. */
export const tool = 'undo'
const begun = 'on '

/**
 * Takes back what a run changed, the record that it changed last first, a new one behind all that was put on it; with
 * `only` that record alone. Leaves a record that was changed again since, or that the CMS refuses, and lists it with a
 * reason. A repeated call, also after a crash, takes back nothing twice.
 */
export async function takeBack(scene: Scene, only?: Place): Promise<Taken> {
  const { actor, notes } = scene
  const intents = await settled(scene, await notes.all())
  const trails = trailsOf(intents).filter(({ place }) => !only || nameOf(only) === nameOf(place))
  const result: Taken = { undone: [], conflicts: [], left: [] }
  for (const [at, { place, done }] of trails.entries()) {
    const leave = (from: number) => ({ ...result, left: trails.slice(from).map((trail) => trail.place) })
    if (scene.goOn && !(await scene.goOn(at, trails.length))) return leave(at)
    const end = await backOne(scene, { place, done }, intents).catch((error: unknown): End => {
      if (scene.goOn && error instanceof CmsFailure) return 'unanswered'
      throw error
    })
    if (end === 'undone') result.undone.push(place)
    else if (end !== 'nothing') result.conflicts.push({ ...place, reason: reasonOf(end, actor.lang) })
    if (end === 'unanswered') return leave(at + 1)
  }
  return result
}

/** How many records of a run have changes that were not taken back yet. */
export async function openRecords(scene: Pick<Scene, 'cms' | 'runId'>, intents: Intent[]): Promise<number> {
  const steps = await Promise.all(trailsOf(intents).map((trail) => openSteps(scene, trail, intents)))
  return steps.filter((open) => typeof open !== 'string' && open.length > 0).length
}

/** How many records a run changed that are as it left them, and whose changes can be taken back. */
export async function changesOf(scene: Omit<Scene, 'now'>): Promise<number> {
  const { notes } = scene
  const intents = await notes.all()
  const open = await Promise.all(
    trailsOf(intents).map(async ({ place, done }) => {
      const steps = await openSteps(scene, { place, done }, intents)
      if (typeof steps === 'string' || steps.length === 0) return false
      return (await standOf(scene, { place, done }, steps)).isUntouched
    }),
  )
  return open.filter(Boolean).length
}

/** The intents, each with its outcome. Asks the CMS for an outcome that no consumer received. */
async function settled({ actor, cms, notes }: Scene, intents: Intent[]): Promise<Intent[]> {
  return Promise.all(
    intents.map(async (intent) => {
      if (intent.outcome !== undefined || intent.tool === tool || isOfServer(intent.tool)) return intent
      const outcome = kept(await cms.settle(actor, { key: intent.key }))
      await notes.conclude(intent.key, outcome)
      return { ...intent, outcome }
    }),
  )
}

const nameOf = ({ table, uid }: Place) => `${table}#${uid}`

function trailsOf(intents: Intent[]): Trail[] {
  const trails = new Map<string, Trail>()
  for (const { outcome } of intents
    .filter((intent) => intent.tool !== tool)
    .toSorted((a, b) => a.order - b.order)) {
    if (outcome?.state !== 'done') continue
    const place = { table: outcome.table, uid: outcome.uid }
    const known = trails.get(nameOf(place))?.done ?? []
    // A record that the run made may have others on it, which go first.
    if (known[0]?.before !== null || outcome.after.place) trails.delete(nameOf(place))
    trails.set(nameOf(place), { place, done: [...known, outcome] })
  }
  return [...trails.values()].reverse()
}

/** The steps that were not taken yet. */
async function openSteps(
  { cms, runId }: Pick<Scene, 'cms' | 'runId'>,
  { place, done }: Trail,
  intents: Intent[],
): Promise<Step[] | Obstacle> {
  const steps = wayBack(place, done, await meansFor(cms, place))
  if (typeof steps === 'string') return steps
  const isDone = (step: Step) =>
    marksOf(runId, step, intents).some(({ outcome }) => outcome?.state === 'done')
  return steps.filter((step) => !isDone(step))
}

async function meansFor(cms: Pick<Cms, 'capabilities'>, { table }: Place): Promise<Means> {
  const { writes, types } = await cms.capabilities()
  const fields = types.find(({ name }) => name === table)?.fields ?? []
  const fieldOf = (wanted: string) => fields.find(({ name }) => name === wanted)
  return { mayRemove: writes.remove.includes(table), fieldOf }
}

/** All keys of a step begin with this; the version follows. */
const keysOf = (runId: string, { part, put: { table, uid } }: Step) =>
  `${runId}/${tool}/${hash({ table, uid, part })}/`

const marksOf = (runId: string, step: Step, intents: Intent[]) =>
  intents.filter(({ key }) => key.startsWith(keysOf(runId, step)))

async function backOne(scene: Scene, trail: Trail, intents: Intent[]): Promise<End> {
  const steps = await openSteps(scene, trail, intents)
  if (typeof steps === 'string') return steps
  if (steps.length === 0) return 'nothing'
  let isMine = false
  const left: Step[] = []
  // Repeats the puts that an earlier call began: the CMS may have made them.
  for (const step of steps) {
    const open = marksOf(scene.runId, step, intents).find(({ outcome }) => outcome === undefined)
    const end = open && (await takeStep(scene, step, open.callId.slice(begun.length)))
    if (end?.state === 'done') isMine ||= end.isMine
    else left.push(step)
  }
  const end = left.length === 0 ? 'nothing' : await backFromHere(scene, trail, left)
  return end === 'nothing' && isMine ? 'undone' : end
}

/** Takes the steps from the record as it is now. */
async function backFromHere(scene: Scene, trail: Trail, steps: Step[]): Promise<End> {
  const { notes, runId } = scene
  const stand = await standOf(scene, trail, steps)
  if (stand.version === undefined || !stand.isUntouched) {
    const now = await notes.all()
    const isTaken = steps.every((step) => marksOf(runId, step, now).length > 0)
    return isTaken ? 'nothing' : (stand.why ?? 'touched')
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

type Stand = { version?: string; isUntouched: boolean; why?: Obstacle | { refusal: string } }

/**
 * Reads the version that the steps begin with, and checks that the record is as the run left it: the CMS shows the first
 * step. The bin keeps a record unchanged.
 */
async function standOf(
  { actor, cms }: Pick<Scene, 'actor' | 'cms'>,
  { place, done }: Trail,
  steps: Step[],
): Promise<Stand> {
  const [first] = steps
  if (!first) return { isUntouched: false }
  try {
    const { version, before } = await showPut(cms, actor, first.shown ?? first.put, [])
    if (version === done.at(-1)?.version) return { version, isUntouched: true }
    if (first.put.bin === false) return { version, isUntouched: steps.length === 1 }
    return { version, isUntouched: before !== null && steps.every((step) => isAsLeft(before, step)) }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const isThere = first.put.bin === false || (await cms.record(actor, place)) !== undefined
    return { isUntouched: false, why: isThere ? { refusal: error.message } : 'missing' }
  }
}

type Ended = Exclude<PutAnswer, { state: 'done' }> | { state: 'refused'; reason: string }

/** Takes one step on a version of the record. `isMine`: this call reports it. */
async function takeStep(
  { actor, cms, runId, notes, now }: Scene,
  step: Step,
  version: string,
): Promise<Ended | { state: 'done'; version: string; isMine: boolean }> {
  const { put } = step
  if (put.uid === null) throw new Error('A step is about a record')
  const key = `${keysOf(runId, step)}${hash(version)}`
  // The intent of another call serves as well: the CMS makes one put for the key.
  await notes.begin(key, `${begun}${version}`)
  const versions = [{ table: put.table, uid: put.uid, version }]
  const asked = { put, key, correlationId: ofUndo(runId), versions, now }
  const outcome: PutAnswer | Ended = await cms.put(actor, asked).catch((error: unknown) => {
    if (error instanceof ToolError) return { state: 'refused', reason: error.message }
    throw error
  })
  if (outcome.state === 'done') {
    const isMine = await notes.conclude(key, kept(outcome))
    return { state: 'done', version: outcome.version, isMine }
  }
  await notes.forget(key)
  return outcome
}

const sentences: Record<Obstacle | 'refused', English> = {
  missing: { en: 'There is no such record any more, or this user may not see it.' },
  touched: { en: 'The record was changed again since.' },
  unknown: {
    en: 'The chat does not know all of what was there before. Put it back by hand, from the history of the record.',
  },
  lasting: { en: 'The chat cannot delete records in this system. Delete the new record by hand.' },
  unanswered: { en: 'The system did not answer, and the undo ended here. Take the rest back again.' },
  refused: { en: 'The system refused it: {reason}' },
}

/** Tells the person why the undo leaves a record as it is; `refusal` is the reason of the CMS. */
function reasonOf(why: Obstacle | { refusal: string }, lang: string): string {
  if (typeof why === 'string') return inLanguage(sentences[why], lang)
  return filled(inLanguage(sentences.refused, lang), lang, { reason: why.refusal })
}
