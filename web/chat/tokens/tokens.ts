import { html, nothing, type TemplateResult } from 'lit'
import type { CreatedTokenAnswer, TokensAnswer, TokenView } from '../../../core/user/access-token/schema.ts'
import type { TicketAnswer } from '../../../core/user/session/schema.ts'
import type { Api } from '../api.ts'
import { icon } from '../icon.ts'
import { copy } from '../view/clipboard.ts'
import { type DialogState, listDialog, listFrame, workInDialog } from '../view/dialog-frame.ts'
import type { View } from '../view/view.ts'

/** The lifetimes of a token, in days; the stage accepts no others. */
const lifetimes = [7, 30, 90, 365]
const usualLifetime = 90

type TokensState = DialogState & {
  list: TokenView[] | null
  /** True if a program may ask the user for access by OAuth. */
  isOAuth: boolean
  /** The token that was just created; the stage shows it only this once. */
  made: string | null
}

const tokensDialog = listDialog<TokensState>(
  () => ({ list: null, isOAuth: false, made: null }),
  async (state, api) => show(state, await api.get<TokensAnswer>('/access-tokens')),
)

/** Draws the dialog in which the user creates and revokes access tokens for programs. */
export function tokens(view: View): TemplateResult {
  const { t, store } = view
  const state = tokensDialog.of(view)
  const { made } = state
  const url = store.api.url('/ai-chat/mcp')
  const content = {
    title: t('tokens.title'),
    text: t('tokens.text'),
    above: html`${copyField(view, 'token-url', t('tokens.url'), url)}
      ${state.isOAuth ? html`<p>${t('tokens.hosted')} ${store.api.bearer ? confirming(view, state) : nothing}</p>` : nothing}
      ${made ? copyField(view, 'token-made', t('tokens.made'), made) : maker(view, state)}`,
    entry: (token: TokenView) => row(view, state, token),
  }
  return listFrame(view, state, content, tokensDialog.closer(view))
}

/** Draws a text with a button that copies it. */
function copyField(view: View, id: string, label: string, text: string): TemplateResult {
  const { t } = view
  return html`<div class="card stack dialog-item">
    <label for=${id}>${label}</label>
    <input class="input" id=${id} readonly dir="ltr" .value=${text} />
    <button class="btn btn-sm" type="button" @click=${() => void copy(view, text)}>
      ${icon('copy')}${t('tokens.copy')}
    </button>
  </div>`
}

/**
 * Draws the button that opens the consent page. The page belongs to the stage; on a page of another site, the browser
 * has no session there, so a ticket is needed.
 */
function confirming(view: View, state: TokensState): TemplateResult {
  const confirm = async () => {
    if (state.isBusy) return
    // The window opens in the click's event, because browsers block windows that are opened later.
    const opened = window.open('about:blank', '_blank')
    if (opened) opened.opener = null
    const isDone = await workInDialog(view, state, async (api) => {
      const { url } = await api.post<TicketAnswer>('/oauth/ticket', {})
      opened?.location.replace(url)
    })
    if (!isDone) opened?.close()
  }
  return html`<button class="btn btn-sm" type="button" aria-disabled=${String(state.isBusy)} @click=${confirm}>
    ${icon('external')}${view.t('tokens.confirm')}
  </button>`
}

function maker(view: View, state: TokensState): TemplateResult {
  const { t } = view
  const make = (event: Event) => {
    event.preventDefault()
    const name = view.find<HTMLInputElement>('#token-name')?.value.trim()
    const days = Number(view.find<HTMLSelectElement>('#token-days')?.value)
    if (!name) return
    void changeTokens(view, state, async (api) => {
      const answer = await api.post<CreatedTokenAnswer>('/access-tokens/create', { name, days })
      state.made = answer.token
      return answer
    })
  }
  return html`<form class="card stack dialog-item" @submit=${make}>
    <label for="token-name">${t('tokens.name')}</label>
    <input class="input" id="token-name" maxlength=${view.store.status?.maxCharacters.tokenName ?? nothing} autocomplete="off" required />
    <label for="token-days">${t('tokens.days')}</label>
    <select class="input" id="token-days">
      ${lifetimes.map(
        (days) =>
          html`<option value=${days} ?selected=${days === usualLifetime}>${t('tokens.lasts', { count: days })}</option>`,
      )}
    </select>
    <button class="btn btn-sm btn-primary" aria-disabled=${String(state.isBusy)}>${t('tokens.make')}</button>
  </form>`
}

function row(view: View, state: TokensState, token: TokenView): TemplateResult {
  const { id, name, host, createdAt, usedAt, expiresAt } = token
  const { t, format } = view
  const hasEnded = Date.parse(expiresAt) <= Date.now()
  const used = usedAt ? t('tokens.used', { at: format.stamp(usedAt) }) : t('tokens.unused')
  const end = t(hasEnded ? 'tokens.ended' : 'tokens.ends', { at: format.stamp(expiresAt) })
  const revoke = () =>
    changeTokens(view, state, async (api) => {
      const answer = await api.post<TokensAnswer>('/access-tokens/revoke', { id })
      state.made = null
      return answer
    })
  return html`<li class="card stack dialog-item">
    <h3 dir="auto">${name}</h3>
    ${host ? html`<p>${t('tokens.of', { host })}</p>` : nothing}
    <p>${t('tokens.since', { at: format.stamp(createdAt) })} ${used} ${end}</p>
    <button class="btn btn-sm" type="button" aria-label=${t('tokens.revokeNamed', { name })}
      aria-disabled=${String(state.isBusy)} @click=${revoke}>${t('tokens.revoke')}</button>
  </li>`
}

/** Changes the list by a button that goes away, and focuses the field in its place. */
async function changeTokens(view: View, state: TokensState, act: (api: Api) => Promise<TokensAnswer>) {
  const isDone = await workInDialog(view, state, async (api) => show(state, await act(api)))
  if (isDone) await view.focusDrawn('#token-made, #token-name')
}

function show(state: TokensState, { tokens, oauth }: TokensAnswer): void {
  state.list = tokens
  state.isOAuth = oauth
}
