import * as z from 'zod'
import { Activity, NextMessage, PendingApproval, Progress, Summary } from '../conversation/schema.ts'
import { Message } from '../conversation/transcript/schema.ts'

/** The answer of the poll; a file of its own, because no other function loads the shape of a transcript at its start. */

/** Tokens that models read and wrote for a conversation, and their cost; null where it is not known or not shown. */
export const ConversationUsage = z.lazy(() =>
  z.object({
    tokens: z.int(),
    dollars: z.number().nullable(),
    /** The cost would be shown, but no call of the conversation had prices. */
    unpriced: z.boolean().optional(),
  }),
)
export type ConversationUsage = z.infer<typeof ConversationUsage>

/** The news since the version that the client names. */
export const MessagesAnswer = z.lazy(() =>
  z.object({
    conversation: Summary,
    messages: z.array(Message),
    activity: z.array(Activity),
    /** The progress of the running call that reads much; null if none reports it. */
    progress: Progress.nullable(),
    pendingApproval: PendingApproval.nullable(),
    systemPrompt: z.string(),
    /** The messages with more than one version: the number of the one shown, counted from 1, and the number of all. */
    versions: z.array(z.object({ sequence: z.int(), at: z.int(), of: z.int() })),
    /** The messages that wait for the end of the turn, in their order. */
    next: z.array(NextMessage),
    /** The usage of the conversation since it began; null where the settings do not show it. */
    usage: ConversationUsage.nullable(),
    /** The used part of the model's window in its last call, in percent; 0 before the first. */
    windowPercent: z.int(),
    /** The turn waits until then, because the provider of its model takes no more requests now; null where it does not. */
    deferredUntil: z.iso.datetime().nullable(),
    /** The least milliseconds until the next poll; null where the interval of the status holds. */
    pollAfterMs: z.int().nullable(),
    unchanged: z.boolean(),
    reset: z.boolean(),
    more: z.boolean(),
  }),
)
export type MessagesAnswer = z.infer<typeof MessagesAnswer>
