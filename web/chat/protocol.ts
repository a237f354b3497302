import type { StatusAnswer as CoreStatus } from '../../core/chat/request.ts'
import type { Activity, NextMessage, PendingApproval, Summary } from '../../core/conversation/schema.ts'
import type { Message } from '../../core/transcript/schema.ts'

/** What the stage answers, as far as the interface reads it. */

/** Who is logged in, and the token that changing requests carry. */
export type SessionAnswer = {
  user: { uid: number; username: string; name: string; isAdmin: boolean; groups: number[]; lang: string }
  csrfToken: string
}

/** A tool, with its words in the language of the interface. */
export type ToolStatus = CoreStatus['tools'][number]

export type StatusAnswer = {
  available: boolean
  issues: { code: string; message: string }[]
  provider: { name: string; model: string; isAI: boolean }
  supportedFormats: string[]
  accept: string
  maxFileSize: number
  maxFilesPerConversation: number
  maxMessageLength: number
  maxSystemPromptLength: number
  pollIntervalMs: number
  activeConversations: number
  maxActiveConversations: number | null
  tools: ToolStatus[]
  usage: { todayTokens: number; dailyTokens: number | null }
}

export type ListAnswer = { conversations: Summary[]; nextCursor: string | null }

/** Answer of the poll. With `unchanged` everything but `activity` may be empty. */
export type MessagesAnswer = {
  conversation: Summary
  messages: Message[]
  activity: Activity[]
  pendingApproval: PendingApproval | null
  systemPrompt: string
  /** The messages that wait for the end of the turn, in their order. */
  next: NextMessage[]
  unchanged: boolean
  reset: boolean
  more: boolean
}

export type SendAnswer = {
  conversation: Summary
  sequence: number
  droppedRuns?: { runId: string; changes: number }[]
}

export type ConversationAnswer = { conversation: Summary }

export type UndoAnswer = {
  undone: { table: string; uid: number }[]
  conflicts: { table: string; uid: number; reason: string }[]
}

/** A file that the stage holds for the user. */
export type StoredFile = { fileUid: number; name: string; mimeType: string; size: number }
export type DirectUpload = { fileUid: number; upload: { url: string; fields: Record<string, string> } }
export type FileInfo = StoredFile & { url: string }

export type ErrorBody = {
  error: {
    code: string
    message: string
    requestId?: string
    retryAfterMs?: number
    fields?: Record<string, string>
  }
}
