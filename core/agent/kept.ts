import * as z from 'zod'
import { hash } from '../canonical.ts'
import type { Snapshot } from '../cms/cms.ts'
import { RecordId } from '../conversation/schema.ts'
import type { Outcome } from './run.ts'
import { storable } from './storable.ts'

const Values = z.record(z.string(), z.unknown())
const State = z.object({
  state: z.string(),
  from: z.string().exactOptional(),
  until: z.string().exactOptional(),
})
const Found = z.object({
  fields: Values.exactOptional(),
  state: State.exactOptional(),
  place: z.object({ pid: RecordId, after: RecordId.exactOptional() }).exactOptional(),
  deleted: z.boolean().exactOptional(),
})

/** A write that was done, as its intent keeps it; the values that it left are kept as hashes, for comparison alone. */
export const Kept = z.object({
  state: z.literal('done'),
  table: z.string(),
  uid: RecordId,
  version: z.string(),
  before: Found.nullable().exactOptional(),
  after: Found.extend({ fields: z.record(z.string(), z.string()).exactOptional() }).exactOptional(),
  /** Fields whose value before is not kept, because it is too long or holds a secret. */
  lost: z.array(z.string()).default([]),
})
export type Kept = z.infer<typeof Kept>

/** Stands for a value of a field, so that two can be compared. */
export const fingerprint = (value: unknown): string => hash(value ?? null)

/**
 * The outcome as it is stored. What the record says now is read again when it is needed; of what it said before, the
 * limits of a run's record hold, and nothing is kept in part: a value that was cut or redacted must never come back.
 */
export function kept(outcome: Outcome): object {
  if (outcome.state !== 'done') return outcome
  const { record: _, before, after, ...rest } = outcome
  const { fields: found = {}, ...beside } = before ?? {}
  const stored = Values.parse(JSON.parse(storable(found)))
  const names = Object.keys(found).filter((name) => fingerprint(stored[name]) === fingerprint(found[name]))
  const lost = Object.keys(found).filter((name) => !names.includes(name))
  return {
    ...rest,
    ...(before && {
      before: { ...beside, fields: Object.fromEntries(names.map((name) => [name, stored[name]])) },
    }),
    ...(before === null && { before }),
    ...(after && { after: withFingerprints(after) }),
    ...(lost.length > 0 && { lost }),
  }
}

function withFingerprints({ fields = {}, ...beside }: Snapshot): object {
  const marks = Object.entries(fields).map(([name, value]) => [name, fingerprint(value)])
  return { ...beside, fields: Object.fromEntries(marks) }
}
