import * as z from 'zod'

/** Days that one report may have; sums are kept for 90. */
const mostDays = 92
const dayMs = 86_400_000

/** Days in UTC, `YYYY-MM-DD`, both included. */
export const Days = z
  .strictObject({ from: z.iso.date(), to: z.iso.date() })
  .refine(({ from, to }) => from <= to && Date.parse(to) - Date.parse(from) < mostDays * dayMs, {
    error: `has to be 1 to ${mostDays} days, the first one first`,
    path: ['to'],
  })
export type Days = z.infer<typeof Days>

/** Sums as readers get them. */
export const UsageSum = z.object({
  /** A turn counts on the day and for the model of its first call. */
  turns: z.int(),
  /** Ends of turns that were failures. */
  failed: z.int(),
  /** Calls of models. */
  calls: z.int(),
  /** Tokens that models read, those of the cache included. */
  input: z.int(),
  /** Tokens that models wrote, their thoughts included. */
  output: z.int(),
  /** Of `input`: read from the cache. */
  cacheRead: z.int(),
  /** Of `input`: written to the cache. */
  cacheWrite: z.int(),
  /** What the calls cost, at the prices that the settings had then; null where no model had prices. */
  dollars: z.number().nullable(),
})
export type UsageSum = z.infer<typeof UsageSum>

/**
 * The sums of one user, group, model or day. `key`: uid, name of a group, id of a model, day; empty for users without a
 * group, and for turns that failed before a model was chosen. `name`: as people know it, null for a user who is gone.
 */
export const UsageLine = UsageSum.extend({ key: z.string(), name: z.string().nullable() })
export type UsageLine = z.infer<typeof UsageLine>

/** `GET /backend/usage` */
export const UsageAnswer = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  /** The first day that is counted; later than `from` where the days hold more than one answer takes. */
  since: z.iso.date(),
  total: UsageSum,
  byUser: z.array(UsageLine),
  /** A user of several groups is counted in each. */
  byGroup: z.array(UsageLine),
  byModel: z.array(UsageLine),
  byDay: z.array(UsageLine),
})
export type UsageAnswer = z.infer<typeof UsageAnswer>
