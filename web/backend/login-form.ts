import { html, nothing, type TemplateResult } from 'lit'
import { RequestError } from './backend-api.ts'
import { t, until } from './text.ts'

/** The credentials in a login form. */
export type Typed = { username: string; password: string }

type Options = {
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
export function loginForm(options: Options): TemplateResult {
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
