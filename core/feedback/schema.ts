import * as z from 'zod'

/** What a user thinks of an answer. */
export const Verdict = z.enum(['helpful', 'notHelpful'])
export type Verdict = z.infer<typeof Verdict>

/** Why an answer did not help; `other` for all else, which the words may say. */
export const reasons = ['wrong', 'incomplete', 'notAsked', 'tooLong', 'tooSlow', 'other'] as const
/** One of them. */
export const Reason = z.enum(reasons)
export type Reason = z.infer<typeof Reason>

/** How many characters a user may add in words. */
export const maxFeedbackWords = 500

/** What a user says about the answer of a run. */
export const Feedback = z.object({ verdict: Verdict, reason: Reason.nullable(), words: z.string() })
export type Feedback = z.infer<typeof Feedback>
