import * as z from 'zod'
import { hash } from '../base/canonical.ts'
import type { Done, Standing } from '../cms/cms.ts'
import { differing } from '../cms/difference.ts'
import { RecordId } from '../conversation/schema.ts'
import type { Outcome } from './run-record.ts'
import { storable } from './storable.ts'

const Values = z.record(z.string(), z.unknown())
/** One side of a put: the fields that differ, and the place and the bin where the put is about them. */
const Side = z.object({
  fields: Values.exactOptional(),
  place: z.object({ pid: RecordId, after: RecordId.exactOptional() }).exactOptional(),
  bin: z.boolean().exactOptional(),
})

/** A put that was made, as its intent keeps it; the values that it left are kept as hashes, for comparison alone. */
export const Kept = z.object({
  state: z.literal('done'),
  table: z.string(),
  uid: RecordId,
  version: z.string(),
  /** Null: it made the record. */
  before: Side.nullable(),
  after: Side.extend({ fields: z.record(z.string(), z.string()).exactOptional() }),
  /** Fields whose value before is not kept, because it is too long or holds a secret. */
  lost: z.array(z.string()).default([]),
})
export type Kept = z.infer<typeof Kept>

/** Stands for a value of a field, so that two can be compared. */
export const fingerprint = (value: unknown): string => hash(value ?? null)

/**
 * The outcome as it is stored. The current values of the record are not kept: they are read again when needed. Values
 * from before obey the limits of a run's record. A value is kept whole or not at all: a cut or redacted value must
 * never come back.
 */
export function kept(outcome: Outcome): object {
  if (outcome.state !== 'done') return outcome
  const { state, table, uid, version, before, after } = outcome
  const changed = changedFields(outcome)
  const found = Object.fromEntries(changed.map((name) => [name, before?.record?.fields[name] ?? null]))
  const stored = before ? Values.parse(JSON.parse(storable(found))) : {}
  const names = changed.filter((name) => fingerprint(stored[name]) === fingerprint(found[name]))
  const lost = before ? changed.filter((name) => !names.includes(name)) : []
  const left = changed.map((name) => [name, fingerprint(after.record?.fields[name])])
  return {
    ...{ state, table, uid, version },
    before: before && {
      fields: Object.fromEntries(names.map((name) => [name, stored[name]])),
      ...beside(before),
    },
    after: { fields: Object.fromEntries(left), ...beside(after) },
    ...(lost.length > 0 && { lost }),
  }
}

/** The fields that a put changed; of a record that it takes out of sight, none. */
export function changedFields({ before, after }: Done): string[] {
  return after.record && (before === null || before.record) ? differing(before?.record, after.record) : []
}

const beside = ({ place, bin }: Standing) => ({ ...(place && { place }), ...(bin !== undefined && { bin }) })
