import { LitElement } from 'lit'
import type { OpenPlace } from './events.ts'

/**
 * What module and panel share: where the stage is, who asks, which conversation is open.
 *
 * @attr {string} api - origin of the stage; the origin of the script where absent
 * @attr {string} lang - language of the interface (`en`, `de`); the user's own where absent
 * @attr {string} conversation-id - the open conversation; absent: the one shown last, or a new one
 * @attr {string} conversation-href - address of a conversation in the page, `{id}` is replaced
 * @attr {string} record-href - address of a record in the page, `{table}` and `{uid}` are replaced
 * @prop {string | null} token - Bearer token from `/backend/exchange`; null: the session's cookie
 * @prop {OpenPlace | null} context - the open page and module, as `viewContext` will send it; null: none
 * @fires ai-chat-conversation - `{ conversationId }` when another one is open, null for a new one
 * @fires ai-chat-navigate - `{ table, uid, page? }` when the user wants a record; prevent the default to handle it
 * @fires ai-chat-busy - `{ count }` when the number of busy conversations changes
 * @fires ai-chat-session-expired - the session ended; log in, then call `resume()`
 */
export class ChatElement extends LitElement {
  static override properties = {
    api: { type: String },
    lang: { type: String },
    conversationId: { type: String, attribute: 'conversation-id' },
    conversationHref: { type: String, attribute: 'conversation-href' },
    recordHref: { type: String, attribute: 'record-href' },
    token: { attribute: false },
    context: { attribute: false },
  }
  declare api: string
  declare conversationId: string | null
  declare conversationHref: string
  declare recordHref: string
  declare token: string | null
  declare context: OpenPlace | null

  constructor() {
    super()
    this.api = ''
    this.conversationId = null
    this.conversationHref = '?conversation={id}'
    this.recordHref = '?table={table}&uid={uid}'
    this.token = null
    this.context = null
  }

  /** Goes on after a new login: nothing typed was lost, and what was not sent goes out. */
  async resume(): Promise<void> {}

  /** Wipes drafts, panel state and everything in memory; for logout. */
  forget(): void {}
}
