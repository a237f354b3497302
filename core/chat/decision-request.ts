import * as z from 'zod'
import { Name, PendingApproval, Summary } from '../conversation/schema.ts'
import { ConversationId, text } from './request.ts'

/** What the endpoints take and answer by which a user decides on what waits for them. */

/** `POST /conversations/approve` */
export const ApproveBody = z.strictObject({
  conversationId: ConversationId,
  digest: z.string().min(1).max(200),
  approve: z.boolean(),
  reason: text(2_000).default(''),
  /** Of what is approved, the ids of the calls that are denied. */
  denied: z.array(z.string().max(300)).max(300).default([]),
})

/** `POST /conversations/answer`: what the user answers to a question; neither choice nor text: they skip it. */
export const AnswerBody = z.strictObject({
  conversationId: ConversationId,
  digest: z.string().min(1).max(200),
  /** Positions of the chosen answers, counted from 0. */
  choices: z.array(z.int().min(0).max(8)).max(9).default([]),
  text: text(2_000).default(''),
})
export type AnswerBody = z.infer<typeof AnswerBody>

/** `POST /conversations/amend`: other words of the user for a field of a pending call. */
export const AmendBody = z.strictObject({
  conversationId: ConversationId,
  digest: z.string().min(1).max(200),
  callId: z.string().min(1).max(300),
  field: Name,
  value: text(20_000),
})
export type AmendBody = z.infer<typeof AmendBody>
/** The conversation, and the proposal with the words of the user and the digest that names it now. */
export const AmendAnswer = z.object({ conversation: Summary, pendingApproval: PendingApproval })
export type AmendAnswer = z.infer<typeof AmendAnswer>
