import * as z from 'zod'
import { hash } from '../base/hash.ts'
import type { Done, Standing } from '../cms/cms.ts'
import { differing } from '../cms/difference.ts'
import { storable } from './storable.ts'
import type { Outcome, StoredOutcome } from './write-outcome.ts'

const Values = z.record(z.string(), z.unknown())

/** Stands for a value of a field, so that two can be compared. */
export const fingerprint = (value: unknown): string => hash(value ?? null)

/**
 * The outcome as it is stored. The current values of the record are not kept: they are read again when needed. Values
 * from before obey the limits of a run's record. A value is kept whole or not at all: a cut or redacted value must
 * never come back.
 */
export function kept(outcome: Outcome): StoredOutcome {
  if (outcome.state !== 'done') return outcome
  const { state, table, uid, version, before, after } = outcome
  if (uid === null) throw new Error('A put that was made names its record')
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
