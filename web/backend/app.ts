import { html, nothing } from 'lit'
import type { SessionAnswer } from '../../core/user/session/schema.ts'
import { Api } from './backend-api.ts'
import { restoreTheme } from './frame.ts'
import type { BackendRelogin } from './login-page.ts'
import { LightElement, reactive, refusalView } from './module-element.ts'
import { drafts } from './record-field.ts'
import type { BackendShell } from './shell.ts'
import { preferred, speak } from './text.ts'
import '../chat/main.ts'
import './login-page.ts'
import './shell.ts'

/**
 * The prefix of the chat's keys in the browser's storage. A logout removes all of them, so that the next user of the
 * browser sees no chat of this user.
 */
const chatKeys = 'aic:'

/** The backend: at every address, shows the shell to a logged-in user, and the login page to any other user. */
class BackendApp extends LightElement {
  static override properties = reactive('session', 'error')
  /** The session; null without a logged-in user, undefined until the stage has answered. */
  declare session: SessionAnswer | null | undefined
  declare error: unknown
  /** True while the logout runs; until its end, no request may ask for a new login. */
  #isLeaving = false
  readonly #api = new Api(() => this.#loginAgain())
  /** Tells the other tabs of this browser the uid of the user who logged in; null after a logout. */
  readonly #tabs = new BroadcastChannel('backend-session')

  override connectedCallback(): void {
    super.connectedCallback()
    addEventListener('beforeunload', this.#warn)
    this.#tabs.addEventListener('message', this.#hear)
    void this.#ask()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    removeEventListener('beforeunload', this.#warn)
    this.#tabs.close()
  }

  override render(): unknown {
    if (this.error !== undefined)
      return html`<main class="start">${refusalView(this.error, () => this.#ask())}</main>`
    if (this.session === undefined) return nothing
    if (this.session === null)
      return html`<backend-login .api=${this.#api} @backend-session=${this.#enter}></backend-login>`
    return html`<backend-shell .api=${this.#api} .session=${this.session}
        @backend-logout=${this.#logout} @ai-chat-session-expired=${() => void this.#api.loginAgain().catch(() => {})}></backend-shell>
      <backend-relogin .api=${this.#api} .username=${this.session.user.username}></backend-relogin>`
  }

  async #ask(): Promise<void> {
    this.error = undefined
    try {
      const asked = this.#api.session()
      // The labels of the browser's language are loaded too, because a refusal is shown in that language.
      await Promise.allSettled([asked, speak(preferred(navigator.languages))])
      const session = await asked
      if (session) await speak(session.user.lang)
      this.session = session ?? null
    } catch (error) {
      this.error = error
    }
  }

  #enter = ({ detail }: CustomEvent<SessionAnswer>): void => {
    this.#tabs.postMessage(detail.user.uid)
    const then = new URLSearchParams(location.search).get('then')
    // Only a page of the stage may ask for a redirect after the login; any other address is ignored.
    if (then?.startsWith('/ai-chat/oauth/')) location.assign(then)
    else void this.#show(detail)
  }

  /** Shows the shell in the user's language; without a session, shows the login page. */
  async #show(session: SessionAnswer | null): Promise<void> {
    try {
      await speak(session?.user.lang ?? preferred(navigator.languages))
      this.session = session
    } catch (error) {
      this.error = error
    }
  }

  /** Asks for a new login. For the same user, the page stays; for another user, the app wipes the chat and reloads. */
  async #loginAgain(): Promise<void> {
    const dialog = this.querySelector<BackendRelogin>('backend-relogin')
    if (this.#isLeaving || !this.session || !dialog) throw new Error('No login is possible now')
    const before = this.session.user.uid
    const session = await dialog.ask()
    this.#tabs.postMessage(session.user.uid)
    if (session.user.uid !== before) {
      this.#shell?.forget()
      this.#wipe()
      location.reload()
      throw new Error('Another user logged in')
    }
    this.session = session
    await this.#shell?.resume()
  }

  #logout = async (): Promise<void> => {
    this.#isLeaving = true
    try {
      await this.#api.logout()
    } catch (error) {
      this.error = error
      return
    } finally {
      this.#isLeaving = false
    }
    this.#tabs.postMessage(null)
    this.#leave()
  }

  /** Follows a logout in another tab. If another user logged in there, loads the page as that user. */
  #hear = ({ data: uid }: MessageEvent<number | null>): void => {
    if (uid === null) this.#leave()
    else if (this.session && this.session.user.uid !== uid) {
      // Otherwise the browser would ask about the unsaved changes of the earlier user.
      drafts.clear()
      location.reload()
    }
  }

  #leave(): void {
    this.#shell?.forget()
    this.#wipe()
    history.replaceState(null, '', '/backend')
    this.session = undefined
    void this.#show(null)
  }

  #wipe(): void {
    drafts.clear()
    for (const key of Object.keys(localStorage)) if (key.startsWith(chatKeys)) localStorage.removeItem(key)
  }

  #warn = (event: BeforeUnloadEvent): void => {
    if (drafts.size > 0) event.preventDefault()
  }

  get #shell(): BackendShell | null {
    return this.querySelector('backend-shell')
  }
}

restoreTheme()
customElements.define('backend-app', BackendApp)
