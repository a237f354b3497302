import { html, nothing, type TemplateResult } from 'lit'
import type { SessionAnswer } from '../../core/user/session/schema.ts'
import type { ShellState } from './frame.ts'
import { icon } from './icon.ts'
import { site, t } from './text.ts'

/** The storage key of the theme that the user chose in this browser; without it, the system's theme is used. */
const key = 'backend-theme'

/** Applies the theme that the user chose in this browser, if there is one. */
export function restoreTheme(): void {
  const chosen = localStorage.getItem(key)
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
}

/** Switches to the other theme and stores it in this browser. */
function switchTheme(): void {
  const { dataset } = document.documentElement
  const preferred = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  dataset.theme = (dataset.theme ?? preferred) === 'dark' ? 'light' : 'dark'
  localStorage.setItem(key, dataset.theme)
}

/** Returns the top bar: site, chat, theme and user. Each button is a separate tab stop. */
export function topbar(shell: ShellState, onChat: () => void, onLogout: () => void): TemplateResult {
  const { session } = shell
  return html`<header class="row topbar">
    <button class="icon-btn narrow-only" type="button" aria-label=${t('top.menu')} popovertarget="modules">
      ${icon('menu')}
    </button>
    <div class="row brand">${icon('mark', 'i-20')}<span>${site}</span></div>
    <div class="row tools" role="toolbar" aria-label=${t('top.toolbar')}>
      ${session.mayChat ? chatButton(shell, onChat) : nothing}
      <button class="icon-btn" type="button" aria-label=${t('top.theme')} title=${t('top.theme')} @click=${switchTheme}>
        ${icon('theme')}
      </button>
      <span class="tools-line"></span>
      ${userMenu(session, onLogout)}
    </div>
  </header>`
}

function chatButton({ busy, waiting, panel }: ShellState, onClick: () => void): TemplateResult {
  // Conversations that wait for the user's decision come before conversations in which the assistant works.
  const count = waiting || busy
  const idle = busy > 0 ? '' : 'count-none'
  const look = waiting > 0 ? 'count-wait' : idle
  const words = [
    waiting > 0 ? t(waiting === 1 ? 'top.waitingOne' : 'top.waitingMany', { count: waiting }) : '',
    busy > 0 ? t(busy === 1 ? 'top.busyOne' : 'top.busyMany', { count: busy }) : '',
  ]
  return html`<button class="tool" type="button" id="chat-button" aria-expanded=${panel.open}
      aria-describedby=${count > 0 ? 'chat-busy' : nothing} @click=${onClick}>
      ${icon('chat')}<span class="label">${t('top.chat')}</span>${
        // The count keeps its space when it is empty, so that the buttons beside it do not move.
        html`<span class="count ${look}" aria-hidden="true">${count > 0 ? count : nothing}</span>`
      }
    </button>${count > 0 ? html`<span class="vh" id="chat-busy">${words.filter(Boolean).join(', ')}</span>` : nothing}`
}

function userMenu({ user }: SessionAnswer, onLogout: () => void): TemplateResult {
  return html`<button class="tool" type="button" id="user-button" aria-haspopup="menu" aria-expanded="false"
      popovertarget="user-menu">
      <span class="avatar avatar-sm" aria-hidden="true">${user.username.slice(0, 2).toUpperCase()}</span
      ><span class="vh">${t('top.user')}</span><span class="label">${user.username}</span>
    </button>
    <div class="menu" id="user-menu" popover @toggle=${opened}>
      <p class="menu-head"><strong>${user.name || user.username}</strong>${
        user.isAdmin ? html`<small>${t('top.administrator')}</small>` : nothing
      }</p>
      <div role="menu" aria-labelledby="user-button">
        <button type="button" role="menuitem" @click=${onLogout}>${icon('logout', 'i-d')}${t('top.logout')}</button>
      </div>
    </div>`
}

function opened(event: ToggleEvent): void {
  const menu = event.target as HTMLElement
  const isOpen = event.newState === 'open'
  document.getElementById('user-button')?.setAttribute('aria-expanded', String(isOpen))
  if (isOpen) menu.querySelector<HTMLElement>('[role=menuitem]')?.focus()
}
