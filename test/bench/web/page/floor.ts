import { css, html, LitElement, unsafeCSS } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { unsafeHTML } from 'lit/directives/unsafe-html.js'
import { parse } from 'marked'
import { find, run } from './harness.ts'
import type { Message } from './messages.ts'

/** The markup and styles of a chat without messages, drawn instead of the floor's own. */
export type FloorPicture = { markup: string; sheets: string[] }

/**
 * The floor: the least code that shows such a transcript well. It is one Lit element with the HTML of marked, and has
 * no other function of a chat. It draws the newest `rows` messages.
 */
export function floor(rows: number, picture?: FloorPicture): void {
  class FloorChat extends LitElement {
    static override properties = { messages: { attribute: false } }
    static override styles =
      picture?.sheets.map((sheet) => unsafeCSS(sheet)) ??
      css`
      :host { display: flex; flex-direction: column; height: 100%; font: 14px/1.5 system-ui; }
      .log { flex: 1; overflow: auto; padding: 8px; }
      .row { margin: 8px 0; content-visibility: auto; contain-intrinsic-size: auto 160px; }
      pre { overflow: auto; background: #8881; padding: 8px; }
    `
    declare messages: Message[]
    #drawn = new Map<string, Node>()

    constructor() {
      super()
      this.messages = []
    }

    #draw({ id, role, text }: Message): Node {
      const known = this.#drawn.get(id)
      if (known) return known
      const row = document.createElement('div')
      row.className = 'row'
      if (role === 'user') row.textContent = text
      else row.innerHTML = parse(text, { async: false })
      this.#drawn.set(id, row)
      return row
    }

    override render() {
      if (picture) return html`${unsafeHTML(picture.markup)}`
      const shown = this.messages.slice(-rows)
      return html`<div class="log" role="log" aria-label="Chat" tabindex="0">
          ${repeat(
            shown,
            ({ id }) => id,
            (message) => this.#draw(message),
          )}
        </div>
        <form><textarea aria-label="Message" rows="2"></textarea><button>Send</button></form>`
    }

    override updated() {
      const log = this.renderRoot.querySelector('.log')
      if (log) log.scrollTop = log.scrollHeight
    }
  }
  customElements.define('floor-chat', FloorChat)

  const chat = document.createElement('floor-chat') as FloorChat
  run({
    mount: (place, history) => {
      chat.messages = history
      place.append(chat)
    },
    append: (message) => {
      chat.messages = [...chat.messages, message]
    },
    input: () => find('textarea'),
  })
}
