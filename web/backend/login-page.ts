import { html, nothing, type TemplateResult } from 'lit'
import type { DemoUser } from '../../core/user/session/schema.ts'
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
    const answer = await this.api.demoUsers().catch(() => ({ users: [], isElsewhere: false }))
    this.users = answer.users
    this.isElsewhere = answer.isElsewhere
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

/** The credentials in a login form. */
export type Typed = { username: string; password: string }

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
export function loginForm(options: LoginFormOptions): TemplateResult {
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
