import * as z from 'zod'
import { hash } from '../base/hash.ts'
import { jsonBytes } from '../base/json.ts'
import { redact, redactBeginning } from '../base/safety/redact.ts'
import { differing } from '../cms/change.ts'
import type { Done, PutAnswer, Standing } from '../cms/cms.ts'
import { RecordId } from '../conversation/schema.ts'
import { CallOutcome } from '../conversation/transcript/schema.ts'

/** Describes how an intended write ended: as the consumer gets it, and as its intent stores it. */

/** Returns the schema of one side of a put: the fields that differ, and `Standing` without its record. */
const sideOf = <V>(value: z.ZodType<V>) =>
  z.object({ fields: z.record(z.string(), value).exactOptional() }).loose() as z.ZodType<
    Omit<Standing, 'record'> & { fields?: Record<string, V> }
  >

/** A put that was made, as its intent stores it; the new values are only hashes, for comparison. */
export const Kept = z.object({
  state: z.literal('done'),
  table: z.string(),
  uid: RecordId,
  version: z.string(),
  /** Null if the put created the record. */
  before: sideOf(z.unknown()).nullable(),
  after: sideOf(z.string()),
  /** Fields whose old value is not stored, because it is too long or holds a secret. */
  lost: z.array(z.string()).exactOptional(),
})
export type Kept = z.infer<typeof Kept>

const Refused = z.object({ state: z.literal('refused'), reason: z.string() })
const Called = z.object({
  state: z.literal('called'),
  result: z.object({ text: z.string(), isError: z.boolean(), outcome: CallOutcome }),
})

/** The end of a write, as its intent stores it. */
export const StoredOutcome = z.discriminatedUnion('state', [
  Kept,
  z.object({ state: z.literal('conflict') }),
  z.object({ state: z.literal('void') }),
  Refused,
  Called,
])
export type StoredOutcome = z.infer<typeof StoredOutcome>

/** The end of a write: the answer of the CMS, its refusal, or the result of a remote call. */
export type Outcome = PutAnswer | z.infer<typeof Refused> | z.infer<typeof Called>

/** The maximum size of one value of a record in UTF-8 bytes; all values together may have three times as many. */
export const maxValueBytes = 100_000
const maxBytes = 3 * maxValueBytes

const mark = ' [cut]'

/**
 * Returns the values that a run record may store, as plain JSON. Redacts credentials in every string. Cuts each
 * top-level value to 100 KB and the sum to 300 KB; the table's limit for the item is 400 KB.
 */
export function storable(detail: Record<string, unknown>): Record<string, unknown> {
  let room = maxBytes
  const kept = Object.entries(detail).flatMap(([name, value]): [string, unknown][] => {
    const clean = cut(cleaned(value), Math.min(maxValueBytes, room))
    if (clean === undefined) return []
    room -= jsonBytes(clean)
    return [[name, clean]]
  })
  return Object.fromEntries(kept)
}

/** Returns the value after conversion to JSON and back, with redacted strings; undefined if JSON cannot express it. */
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

/** True if a name is enough to show that its value is a secret: `{ "password": "…" }`. */
function namesSecret(name: string): boolean {
  const probe = `${name}="some-value"`
  return redact(probe) !== probe
}

/** Replaces a value that is too large by the beginning of its text. */
function cut(value: unknown, bytes: number): unknown {
  if (value === undefined || jsonBytes(value) <= bytes) return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  let length = Math.min(text.length, Math.max(0, bytes - mark.length - 2))
  while (length > 0 && jsonBytes(text.slice(0, length) + mark) > bytes) length = Math.floor(length * 0.9)
  return text.slice(0, length).toWellFormed() + mark
}

/** Returns a hash of a field's value, for comparison. */
export const fingerprint = (value: unknown): string => hash(value ?? null)

/**
 * Returns the outcome in its stored form. The present values of the record are not stored, because they can be read
 * again. The old values obey the limits of a run record. A value is stored completely or not at all, because an undo
 * must never restore a cut or redacted value.
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

/** Returns the fields that a put changed; empty if the CMS did not return the record before or after, as in the bin. */
export function changedFields({ before, after }: Done): string[] {
  return after.record && (before === null || before.record) ? differing(before?.record, after.record) : []
}

const beside = ({ record: _, ...members }: Standing) => members
