import * as z from 'zod'
import { Feedback, maxFeedbackWords, Reason, Verdict } from '../feedback/schema.ts'
import { ConversationId } from './request.ts'

const runId = z.string().min(1).max(64)

/** `GET /conversations/feedback` */
export const FeedbackQuery = z.strictObject({ conversationId: ConversationId, runId })
/** `POST /conversations/feedback`: in the place of what the user said before; a null `verdict` takes it back. */
export const FeedbackBody = z.strictObject({
  conversationId: ConversationId,
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
