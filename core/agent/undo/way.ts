import type { Place, Put, Standing } from '../../cms/cms.ts'
import type { Field } from '../../cms/schema.ts'
import { fingerprint, type Kept } from '../write-outcome.ts'

/** The part of a way back that one put takes: into or out of the bin, the content with its place, or a new record whole. */
export type Part = 'record' | 'content' | 'bin'

/** One put that takes something back, and what the run had left there. */
export type Step = {
  part: Part
  put: Put
  left: Left
  /** The put as the CMS shows it: only one that is made may leave a required field empty again. */
  shown?: Put
}

/** The state that the run left: fingerprints of values, and the place. */
export type Left = { fields: Record<string, string>; place?: Standing['place'] }

/** The reasons why the undo leaves a record as it is. */
export type Obstacle = 'missing' | 'touched' | 'unknown' | 'lasting' | 'unanswered'

/** The changes that the CMS allows in the table of a record. */
export type Means = {
  mayRemove: boolean
  fieldOf(name: string): Pick<Field, 'readOnly' | 'required'> | undefined
}

/**
 * The puts that take back the changes of a run to one record, in their order; `done` are the run's puts there, the
 * oldest first. `unknown`: the state before is not kept. `lasting`: the CMS deletes nothing.
 */
export function wayBack(place: Place, done: Kept[], means: Means): Step[] | Obstacle {
  const [first] = done
  const left: Left = { fields: Object.assign({}, ...done.map(({ after }) => after.fields)) }
  if (first?.before === null) {
    if (done.at(-1)?.after.bin) return []
    return means.mayRemove ? [{ part: 'record', put: { ...place, remove: true }, left }] : 'lasting'
  }
  if (done.some(({ before, lost = [] }) => !before || lost.length > 0)) return 'unknown'
  if (!isWhole(done)) return 'touched'
  const found: Record<string, unknown> = Object.assign(
    {},
    ...done.toReversed().map(({ before }) => before?.fields),
  )
  const fields = Object.entries(found).filter(([name]) => !means.fieldOf(name)?.readOnly)
  const from = done.find(({ before }) => before?.place)?.before?.place
  const put: Put = {
    ...place,
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
    ...(from && { place: from }),
  }
  const to = done.findLast(({ after }) => after.place)?.after.place
  const shownFields = fields.filter(([name, value]) => !means.fieldOf(name)?.required || (value ?? '') !== '')
  const shown = { ...put, ...(put.fields && { fields: Object.fromEntries(shownFields) }) }
  const content: Step[] =
    put.fields || put.place
      ? [{ part: 'content', put, left: { ...left, ...(to && { place: to }) }, shown }]
      : []
  const bin = binStep(place, done)
  if (!bin) return content
  // Only a record outside the bin accepts other puts.
  return bin.put.bin ? [...content, bin] : [bin, ...content]
}

/** The step into the bin or out of it, where the run left the record on the other side. */
function binStep(place: Place, done: Kept[]): Step | undefined {
  const was = done.find(({ before }) => before?.bin !== undefined)?.before?.bin
  const is = done.findLast(({ after }) => after.bin !== undefined)?.after.bin
  return was === undefined || was === is
    ? undefined
    : { part: 'bin', put: { ...place, bin: was }, left: { fields: {} } }
}

/** True when each put found what the one before it had left. */
function isWhole(done: Kept[]): boolean {
  const known: Record<string, string> = {}
  for (const { before, after } of done) {
    const found = Object.entries(before?.fields ?? {})
    if (found.some(([name, value]) => Object.hasOwn(known, name) && known[name] !== fingerprint(value)))
      return false
    Object.assign(known, after.fields)
  }
  return true
}

/**
 * True when a record is as the run left it. A record that the run made must still be hidden, since each is made
 * hidden. A record whose state after the run is unknown counts as changed.
 */
export function isAsLeft({ record, place }: Standing, { part, left }: Step): boolean {
  if (!record) return false
  const names = Object.keys(left.fields)
  const same = names.every((name) => fingerprint(record.fields[name]) === left.fields[name])
  const there = !left.place || fingerprint(place) === fingerprint(left.place)
  return names.length + (left.place ? 1 : 0) > 0 && same && there && (part !== 'record' || record.hidden)
}
