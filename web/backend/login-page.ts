import { html, nothing, type TemplateResult } from 'lit'
import type { DemoUser, DemoUsersAnswer, SessionAnswer } from '../../core/user/session/schema.ts'
import { type Api, RequestError } from './backend-api.ts'
import { sendBackendEvent } from './events.ts'
import { icon } from './icon.ts'
import { LightElement, reactive } from './module-element.ts'
import { site, t, until } from './text.ts'

/**
 * The login page; on the local stage it also offers the seeded users, one click each.
 *
 * @fires backend-session - the session that began
 */
class BackendLogin extends LightElement {
  static override properties = reactive('api', 'users', 'isElsewhere', 'typed', 'error', 'isBusy')
  declare api: Api
  declare users: DemoUser[]
  /** True if users log in to a connected CMS, and not here. */
  declare isElsewhere: boolean
  declare typed: string
  declare error: unknown
  declare isBusy: boolean

  constructor() {
    super()
    this.users = []
    this.isElsewhere = false
    this.typed = ''
    this.isBusy = false
  }

  override firstUpdated(): void {
    document.title = `${t('login.document')}, ${site}`
    this.querySelector('input')?.focus()
    void this.#offer()
  }

  override render(): unknown {
    const heading = html`<h1 id="login-title">${t('login.title')}</h1>`
    const { error, isBusy } = this
    return html`<main class="login"><div class="login-body">
      <div class="brand">${icon('mark', 'i-20')}<span>${site}</span></div>
      <div class="login-sheet ${this.users.length > 0 ? '' : 'login-sheet-narrow'}">
        ${
          this.isElsewhere
            ? html`<section class="login-form" aria-labelledby="login-title">${heading}<p>${t('login.elsewhere')}</p></section>`
            : loginForm({
                name: 'login',
                heading,
                username: this.typed,
                error,
                isBusy,
                onSubmit: this.#login,
              })
        }
        ${this.users.length > 0 ? this.#demo() : nothing}
      </div>
      ${this.users.length > 0 ? html`<p class="login-foot">${t('login.local')}</p>` : nothing}
    </div></main>`
  }

  #demo(): unknown {
    return html`<section class="login-demo" aria-labelledby="demo-title">
      <div><h2 id="demo-title">${t('login.demo')}</h2><p>${t('login.demoText')}</p></div>
      <ul class="people">${this.users.map(
        (user) => html`<li>
          <button class="person" type="button" @click=${() => this.#login(user)}>
            <span class="avatar" aria-hidden="true">${user.username.slice(0, 2).toUpperCase()}</span>
            <span><strong>${user.username}</strong> <small>${user.about}</small></span>
            ${icon('right')}
          </button>
        </li>`,
      )}</ul>
    </section>`
  }

  async #offer(): Promise<void> {
    // Without the list the form alone is a complete login page.
    const answer = await this.api.get<DemoUsersAnswer>('/demo-users').catch(() => undefined)
    this.users = answer?.users ?? []
    this.isElsewhere = answer?.isElsewhere ?? false
  }

  #login = async ({ username, password }: Typed): Promise<void> => {
    this.isBusy = true
    this.typed = username
    try {
      sendBackendEvent(this, 'backend-session', await this.api.login(username, password))
    } catch (error) {
      this.error = error
      const password = this.querySelector<HTMLInputElement>('[name=password]')
      if (password) password.value = ''
      password?.focus()
    } finally {
      this.isBusy = false
    }
  }
}

customElements.define('backend-login', BackendLogin)

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

/** The credentials in a login form. */
type Typed = { username: string; password: string }

type LoginFormOptions = {
  /** Distinguishes the fields of two forms in one document. */
  name: string
  heading: unknown
  username: string
  error: unknown
  isBusy: boolean
  extra?: unknown
  onSubmit(typed: Typed): void
}

/** Name, password and button; a refusal stands above them, and the name stays. */
function loginForm(options: LoginFormOptions): TemplateResult {
  const { name, heading, username, error, isBusy, extra } = options
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy) return
    const data = new FormData(event.currentTarget as HTMLFormElement)
    options.onSubmit({ username: String(data.get('username')), password: String(data.get('password')) })
  }
  return html`<form class="login-form" method="post" aria-labelledby="${name}-title" @submit=${submit}>
    ${heading} ${error === undefined ? nothing : html`<p class="notice-bad" role="alert">${reason(error)}</p>`}
    <div class="field">
      <label for="${name}-username">${t('login.username')}</label>
      <input class="input" id="${name}-username" name="username" .value=${username} required
        autocomplete="username" autocapitalize="none" spellcheck="false" dir="auto" />
    </div>
    <div class="field">
      <label for="${name}-password">${t('login.password')}</label>
      <input class="input" id="${name}-password" name="password" type="password" required
        autocomplete="current-password" />
    </div>
    <button class="btn btn-primary" type="submit" aria-disabled=${isBusy}>${t('login.submit')}</button>
    ${extra}
  </form>`
}

function reason(error: unknown): string {
  if (!(error instanceof RequestError)) return t('frame.offline')
  const wait = error.retryAfterMs
  return wait === undefined ? error.message : `${error.message} ${t('login.wait', { when: until(wait) })}`
}
