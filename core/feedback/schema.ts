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

const runId = z.string().min(1).max(64)
/** What is no id is not found, like one of another user. */
const conversationId = z.string().min(1).max(200)

/** What a user says about the answer of a run. */
export const Feedback = z.object({ verdict: Verdict, reason: Reason.nullable(), words: z.string() })
export type Feedback = z.infer<typeof Feedback>

/** `GET /conversations/feedback` */
export const FeedbackQuery = z.strictObject({ conversationId, runId })
/** `POST /conversations/feedback`: in the place of what the user said before; a null `verdict` takes it back. */
export const FeedbackBody = z.strictObject({
  conversationId,
  runId,
  verdict: Verdict.nullable(),
  reason: Reason.nullable().default(null),
  words: z
    .string()
    .trim()
    .refine((text) => [...text].length <= maxFeedbackWords, `at most ${maxFeedbackWords} characters`)
    .default(''),
})
/** What the user says about the answer; null: nothing. */
export const FeedbackAnswer = z.object({ feedback: Feedback.nullable() })
export type FeedbackAnswer = z.infer<typeof FeedbackAnswer>
