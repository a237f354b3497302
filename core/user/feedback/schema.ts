import * as z from 'zod'

/** A user's verdict on an answer. */
export const Verdict = z.enum(['helpful', 'notHelpful'])
export type Verdict = z.infer<typeof Verdict>

/** The reasons why an answer did not help; `other` may be explained in words. */
export const feedbackReasons = ['wrong', 'incomplete', 'notAsked', 'tooLong', 'tooSlow', 'other'] as const
/** One of them. */
export const Reason = z.enum(feedbackReasons)
export type Reason = z.infer<typeof Reason>

/** The most characters of a user's own words. */
export const maxFeedbackWords = 500

/** A user's feedback on the answer of a run. */
export const Feedback = z.lazy(() =>
  z.object({ verdict: Verdict, reason: Reason.nullable(), words: z.string() }),
)
export type Feedback = z.infer<typeof Feedback>
