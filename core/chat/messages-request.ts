import * as z from 'zod'
import { objectOf } from '../base/lazy-schema.ts'
import { Activity, NextMessage, PendingApproval, Progress, Summary } from '../conversation/schema.ts'
import { Message } from '../conversation/transcript/schema.ts'

/** The answer of the poll. It has its own file: no other function loads the schema of a transcript at its start. */

/** Tokens that models read and wrote for a conversation, and their cost; null if the cost is unknown or not shown. */
export const ConversationUsage = objectOf(() => ({
  tokens: z.int(),
  dollars: z.number().nullable(),
  /** True if the settings show the cost, but no call of the conversation had prices. */
  unpriced: z.boolean().optional(),
}))
export type ConversationUsage = z.infer<typeof ConversationUsage>

/** The changes since the version that the client names. */
export const MessagesAnswer = objectOf(() => ({
  conversation: Summary,
  messages: z.array(Message),
  activity: z.array(Activity),
  /** The progress of the running call; null if the call reports none. */
  progress: Progress.nullable(),
  pendingApproval: PendingApproval.nullable(),
  systemPrompt: z.string(),
  /**
   * The messages with more than one version: the number of the shown version, counted from 1, and the number of
   * versions.
   */
  versions: z.array(z.object({ sequence: z.int(), at: z.int(), of: z.int() })),
  /** The messages that wait for the end of the turn, in order. */
  next: z.array(NextMessage),
  /** The usage of the conversation since its start; null if the settings hide it. */
  usage: ConversationUsage.nullable(),
  /** The part of the model's window that the last call used, in percent; 0 before the first call. */
  windowPercent: z.int(),
  /**
   * The time until which the turn waits, because its model's provider takes no more requests now; null if the turn
   * does not wait.
   */
  deferredUntil: z.iso.datetime().nullable(),
  /** The minimum time until the next poll, in milliseconds; null: the usual interval for the status. */
  pollAfterMs: z.int().nullable(),
  unchanged: z.boolean(),
  reset: z.boolean(),
  more: z.boolean(),
}))
export type MessagesAnswer = z.infer<typeof MessagesAnswer>
