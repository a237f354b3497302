import { css, html, LitElement, unsafeCSS } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { unsafeHTML } from 'lit/directives/unsafe-html.js'
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { find, run } from './harness.ts'
import type { Message } from './messages.ts'

/** The first picture of a chat before any message: markup and sheets, drawn in place of the floor's own. */
export type FloorPicture = { markup: string; sheets: string[] }

/**
 * The floor: the least that shows such a transcript well. One Lit element, marked's lexer into elements, nothing of what
 * makes a chat; `rows` newest messages are drawn.
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
      else add(row, new Lexer({ gfm: true }).lex(text))
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

function add(parent: Node, tokens: Token[] = []): Node {
  for (const token of tokens) parent.appendChild(node(token as MarkedToken))
  return parent
}

const element = (name: string, tokens?: Token[]) => add(document.createElement(name), tokens)

function node(token: MarkedToken): Node {
  switch (token.type) {
    case 'paragraph':
      return element('p', token.tokens)
    case 'strong':
    case 'em':
    case 'blockquote':
      return element(token.type, token.tokens)
    case 'codespan':
      return Object.assign(document.createElement('code'), { textContent: token.text })
    case 'code':
      return Object.assign(document.createElement('pre'), { textContent: token.text })
    case 'link':
      return Object.assign(element('a', token.tokens), { href: token.href })
    case 'list':
      return list(token as Tokens.List)
    case 'table':
      return table(token as Tokens.Table)
    case 'text':
      return token.tokens
        ? add(document.createDocumentFragment(), token.tokens)
        : document.createTextNode(token.text)
    default:
      return document.createTextNode('')
  }
}

function list({ ordered, items }: Tokens.List): Node {
  const whole = document.createElement(ordered ? 'ol' : 'ul')
  for (const item of items) whole.append(element('li', item.tokens))
  return whole
}

function table({ header, rows }: Tokens.Table): Node {
  const whole = document.createElement('table')
  for (const [at, cells] of [header, ...rows].entries()) {
    const row = whole.insertRow()
    for (const cell of cells) row.append(element(at === 0 ? 'th' : 'td', cell.tokens))
  }
  return whole
}
