import { html, nothing } from 'lit'
import type { DemoUser, DemoUsersAnswer, SessionAnswer } from '../../core/user/session/schema.ts'
import { type Api, RequestError } from './backend-api.ts'
import { sendBackendEvent } from './events.ts'
import { icon } from './icon.ts'
import { LightElement, reactive, withState } from './module-element.ts'
import { site, t, until } from './text.ts'

/** The credentials in a login form. */
type Typed = { username: string; password: string }

/** An element with a login form. */
abstract class LoginElement extends withState(LightElement, {
  username: '',
  error: undefined as unknown,
  isBusy: false,
}) {
  static override properties = reactive('api')
  declare api: Api

  /** Receives the session that began. */
  protected abstract enter(session: SessionAnswer): void

  protected async login({ username, password }: Typed): Promise<void> {
    this.isBusy = true
    try {
      this.enter(await this.api.login(username, password))
    } catch (error) {
      this.error = error
      const field = this.passwordField
      if (field) field.value = ''
      field?.focus()
    } finally {
      this.isBusy = false
    }
  }

  /**
   * Returns the form; its heading has the id `<name>-title`. A refusal is shown above the fields; the username stays.
   */
  protected form(name: string, heading: unknown, extra: unknown = nothing): unknown {
    const { error, isBusy, username } = this
    return html`<form class="stack login-form" method="post" aria-labelledby="${name}-title" @submit=${this.#submit}>
      ${heading} ${error === undefined ? nothing : html`<p class="row row-wrap notice-bad" role="alert">${reason(error)}</p>`}
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

  #submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (this.isBusy) return
    const data = new FormData(event.currentTarget as HTMLFormElement)
    void this.login({ username: String(data.get('username')), password: String(data.get('password')) })
  }

  protected get passwordField(): HTMLInputElement | null {
    return this.querySelector('[name=password]')
  }
}

/**
 * The login page. On the local stage, it also offers the seeded users; a click on a user logs in as that user.
 *
 * @fires backend-session - when a session began; the detail is the session
 */
class BackendLogin extends LoginElement {
  static override properties = reactive('offer')
  /** The offered users; undefined if they are unknown, so that the page shows only the form. */
  declare offer: DemoUsersAnswer | undefined

  override async firstUpdated(): Promise<void> {
    document.title = `${t('login.document')}, ${site}`
    this.querySelector('input')?.focus()
    this.offer = await this.api.get<DemoUsersAnswer>('/demo-users').catch(() => undefined)
  }

  override render(): unknown {
    const heading = html`<h1 id="login-title">${t('login.title')}</h1>`
    // Users of a connected CMS log in to that CMS, not here.
    const { users = [], isElsewhere = false } = this.offer ?? {}
    const isLocal = users.length > 0
    return html`<main class="login"><div class="stack login-body">
      <div class="row brand">${icon('mark', 'i-20')}<span>${site}</span></div>
      <div class="login-sheet">
        ${
          isElsewhere
            ? html`<section class="stack login-form" aria-labelledby="login-title">${heading}<p>${t('login.elsewhere')}</p></section>`
            : this.form('login', heading)
        }
        ${isLocal ? this.#demo(users) : nothing}
      </div>
      ${isLocal ? html`<p class="login-foot">${t('login.local')}</p>` : nothing}
    </div></main>`
  }

  #demo(users: DemoUser[]): unknown {
    return html`<section class="stack login-demo" aria-labelledby="demo-title">
      <div><h2 id="demo-title">${t('login.demo')}</h2><p class="meta">${t('login.demoText')}</p></div>
      <ul class="stack people">${users.map(
        (user) => html`<li>
          <button class="person" type="button" @click=${() => this.#choose(user)}>
            <span class="avatar" aria-hidden="true">${user.username.slice(0, 2).toUpperCase()}</span>
            <span><strong>${user.username}</strong> <small class="meta">${user.about}</small></span>
            ${icon('right', 'faint')}
          </button>
        </li>`,
      )}</ul>
    </section>`
  }

  #choose(user: DemoUser): void {
    this.username = user.username
    void this.login(user)
  }

  protected override enter(session: SessionAnswer): void {
    sendBackendEvent(this, 'backend-session', session)
  }
}

customElements.define('backend-login', BackendLogin)

/** The login dialog over the page after the session has ended; the page below it does not change. */
export class BackendRelogin extends LoginElement {
  static override properties = reactive('waiting')
  /** The caller that waits for the session; undefined while the dialog is closed. */
  declare waiting: PromiseWithResolvers<SessionAnswer> | undefined

  /** Opens the dialog. Returns the new session; rejects if the user cancels. */
  ask(): Promise<SessionAnswer> {
    this.waiting = Promise.withResolvers()
    this.error = undefined
    return this.waiting.promise
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.waiting?.reject(new Error('The user logged out meanwhile'))
  }

  override updated(): void {
    const dialog = this.querySelector('dialog')
    if (!dialog?.isConnected || dialog.open) return
    dialog.showModal()
    this.passwordField?.focus()
  }

  override render(): unknown {
    if (!this.waiting) return nothing
    const heading = html`<h2 id="relogin-title">${t('login.again')}</h2>
      <p class="dialog-text">${t('login.againText')}</p>`
    const later = html`<button class="btn btn-quiet" type="button" @click=${this.#cancel}>
      ${t('login.later')}
    </button>`
    return html`<dialog class="relogin" aria-labelledby="relogin-title" @cancel=${this.#cancel}>
      ${this.form('relogin', heading, later)}
    </dialog>`
  }

  /**
   * Closes the dialog, so that the browser restores the focus, and returns the waiting caller. Removing the element
   * would not restore the focus.
   */
  #close(): typeof this.waiting {
    const { waiting } = this
    this.querySelector('dialog')?.close()
    this.waiting = undefined
    return waiting
  }

  #cancel = (): void => {
    this.#close()?.reject(new Error('The login was put off'))
  }

  protected override enter(session: SessionAnswer): void {
    this.#close()?.resolve(session)
  }
}

customElements.define('backend-relogin', BackendRelogin)

function reason(error: unknown): string {
  if (!(error instanceof RequestError)) return t('frame.offline')
  const wait = error.retryAfterMs
  return wait === undefined ? error.message : `${error.message} ${t('login.wait', { when: until(wait) })}`
}
