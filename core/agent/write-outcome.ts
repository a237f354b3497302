import * as z from 'zod'
import { hash } from '../base/hash.ts'
import { redact, redactBeginning } from '../base/safety/redact.ts'
import type { Done, PutAnswer, Standing } from '../cms/cms.ts'
import { differing } from '../cms/difference.ts'
import { RecordId } from '../conversation/schema.ts'
import { CallOutcome } from '../conversation/transcript/schema.ts'

/** Describes how an intended write ended: as the consumer learns it, and as its intent stores it. */

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
  lost: z.array(z.string()).exactOptional(),
})
export type Kept = z.infer<typeof Kept>

const Refused = z.object({ state: z.literal('refused'), reason: z.string() })
const Called = z.object({
  state: z.literal('called'),
  result: z.object({ text: z.string(), isError: z.boolean(), outcome: CallOutcome }),
})

/** How a write ended, as its intent stores it. */
export const StoredOutcome = z.discriminatedUnion('state', [
  Kept,
  z.object({ state: z.literal('conflict') }),
  z.object({ state: z.literal('void') }),
  Refused,
  Called,
])
export type StoredOutcome = z.infer<typeof StoredOutcome>

/** How a write ended: the answer of the CMS, its refusal, or the result of a call of another server's tool. */
export type Outcome = PutAnswer | z.infer<typeof Refused> | z.infer<typeof Called>

/** One value of a record is at most this long, and all of them together three times that, in bytes of UTF-8. */
export const maxValueBytes = 100_000
const maxBytes = 3 * maxValueBytes

const mark = ' [cut]'

/**
 * The values that a run record may keep, as JSON has them: credentials redacted in every string, each top-level value
 * cut to 100 KB, everything to 300 KB, so that the item stays below the table's 400 KB.
 */
export function storable(detail: Record<string, unknown>): Record<string, unknown> {
  let room = maxBytes
  const kept = Object.entries(detail).flatMap(([name, value]): [string, unknown][] => {
    const clean = cut(cleaned(value), Math.min(maxValueBytes, room))
    if (clean === undefined) return []
    room -= size(clean)
    return [[name, clean]]
  })
  return Object.fromEntries(kept)
}

/** The value as JSON reads it back, with redacted strings; undefined where JSON has nothing for it. */
function cleaned(value: unknown): unknown {
  const telling = new Map<string, boolean>()
  const isTelling = (name: string): boolean => {
    const known = telling.get(name) ?? namesSecret(name)
    telling.set(name, known)
    return known
  }
  const text = JSON.stringify(value, function (this: unknown, name, item: unknown) {
    if (typeof item !== 'string') return item
    return !Array.isArray(this) && isTelling(name) ? '[redacted]' : redactBeginning(item, maxValueBytes)
  })
  return text === undefined ? undefined : JSON.parse(text)
}

/** Only the name of a field may show that its value is a secret: `{ "password": "…" }`. */
function namesSecret(name: string): boolean {
  const probe = `${name}="some-value"`
  return redact(probe) !== probe
}

/** A value that is too large becomes the beginning of its text. */
function cut(value: unknown, bytes: number): unknown {
  if (value === undefined || size(value) <= bytes) return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  let length = Math.min(text.length, Math.max(0, bytes - mark.length - 2))
  while (length > 0 && size(text.slice(0, length) + mark) > bytes) length = Math.floor(length * 0.9)
  return text.slice(0, length).toWellFormed() + mark
}

function size(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

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
  const stored = before ? storable(found) : {}
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
