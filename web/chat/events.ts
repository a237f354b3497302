import type { RecordId } from '../../core/conversation/schema.ts'

/** The page and module that are open beside the chat, sent as `viewContext`. The chat shows `title` as their label. */
export type OpenPlace = {
  /** The id of the page or record; 0 for a module without a page. */
  pageId: RecordId
  /** The type of the record, if it is not a page. */
  table?: string
  /** The module's identifier in the prompt: `^[A-Za-z0-9_./-]{0,64}$`. */
  module: string
  /** The title of the page, or of the module if there is no page; `…` while it is not known. */
  title: string
  /** The user's right to change the page's content; absent if unknown. */
  mayEdit?: boolean
}

/** A record or page to open; `page` is the record's page, if it is known. */
export type NavigateDetail = { table: string; uid: RecordId; page?: RecordId }
export type OpenModuleDetail = { conversationId: string | null }
/** The state of the panel; `height` is in CSS pixels, 0 when closed. */
export type ToggleDetail = { open: boolean; height: number; size: 'bar' | 'half' | 'full' | 'custom' }
/** The records that the chat changed, by an approved write or by an undo; a page that shows them is out of date. */
export type ChangedDetail = { records: { table: string; uid: RecordId }[] }
/**
 * The number of conversations in which the assistant works, and of conversations that wait for a decision of the user.
 */
export type BusyDetail = { count: number; waiting: number }
/** The user's right to use the chat here. */
export type AccessDetail = { allowed: boolean }
export type ConversationDetail = { conversationId: string | null }

/** The events of both elements; all of them bubble and leave the shadow root. */
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

/** Sends an event of the chat to the page; returns false if a listener prevented its default. */
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
