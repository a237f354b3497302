import * as z from 'zod'

/** Limit of the days in one report; sums are kept for 90 days. */
const mostDays = 92
const dayMs = 86_400_000

/** A range of UTC days, `YYYY-MM-DD`, both ends included. */
export const Days = z
  .strictObject({ from: z.iso.date(), to: z.iso.date() })
  .refine(({ from, to }) => from <= to && Date.parse(to) - Date.parse(from) < mostDays * dayMs, {
    error: `has to be 1 to ${mostDays} days, the first one first`,
    path: ['to'],
  })
export type Days = z.infer<typeof Days>

/** The sums in a report. */
export const UsageSum = z.object({
  /** Number of turns; a turn counts on the day and for the model of its first call. */
  turns: z.int(),
  /** Number of turns that failed. */
  failed: z.int(),
  /** Calls of models. */
  calls: z.int(),
  /** Tokens that models read, cache reads and writes included. */
  input: z.int(),
  /** Tokens that models wrote, thinking included. */
  output: z.int(),
  /** The part of `input` that came from the cache. */
  cacheRead: z.int(),
  /** The part of `input` that was written to the cache. */
  cacheWrite: z.int(),
  /** Cost of the calls, at the prices in the settings of that time; null if no model had prices. */
  dollars: z.number().nullable(),
})
export type UsageSum = z.infer<typeof UsageSum>

/**
 * The sums of one user, group, model or day. `key` is a uid, name of a group, id of a model or day. It is empty for
 * users without a group, and for turns that failed before the choice of a model. `name` is the display name, null for
 * a user who is gone.
 */
export const UsageLine = UsageSum.extend({ key: z.string(), name: z.string().nullable() })
export type UsageLine = z.infer<typeof UsageLine>

/** `GET /backend/usage` */
export const UsageAnswer = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  /** The first day in the sums; later than `from` if the days are too many for one report. */
  since: z.iso.date(),
  total: UsageSum,
  /** Tokens that the stage, and each user, may use in a day; null: no limit. */
  budget: z.object({ stage: z.int().nullable(), user: z.int().nullable() }),
  /** Models whose calls had no prices; the costs do not include these calls. */
  unpriced: z.array(z.string()),
  byUser: z.array(UsageLine),
  /** Sums by group; a user of several groups counts in each. */
  byGroup: z.array(UsageLine),
  byModel: z.array(UsageLine),
  byDay: z.array(UsageLine),
})
export type UsageAnswer = z.infer<typeof UsageAnswer>

/** `GET /usage`: the same report for the caller only; null if the settings show no usage to users. */
export const OwnUsageAnswer = z.object({
  usage: UsageAnswer.omit({ byUser: true, byGroup: true }).nullable(),
})
export type OwnUsageAnswer = z.infer<typeof OwnUsageAnswer>
