import type { MessagesAnswer } from '../../../core/chat/messages-request.ts'
import type { Summary } from '../../../core/conversation/schema.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'

/** Builders of what the stage answers, for tests of the interface. */

export const conversationId = '2-01jd0000000000000000000000'

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 14, 0, second)).toISOString()

export function summary(over: Partial<Summary> = {}): Summary {
  return {
    id: conversationId,
    title: 'Price of the lamp',
    status: 'idle',
    messageCount: 0,
    version: 1,
    pinned: false,
    archived: false,
    errorMessage: null,
    errorCode: null,
    createdAt: at(0),
    updatedAt: at(0),
    ...over,
  }
}

export function user(sequence: number, content: string, over: Partial<Message> = {}): Message {
  return { sequence, role: 'user', content, createdAt: at(sequence), ...over }
}

export function assistant(sequence: number, content: string, over: Partial<Message> = {}): Message {
  return { sequence, role: 'assistant', content, createdAt: at(sequence), runId: 'run', ...over }
}

/** An assistant row that calls one tool. */
export function calling(
  sequence: number,
  id: string,
  name: string,
  args: Record<string, unknown>,
  over: Partial<Message> = {},
): Message {
  return assistant(sequence, '', { toolCalls: [{ id, name, arguments: args }], ...over })
}

export function result(
  sequence: number,
  toolCallId: string,
  content: string,
  over: Partial<Message> = {},
): Message {
  return { sequence, role: 'tool', content, createdAt: at(sequence), toolCallId, runId: 'run', ...over }
}

export function answer(over: Partial<MessagesAnswer> = {}): MessagesAnswer {
  return {
    conversation: summary(),
    messages: [],
    activity: [],
    progress: null,
    pendingApproval: null,
    systemPrompt: '',
    versions: [],
    next: [],
    usage: null,
    windowPercent: 0,
    deferredUntil: null,
    pollAfterMs: null,
    unchanged: false,
    reset: false,
    more: false,
    ...over,
  }
}
