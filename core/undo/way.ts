import { fingerprint, type Kept } from '../agent/kept.ts'
import type { Place, Snapshot, Write } from '../cms/cms.ts'
import type { CmsRecord } from '../cms/schema.ts'

/** What one write takes back; what of a record that is depends on the writes of the run. */
export type Part = 'record' | 'fields' | 'state' | 'place' | 'bin'

/** One write that takes something back, and what the run had left there. */
export type Step = { part: Part; back: Write; left: Left }

/** What the run left: values as fingerprints, or the write that leaves the same. */
export type Left = { fields?: Record<string, string>; again?: Write }

/** Why a record is left as it is. */
export type Obstacle = 'missing' | 'touched' | 'unknown' | 'lasting'

/**
 * The writes that take back what a run did to one record, the newest part first; `done` are its writes there, the oldest
 * first. `unknown`: what was there before is not kept. `lasting`: the CMS deletes nothing.
 */
export function wayBack(place: Place, done: Kept[], mayRemove: boolean): Step[] | Obstacle {
  const [first] = done
  if (first?.before === null) {
    if (done.at(-1)?.after?.deleted) return []
    const left = { fields: Object.assign({}, ...done.map(({ after }) => after?.fields ?? {})) }
    return mayRemove ? [{ part: 'record', back: { kind: 'remove', ...place }, left }] : 'lasting'
  }
  if (done.some(({ before, lost }) => !before || lost.length > 0)) return 'unknown'
  if (!isWhole(done)) return 'touched'
  const parts = new Map<Part, Step>()
  for (const it of done.toReversed())
    for (const part of ['place', 'state', 'fields'] as const) {
      const step = stepOf(place, part, it.before ?? {}, it.after)
      if (step) parts.set(part, both(parts.get(part), step))
    }
  const bin = ofBin(place, done)
  // Nothing else can be put back as long as the record is in the bin.
  return bin?.back.kind === 'delete' ? [...parts.values(), bin] : [...(bin ? [bin] : []), ...parts.values()]
}

/** The step into the bin or out of it, where the run left the record on the other side. */
function ofBin(place: Place, done: Kept[]): Step | undefined {
  const was = done.find(({ before }) => before?.deleted !== undefined)?.before?.deleted
  const is = done.findLast(({ after }) => after?.deleted !== undefined)?.after?.deleted
  if (was === is) return undefined
  return { part: 'bin', back: { kind: was ? 'delete' : 'undelete', ...place }, left: {} }
}

/** True when each write found what the one before it had left. */
function isWhole(done: Kept[]): boolean {
  const known: Record<string, string> = {}
  for (const { before, after } of done) {
    const found = Object.entries(before?.fields ?? {})
    if (found.some(([name, value]) => name in known && known[name] !== fingerprint(value))) return false
    Object.assign(known, after?.fields)
  }
  return true
}

function stepOf(
  { table, uid }: Place,
  part: Exclude<Part, 'record' | 'bin'>,
  before: Snapshot,
  after: Kept['after'] = {},
): Step | undefined {
  const { fields = {}, state, place } = before
  if (part === 'fields')
    return Object.keys(fields).length === 0
      ? undefined
      : { part, back: { kind: 'update', table, uid, fields }, left: { fields: after.fields ?? {} } }
  if (part === 'state')
    return (
      state && {
        part,
        back: { kind: 'state', table, uid, ...state },
        left: after.state ? { again: { kind: 'state', table, uid, ...after.state } } : {},
      }
    )
  return (
    place && {
      part,
      back: { kind: 'move', table, uid, ...place },
      left: after.place ? { again: { kind: 'move', table, uid, ...after.place } } : {},
    }
  )
}

/** One step for two: back to what the earlier write found, from what the later one left. */
function both(later: Step | undefined, earlier: Step): Step {
  if (!later) return earlier
  const { back, left } = earlier
  if (back.kind !== 'update' || later.back.kind !== 'update') return { ...earlier, left: later.left }
  return {
    ...earlier,
    back: { ...back, fields: { ...later.back.fields, ...back.fields } },
    left: { fields: { ...left.fields, ...later.left.fields } },
  }
}

/**
 * True when the fields of a record are as the run left them. A record that the run made has to be hidden still, since
 * each is made so; one of which it is not known what was left is taken for changed.
 */
export function isAsLeft(record: CmsRecord, { part, left: { fields, again } }: Step): boolean {
  if (again) return true
  const names = Object.keys(fields ?? {})
  const same = names.every((name) => fingerprint(record.fields[name]) === fields?.[name])
  return names.length > 0 && same && (part !== 'record' || record.hidden)
}
