import type { Actor } from '../actor.ts'
import { Kept, kept } from '../agent/kept.ts'
import type { Intent } from '../agent/run-item.ts'
import { hash } from '../canonical.ts'
import type { Cms, Place, UndoResult, Write, WriteOutcome } from '../cms/cms.ts'
import type { CmsRecord } from '../cms/schema.ts'
import { ToolError } from '../error.ts'
import { isOfServer } from '../settings/server.ts'
import { reasonOf } from './reason.ts'
import { isAsLeft, type Obstacle, type Step, wayBack } from './way.ts'

/**
 * An undo made of writes, for a CMS that has none. Each write has an intent under a key of its own, which names the
 * version that it is made on: a call that is repeated, or made twice at once, asks for the same write again.
 */

/** Where the intents of a run are kept. */
export type Notes = {
  all(): Promise<Intent[]>
  /** Notes the intent of a write of an undo, once; `callId` holds what the write is made on. */
  begin(key: string, callId: string): Promise<void>
  /** Keeps the outcome, as `kept` leaves it; false: there is one already. */
  conclude(key: string, outcome: object): Promise<boolean>
  /** Takes the intent away where it has no outcome. */
  forget(key: string): Promise<void>
}

/** Whose undo of which run it is; `now` is milliseconds since the epoch. */
export type Scene = { actor: Actor; cms: Cms; runId: string; notes: Notes; now: number }
/** What a run did to one record, the oldest write first. */
type Trail = { place: Place; done: Kept[] }
/** How the undo of one record ended; `nothing`: another call has taken it back. */
type End = 'undone' | 'nothing' | Obstacle | { refusal: string }

/** The name that the intents of an undo have instead of a tool. */
export const tool = 'undo'
const begun = 'on '

/** Takes back what a run changed, the record that it changed last first; with `only` that record alone. */
export async function takeBack(scene: Scene, only?: Place): Promise<UndoResult> {
  const { actor, notes } = scene
  const intents = await settled(scene, await notes.all())
  const result: UndoResult = { undone: [], conflicts: [] }
  for (const { place, done } of trailsOf(intents)) {
    if (only && nameOf(only) !== nameOf(place)) continue
    const end = await backOne(scene, { place, done }, intents)
    if (end === 'undone') result.undone.push(place)
    else if (end !== 'nothing') result.conflicts.push({ ...place, reason: reasonOf(end, actor.lang) })
  }
  return result
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

/** The intents, each with its outcome: what no consumer heard of, the CMS is asked for. */
async function settled({ actor, cms, notes }: Scene, intents: Intent[]): Promise<Intent[]> {
  return Promise.all(
    intents.map(async (intent) => {
      if (intent.outcome !== undefined || intent.tool === tool || isOfServer(intent.tool)) return intent
      const outcome = kept(await cms.settle(actor, intent.key))
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
    const { data } = Kept.safeParse(outcome)
    if (!data) continue
    const place = { table: data.table, uid: data.uid }
    const known = trails.get(nameOf(place))?.done ?? []
    trails.delete(nameOf(place))
    trails.set(nameOf(place), { place, done: [...known, data] })
  }
  return [...trails.values()].reverse()
}

/** The steps that were not taken yet. */
async function openSteps(
  { cms, runId }: Pick<Scene, 'cms' | 'runId'>,
  { place, done }: Trail,
  intents: Intent[],
): Promise<Step[] | Obstacle> {
  const steps = wayBack(place, done, (await cms.capabilities()).writes.includes('remove'))
  if (typeof steps === 'string') return steps
  const isDone = (step: Step) =>
    marksOf(runId, step, intents).some(({ outcome }) => Kept.safeParse(outcome).success)
  return steps.filter((step) => !isDone(step))
}

/** All keys of a step begin with this; the version follows. */
const keysOf = (runId: string, { part, back }: Step) =>
  `${runId}/${tool}/${hash({ table: back.table, uid: 'uid' in back ? back.uid : 0, part })}/`

const marksOf = (runId: string, step: Step, intents: Intent[]) =>
  intents.filter(({ key }) => key.startsWith(keysOf(runId, step)))

async function backOne(scene: Scene, trail: Trail, intents: Intent[]): Promise<End> {
  const steps = await openSteps(scene, trail, intents)
  if (typeof steps === 'string') return steps
  if (steps.length === 0) return 'nothing'
  let isMine = false
  const left: Step[] = []
  // What an earlier call began is asked for again first: it may have been done.
  for (const step of steps) {
    const open = marksOf(scene.runId, step, intents).find(({ outcome }) => outcome === undefined)
    const end = open && (await write(scene, step, open.callId.slice(begun.length)))
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
    const end = await write(scene, step, version)
    if (end.state === 'refused') return { refusal: end.reason }
    if (end.state !== 'done') return 'touched'
    version = end.version
    isMine ||= end.isMine
  }
  return isMine ? 'undone' : 'nothing'
}

type Stand = { version?: string; isUntouched: boolean; why?: Obstacle | { refusal: string } }

/** The version that the steps begin with, and whether it is as the run left it. */
async function standOf(
  scene: Pick<Scene, 'actor' | 'cms'>,
  { place, done }: Trail,
  steps: Step[],
): Promise<Stand> {
  const { actor, cms } = scene
  const [first] = steps
  if (first?.back.kind === 'undelete') return standInBin(scene, done, first.back, steps.length === 1)
  const record = await cms.record(actor, place.table, place.uid)
  if (!record) return { isUntouched: false, why: 'missing' }
  return { version: record.version, isUntouched: await isUntouched(scene, record, steps, done) }
}

/** Of what is in the bin, the preview of bringing it back alone tells the version. */
async function standInBin(
  { actor, cms }: Pick<Scene, 'actor' | 'cms'>,
  done: Kept[],
  back: Extract<Write, { kind: 'undelete' }>,
  isAll: boolean,
): Promise<Stand> {
  try {
    const { versions } = await cms.preview(actor, back, [])
    const version = versions.find((it) => nameOf(it) === nameOf(back))?.version
    if (version === undefined) return { isUntouched: false, why: 'missing' }
    return { version, isUntouched: isAll || version === done.at(-1)?.version }
  } catch (error) {
    if (error instanceof ToolError) return { isUntouched: false, why: { refusal: error.message } }
    throw error
  }
}

/** True when the record is as the run left it; of state and place, the CMS is asked whether there is anything to change. */
async function isUntouched(
  { actor, cms }: Pick<Scene, 'actor' | 'cms'>,
  record: CmsRecord,
  steps: Step[],
  done: Kept[],
): Promise<boolean> {
  if (record.version === done.at(-1)?.version) return true
  if (!steps.every((step) => isAsLeft(record, step))) return false
  const again = steps.flatMap(({ left }) => left.again ?? [])
  const changes = await Promise.all(
    again.map((write) =>
      cms.preview(actor, write, []).then(
        (preview) => preview.changes.length,
        (error: unknown) => {
          // A write that would change nothing may be refused.
          if (error instanceof ToolError) return 0
          throw error
        },
      ),
    ),
  )
  return changes.every((count) => count === 0)
}

type Ended = Exclude<WriteOutcome, { state: 'done' }> | { state: 'refused'; reason: string }

/** Takes one step on a version of the record. `isMine`: this call is the one that tells of it. */
async function write(
  { actor, cms, runId, notes, now }: Scene,
  step: Step,
  version: string,
): Promise<Ended | { state: 'done'; version: string; isMine: boolean }> {
  const { back } = step
  if (!('uid' in back)) throw new Error('A step is about a record')
  const key = `${keysOf(runId, step)}${hash(version)}`
  // The intent of another call is as good: the CMS does one write for the key.
  await notes.begin(key, `${begun}${version}`)
  const versions = [{ table: back.table, uid: back.uid, version }]
  const outcome = await attempt(() =>
    cms.write(actor, back, { key, correlationId: `${runId}/${tool}`, versions, now }),
  )
  if (outcome.state === 'done') {
    const isMine = await notes.conclude(key, kept(outcome))
    return { state: 'done', version: outcome.version, isMine }
  }
  await notes.forget(key)
  return outcome
}

async function attempt(
  write: () => Promise<WriteOutcome>,
): Promise<WriteOutcome | Extract<Ended, { state: 'refused' }>> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof ToolError) return { state: 'refused', reason: error.message }
    throw error
  }
}
