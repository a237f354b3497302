import type { RecordId } from '../../core/conversation/schema.ts'

/** The open page and module beside the chat: the later `viewContext`, with a label for the chip. */
export type OpenPlace = {
  /** The id of the page or record; 0: a module without one. */
  pageId: RecordId
  /** The type of the record, if it is no page. */
  table?: string
  /** The module's identifier, as the prompt names it: `^[A-Za-z0-9_./-]{0,64}$`. */
  module: string
  /** The label of the chip: the page's title, or the module's if there is no page. */
  title: string
  /** The user's right to change the page's content; absent: not known. */
  mayEdit?: boolean
}

/** A record or page to open; `page` is where the record lies, when known. */
export type NavigateDetail = { table: string; uid: RecordId; page?: RecordId }
export type OpenModuleDetail = { conversationId: string | null }
/** `height` in CSS pixels; 0 when closed. */
export type ToggleDetail = { open: boolean; height: number; size: 'bar' | 'half' | 'full' | 'custom' }
/** Records that the chat changed, by an approved write or by taking one back: what the page shows of them is old. */
export type ChangedDetail = { records: { table: string; uid: RecordId }[] }
/** Conversations in which the assistant works, and those that wait for a decision of the user. */
export type BusyDetail = { count: number; waiting: number }
/** The user's right to use the chat here. */
export type AccessDetail = { allowed: boolean }
export type ConversationDetail = { conversationId: string | null }

/** The events of both elements; all bubble and leave the shadow root. */
export type ChatEvents = {
  'ai-chat-navigate': NavigateDetail
  'ai-chat-open-module': OpenModuleDetail
  'ai-chat-toggle': ToggleDetail
  'ai-chat-busy': BusyDetail
  'ai-chat-changed': ChangedDetail
  'ai-chat-conversation': ConversationDetail
  'ai-chat-access': AccessDetail
  'ai-chat-session-expired': null
}

/** Sends an event of the chat to the page around it; false when a listener prevented its default. */
export function sendChatEvent<N extends keyof ChatEvents>(
  from: EventTarget,
  name: N,
  detail: ChatEvents[N],
): boolean {
  return from.dispatchEvent(
    new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }),
  )
}

type ChatEventMap = { [N in keyof ChatEvents]: CustomEvent<ChatEvents[N]> }

declare global {
  interface HTMLElementEventMap extends ChatEventMap {}
}
