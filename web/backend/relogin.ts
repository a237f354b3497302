import { html, nothing } from 'lit'
import type { SessionAnswer } from '../../core/user/session/schema.ts'
import type { Api } from './backend-api.ts'
import { loginForm, type Typed } from './login-page.ts'
import { LightElement, reactive } from './module-element.ts'
import { t } from './text.ts'

/** The dialog over the page when the session has ended; whatever the page holds stays as it is. */
export class BackendRelogin extends LightElement {
  static override properties = reactive('api', 'username', 'isOpen', 'error', 'isBusy')
  declare api: Api
  declare username: string
  declare isOpen: boolean
  declare error: unknown
  declare isBusy: boolean
  #waiting: PromiseWithResolvers<SessionAnswer> | undefined

  constructor() {
    super()
    this.username = ''
    this.isOpen = false
    this.isBusy = false
  }

  /** Opens the dialog; the new session, or a rejection when the user would rather not log in now. */
  ask(): Promise<SessionAnswer> {
    this.#waiting = Promise.withResolvers()
    this.isOpen = true
    this.error = undefined
    return this.#waiting.promise
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#waiting?.reject(new Error('The user logged out meanwhile'))
  }

  override updated(): void {
    const dialog = this.querySelector('dialog')
    if (!dialog?.isConnected || dialog.open) return
    dialog.showModal()
    this.querySelector<HTMLInputElement>('[name=password]')?.focus()
  }

  override render(): unknown {
    if (!this.isOpen) return nothing
    const heading = html`<h2 id="relogin-title">${t('login.again')}</h2>
      <p class="dialog-text">${t('login.againText')}</p>`
    const extra = html`<button class="btn btn-quiet" type="button" @click=${this.#cancel}>
      ${t('login.later')}
    </button>`
    const { username, error, isBusy } = this
    return html`<dialog class="relogin" aria-labelledby="relogin-title" @cancel=${this.#cancel}>
      ${loginForm({ name: 'relogin', heading, username, error, isBusy, extra, onSubmit: this.#login })}
    </dialog>`
  }

  /** Closes the dialog, which returns the focus; removing the element alone would not. */
  #close(): void {
    this.querySelector('dialog')?.close()
    this.isOpen = false
  }

  #cancel = (): void => {
    this.#close()
    this.#waiting?.reject(new Error('The login was put off'))
  }

  #login = async ({ username, password }: Typed): Promise<void> => {
    this.isBusy = true
    try {
      const session = await this.api.login(username, password)
      this.#close()
      this.#waiting?.resolve(session)
    } catch (error) {
      this.error = error
    } finally {
      this.isBusy = false
    }
  }
}

customElements.define('backend-relogin', BackendRelogin)
