import * as z from 'zod'
import type { PutAnswer } from '../cms/cms.ts'
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
