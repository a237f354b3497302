import * as z from 'zod'
import { NextMessage, Summary } from '../conversation/schema.ts'

/**
 * Answers of the endpoints that start a turn or change a conversation. The memory of a repeated request holds them too.
 * Consumers start turns as well, and load no schema of a request.
 */

/** The conversation as it is after the request. */
export const ConversationAnswer = z.lazy(() => z.object({ conversation: Summary }))
export type ConversationAnswer = z.infer<typeof ConversationAnswer>

/** The conversation, and the sequence of the message that was sent. */
export const SendAnswer = z.lazy(() => z.object({ conversation: Summary, sequence: z.int() }))
export type SendAnswer = z.infer<typeof SendAnswer>

/** The answer to a send, with those turns of the left version that had changed records. */
export const EditAnswer = z.lazy(() =>
  SendAnswer.unwrap().extend({
    droppedRuns: z.array(z.object({ runId: z.string(), changes: z.int() })).exactOptional(),
  }),
)
export type EditAnswer = z.infer<typeof EditAnswer>

/** The conversation, and the messages that wait in it. */
export const NextAnswer = z.lazy(() => z.object({ conversation: Summary, next: z.array(NextMessage) }))
export type NextAnswer = z.infer<typeof NextAnswer>
