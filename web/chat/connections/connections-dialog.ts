import { html, nothing, type TemplateResult } from 'lit'
import type { BeginAnswer, ConnectionsAnswer, ConnectionView } from '../../../core/user/connection/schema.ts'
import type { Api } from '../api.ts'
import { icon } from '../icon.ts'
import { type DialogState, listDialog, listFrame, tryInDialog, workInDialog } from '../view/dialog-frame.ts'
import type { View } from '../view/view.ts'

/** The interval and the maximum duration of polling while the user is at an authorization server, in milliseconds. */
const pollMs = 1_500
const mostWaitMs = 10 * 60_000

type ConnectionsState = DialogState & {
  list: ConnectionView[] | null
  /**
   * The server to which the user is connecting; `url` is the address that the user must open if the browser has blocked
   * the window.
   */
  waiting: { server: string; until: number; url: string | null } | null
}

const connectionsDialog = listDialog<ConnectionsState>(() => ({ list: null, waiting: null }), readConnections)

/** Draws the dialog `Connections`; its first drawing reads the list. */
export function connections(view: View): TemplateResult {
  const { t } = view
  const content = {
    title: t('connections.title'),
    text: t('connections.text'),
    entry: (connection: ConnectionView) => row(view, connection),
  }
  return listFrame(view, connectionsDialog.of(view), content, connectionsDialog.closer(view))
}

function row(view: View, it: ConnectionView): TemplateResult {
  const { t } = view
  const { waiting } = connectionsDialog.of(view)
  const isWaiting = waiting?.server === it.server
  const name = it.title === it.server ? it.server : `${it.title} (${it.server})`
  const said = isWaiting ? 'connections.waiting' : (`connections.${it.state}` as const)
  return html`<li class="card stack dialog-item">
    <div class="row row-wrap">
      <h3 dir="auto">${name}</h3>
      <span class="badge ${it.state === 'ended' ? 'badge-warn' : ''}" role="status"
        >${it.state === 'connected' ? icon('check') : nothing}${t(said)}</span
      >
    </div>
    ${it.issue ? html`<p class="connection-issue">${icon('warning')}${it.issue}</p>` : nothing}
    ${
      isWaiting && waiting?.url
        ? html`<p><a href=${waiting.url} target="_blank" rel="noopener noreferrer">${t('connections.open')}</a></p>`
        : nothing
    }
    ${it.auth === 'token' && it.state !== 'connected' ? field(view, it) : button(view, it)}
  </li>`
}

/** Draws the button that disconnects a server, or connects it in a window of its own. */
function button(view: View, { server, state }: ConnectionView): TemplateResult {
  const { t } = view
  const isConnected = state === 'connected'
  const begin = state === 'ended' ? 'again' : 'connect'
  const deed = isConnected ? 'disconnect' : begin
  const act = () =>
    isConnected ? changeConnection(view, '/connections/disconnect', { server }) : connectServer(view, server)
  return html`<button class="btn btn-sm ${isConnected ? '' : 'btn-primary'}" type="button" id="server-${server}"
      aria-label=${t(`connections.${deed}Named`, { server })} aria-disabled=${String(connectionsDialog.of(view).isBusy)}
      @click=${act}>
    ${isConnected ? nothing : icon('external')}${t(`connections.${deed}`)}
  </button>`
}

function field(view: View, { server }: ConnectionView): TemplateResult {
  const { t } = view
  const id = `server-${server}`
  const keep = (event: Event) => {
    event.preventDefault()
    const input = view.find<HTMLInputElement>(`#${id}`)
    const token = input?.value.trim()
    if (input && token) void changeConnection(view, '/connections/token', { server, token })
  }
  return html`<form class="stack connection-token" @submit=${keep}>
    <label for=${id}>${t('connections.token', { server })}</label>
    <input class="input" id=${id} type="password" autocomplete="off" maxlength=${view.store.status?.maxCharacters.secret ?? nothing} required />
    <button class="btn btn-sm btn-primary" aria-disabled=${String(connectionsDialog.of(view).isBusy)}>${t('connections.keep')}</button>
  </form>`
}

async function readConnections(state: ConnectionsState, api: Api): Promise<void> {
  state.list = (await api.get<ConnectionsAnswer>('/connections')).connections
}

/** Changes a connection. The control that then stands in the place of the pressed one gets the focus. */
async function changeConnection(view: View, path: string, body: Record<string, string>): Promise<void> {
  const state = connectionsDialog.of(view)
  const isDone = await workInDialog(view, state, async (api) => {
    state.waiting = null
    state.list = (await api.post<ConnectionsAnswer>(path, body)).connections
  })
  if (isDone) await view.focusDrawn(`#server-${body.server}`)
}

/**
 * Opens an empty window in the click's event, because browsers block windows that are opened later. When the server's
 * address is known, the window opens this address.
 */
async function connectServer(view: View, server: string): Promise<void> {
  const state = connectionsDialog.of(view)
  if (state.isBusy) return
  const opened = window.open('about:blank', '_blank', 'popup,width=560,height=720')
  // The page of the authorization server must not have access to this page.
  if (opened) opened.opener = null
  state.problem = null
  const isBegun = await workInDialog(view, state, async (api) => {
    const { url } = await api.post<BeginAnswer>('/connections/begin', { server })
    opened?.location.replace(url)
    state.waiting = { server, until: Date.now() + mostWaitMs, url: opened ? null : url }
    void pollConnections(view, state)
  })
  if (!isBegun) opened?.close()
}

/** Reads the list until the server is connected, the dialog is closed, or the time for the authorization is over. */
async function pollConnections(view: View, state: ConnectionsState): Promise<void> {
  const { waiting } = state
  while (
    waiting &&
    state.waiting === waiting &&
    Date.now() < waiting.until &&
    connectionsDialog.isOpen(view, state)
  ) {
    await new Promise((done) => setTimeout(done, pollMs))
    if (!connectionsDialog.isOpen(view, state)) return
    await tryInDialog(view, state, (api) => readConnections(state, api))
    view.requestUpdate()
    const now = state.list?.find(({ server }) => server === waiting.server)
    if (now?.state === 'connected') break
  }
  if (state.waiting === waiting) state.waiting = null
  view.requestUpdate()
}
