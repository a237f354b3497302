import { html, nothing } from 'lit'
import type { DemoUser } from '../../core/user/session/schema.ts'
import type { Api } from './backend-api.ts'
import { tell } from './events.ts'
import { icon } from './icon.ts'
import { LightElement } from './light.ts'
import { loginForm, type Typed } from './login-form.ts'
import { site, t } from './text.ts'

/**
 * The login page; on the local stage it also offers the seeded users, one click each.
 *
 * @fires backend-session - the session that began
 */
export class BackendLogin extends LightElement {
  static override properties = {
    api: { attribute: false },
    users: { state: true },
    isElsewhere: { state: true },
    typed: { state: true },
    error: { state: true },
    isBusy: { state: true },
  }
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
            ${icon('right', 'i-d')}
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
      tell(this, 'backend-session', await this.api.login(username, password))
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
