import { html, nothing, type TemplateResult } from 'lit'
import type { CreatedTokenAnswer, TokensAnswer, TokenView } from '../../../core/access-token/schema.ts'
import { type Api, ApiError } from '../api.ts'
import { icon } from '../icon.ts'
import { adopter } from '../style/adopt.ts'
import { copy } from '../view/clipboard.ts'
import { closing, frame } from '../view/dialog.ts'
import type { View } from '../view/view.ts'
import css from './tokens.css?inline'

const dress = adopter(css)

/** For how many days a token may be good; the stage takes no others. */
const lifetimes = [7, 30, 90, 365]
const usualLifetime = 90

/** What the open dialog knows; it is read again each time that the dialog opens. */
type State = {
  list: TokenView[] | null
  /** The token that was just made: the stage shows it this once. */
  made: string | null
  problem: string | null
  isBusy: boolean
}

const states = new WeakMap<View, State>()

function stateOf(view: View): State {
  const known = states.get(view)
  if (known) return known
  const state: State = { list: null, made: null, problem: null, isBusy: false }
  states.set(view, state)
  void change(view, (api) => api.get<TokensAnswer>('/access-tokens'))
  return state
}

/** The dialog in which a user makes and revokes access tokens for programs of theirs. */
export function tokens(view: View): TemplateResult {
  dress(view)
  const { t, store } = view
  const { list, made, problem } = stateOf(view)
  const close = closing(view)
  const end = () => {
    states.delete(view)
    close()
  }
  const url = store ? new URL('/ai-chat/mcp', store.api.origin).href : ''
  const body = html`<div class="dialog-body">
    <p>${t('tokens.text')}</p>
    ${shown(view, 'token-url', t('tokens.url'), url)}
    ${problem ? html`<p class="bar-bad" role="alert">${problem}</p>` : nothing}
    ${made ? shown(view, 'token-made', t('tokens.made'), made) : maker(view)}
    ${
      list === null
        ? html`<p role="status">${t('connections.loading')}</p>`
        : html`<ul class="tokens" aria-label=${t('tokens.title')}>
            ${list.map((one) => row(view, one))}
          </ul>`
    }
  </div>`
  return frame(view, t('tokens.title'), body, end)
}

/** A text to be copied into a program. */
function shown(view: View, id: string, label: string, text: string): TemplateResult {
  const { t } = view
  return html`<div class="token-new">
    <label for=${id}>${label}</label>
    <input class="input" id=${id} readonly dir="ltr" .value=${text} />
    <button class="btn btn-sm" type="button" @click=${() => void copy(view, text)}>
      ${icon('copy')}${t('tokens.copy')}
    </button>
  </div>`
}

function maker(view: View): TemplateResult {
  const { t } = view
  const make = (event: Event) => {
    event.preventDefault()
    const name = view.find<HTMLInputElement>('#token-name')?.value.trim()
    const days = Number(view.find<HTMLSelectElement>('#token-days')?.value)
    if (!name) return
    void change(view, async (api) => {
      const answer = await api.post<CreatedTokenAnswer>('/access-tokens/create', { name, days })
      stateOf(view).made = answer.token
      return answer
    })
  }
  return html`<form class="token-new" @submit=${make}>
    <label for="token-name">${t('tokens.name')}</label>
    <input class="input" id="token-name" maxlength="60" autocomplete="off" required />
    <label for="token-days">${t('tokens.days')}</label>
    <select class="input" id="token-days">
      ${lifetimes.map(
        (days) =>
          html`<option value=${days} ?selected=${days === usualLifetime}>${t('tokens.lasts', { count: days })}</option>`,
      )}
    </select>
    <button class="btn btn-sm btn-primary" ?disabled=${stateOf(view).isBusy}>${t('tokens.make')}</button>
  </form>`
}

function row(view: View, { id, name, createdAt, usedAt, expiresAt }: TokenView): TemplateResult {
  const { t, format } = view
  const hasEnded = Date.parse(expiresAt) <= Date.now()
  const used = usedAt ? t('tokens.used', { at: format.stamp(usedAt) }) : t('tokens.unused')
  const end = t(hasEnded ? 'tokens.ended' : 'tokens.ends', { at: format.stamp(expiresAt) })
  const revoke = () =>
    change(view, async (api) => {
      const answer = await api.post<TokensAnswer>('/access-tokens/revoke', { id })
      stateOf(view).made = null
      return answer
    })
  return html`<li class="token">
    <h3 dir="auto">${name}</h3>
    <p>${t('tokens.since', { at: format.stamp(createdAt) })} ${used} ${end}</p>
    <button
      class="btn btn-sm"
      type="button"
      aria-label=${t('tokens.revokeNamed', { name })}
      ?disabled=${stateOf(view).isBusy}
      @click=${revoke}
    >
      ${t('tokens.revoke')}
    </button>
  </li>`
}

/** Asks for the list, or changes it, while no button can be pressed; a refusal is said in the dialog. */
async function change(view: View, act: (api: Api) => Promise<TokensAnswer>): Promise<void> {
  const { store } = view
  const state = stateOf(view)
  if (!store) return
  state.isBusy = true
  view.requestUpdate()
  try {
    state.list = (await act(store.api)).tokens
    state.problem = null
  } catch (error) {
    store.caught(error)
    state.problem = (error instanceof ApiError && error.message) || view.t('connections.failed')
  }
  state.isBusy = false
  view.requestUpdate()
}
