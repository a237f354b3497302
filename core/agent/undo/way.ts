import type { Place, Put, Standing } from '../../cms/cms.ts'
import type { Field } from '../../cms/schema.ts'
import { fingerprint, type Kept } from '../write-outcome.ts'

/**
 * The part of an undo that one put does. `record` removes a new record, `content` restores fields and position, `bin`
 * moves into or out of the bin.
 */
export type Part = 'record' | 'content' | 'bin'

/** One step of an undo: the put to make, and the state in which the run left the record. */
export type Step = {
  part: Part
  put: Put
  left: Left
  /** The put for the preview, if it differs: without values that the CMS takes only from an undo. */
  shown?: Put
}

/** The state in which the run left the record: hashes of values, and the position. */
export type Left = { fields: Record<string, string>; place?: Standing['place'] }

/** The reasons why an undo leaves a record unchanged. */
export type Obstacle = 'missing' | 'touched' | 'unknown' | 'lasting' | 'unanswered'

/** The changes that the CMS allows in the table of a record. */
export type Means = {
  mayRemove: boolean
  fieldOf(name: string): Pick<Field, 'readOnly' | 'required' | 'options'> | undefined
}

/**
 * Returns the puts that undo the run's changes of one record, in the order in which to make them. `done` has the run's
 * puts, oldest first. Returns an obstacle if the changes cannot be undone. `unknown`: the earlier state is not stored.
 * `lasting`: the CMS cannot remove records of this table. `touched`: somebody else changed the record between the puts.
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
  const shownFields = fields.filter(([name, value]) => isShowable(value, means.fieldOf(name)))
  const shown = { ...put, ...(put.fields && { fields: Object.fromEntries(shownFields) }) }
  const content: Step[] =
    put.fields || put.place
      ? [{ part: 'content', put, left: { ...left, ...(to && { place: to }) }, shown }]
      : []
  const bin = binStep(place, done)
  if (!bin) return content.length === 0 && Object.keys(found).length > 0 ? 'unknown' : content
  // The CMS accepts other puts only for a record outside the bin.
  return bin.put.bin ? [...content, bin] : [bin, ...content]
}

/** True if the CMS takes a value also in a preview: no empty one of a required field, and none outside its options. */
function isShowable(value: unknown, field: ReturnType<Means['fieldOf']>): boolean {
  if ((value ?? '') === '') return !field?.required
  return !field?.options || [value].flat().every((one) => field.options?.includes(one as string))
}

/** Returns the step into or out of the bin; undefined if the run left the record where it was. */
function binStep(place: Place, done: Kept[]): Step | undefined {
  const was = done.find(({ before }) => before?.bin !== undefined)?.before?.bin
  const is = done.findLast(({ after }) => after.bin !== undefined)?.after.bin
  return was === undefined || was === is
    ? undefined
    : { part: 'bin', put: { ...place, bin: was }, left: { fields: {} } }
}

/** True if each put found the values that the earlier puts had left. */
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
 * Returns true if a record is as the run left it. A record that the run created must still be hidden, because all new
 * records are. A record whose state after the run is unknown counts as changed.
 */
export function isAsLeft({ record, place }: Standing, { part, left }: Step): boolean {
  if (!record) return false
  const names = Object.keys(left.fields)
  const same = names.every((name) => fingerprint(record.fields[name]) === left.fields[name])
  const there = !left.place || fingerprint(place) === fingerprint(left.place)
  return names.length + (left.place ? 1 : 0) > 0 && same && there && (part !== 'record' || record.hidden)
}
