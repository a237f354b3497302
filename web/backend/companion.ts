import type { ReactiveControllerHost } from 'lit'
import type {
  BusyDetail,
  ConversationDetail,
  NavigateDetail,
  OpenModuleDetail,
  ToggleDetail,
} from '../chat/events.ts'
import type { BackendPlace } from './route.ts'

type Chat = HTMLElementTagNameMap['ai-chat-panel'] | HTMLElementTagNameMap['ai-chat-module']

/** The requests that the chat can make to the shell around it. */
type Shell = {
  place(): BackendPlace
  /** `isNew`: false replaces the address instead of adding one. */
  go(place: BackendPlace, isNew?: boolean): void
  /** Records may have changed. */
  refresh(): void
}

/** The chat beside the modules, as the shell sees it: the events that it sends, and the properties that it gets. */
export class Companion {
  /** Conversations in which the assistant is working. */
  busy = 0
  /** Conversations that wait for a decision of the user. */
  waiting = 0
  /** Turns that have ended since the page was last seen. */
  unseen = 0
  panel: Pick<ToggleDetail, 'open' | 'size'> = { open: false, size: 'half' }
  /** The conversation that panel or module showed last. */
  conversationId: string | null = null
  readonly #host: ReactiveControllerHost & HTMLElement
  readonly #shell: Shell

  constructor(host: ReactiveControllerHost & HTMLElement, shell: Shell) {
    this.#host = host
    this.#shell = shell
    host.addEventListener('ai-chat-busy', ({ detail }) => this.#count(detail))
    host.addEventListener('ai-chat-changed', () => shell.refresh())
    host.addEventListener('ai-chat-toggle', ({ detail }) => this.#toggled(detail))
    host.addEventListener('ai-chat-open-module', ({ detail }) => this.#openModule(detail))
    host.addEventListener('ai-chat-conversation', this.#conversation)
    host.addEventListener('ai-chat-navigate', this.#navigate)
    host.addEventListener('backend-ask', ({ detail }) => this.#panel()?.mention(detail))
  }

  toggle(): void {
    this.#panel()?.toggle()
  }

  /** Closes the panel: the module shows the same conversation, and a proposal would stand there twice. */
  close(): void {
    this.#panel()?.toggle(false)
  }

  /** Resumes after a new login, if the session had ended. */
  async resume(): Promise<void> {
    await Promise.all(this.#elements().map((chat) => chat.resume()))
  }

  /** Leaves nothing of the user in memory. */
  forget(): void {
    for (const chat of this.#elements()) chat.forget()
  }

  /** A turn that has ended may have changed what the frame shows. */
  #count({ count: busy, waiting }: BusyDetail): void {
    if (busy < this.busy) this.#shell.refresh()
    if (document.hidden) this.unseen += Math.max(0, this.busy - busy)
    this.busy = busy
    this.waiting = waiting
    this.#host.requestUpdate()
  }

  /** The page is seen again, and with it whatever has ended. */
  see(): void {
    if (document.hidden || this.unseen === 0) return
    this.unseen = 0
    this.#host.requestUpdate()
  }

  #toggled({ open, size }: ToggleDetail): void {
    const { activeElement } = document
    const hadFocus = this.panel.open && (activeElement === document.body || activeElement === this.#panel())
    this.panel = { open, size }
    this.#host.requestUpdate()
    if (!open && hadFocus) this.#host.querySelector<HTMLElement>('#chat-button')?.focus()
  }

  #openModule({ conversationId }: OpenModuleDetail): void {
    this.close()
    this.#shell.go({ module: 'chat', conversationId })
  }

  #conversation = (event: CustomEvent<ConversationDetail>): void => {
    const { conversationId } = event.detail
    this.conversationId = conversationId
    this.#host.requestUpdate()
    const place = this.#shell.place()
    if (place.module !== 'chat' || event.target === this.#panel()) return
    if (conversationId !== place.conversationId)
      this.#shell.go({ module: 'chat', conversationId }, place.conversationId !== null)
  }

  #navigate = (event: CustomEvent<NavigateDetail>): void => {
    event.preventDefault()
    const { table, uid } = event.detail
    this.#shell.refresh()
    if (table === 'pages') this.#shell.go({ module: 'page', page: uid, isEditing: false })
    else this.#shell.go({ module: 'record', table, uid })
  }

  #panel(): HTMLElementTagNameMap['ai-chat-panel'] | null {
    return this.#host.querySelector('ai-chat-panel')
  }

  #elements(): Chat[] {
    return [this.#panel(), this.#host.querySelector('ai-chat-module')].filter((chat) => chat !== null)
  }
}
