import type { Message, Source } from '../../../core/conversation/transcript/schema.ts'
import type { Translate } from '../i18n/i18n.ts'
import { loadAhead, once, whenIdle } from '../lazy.ts'
import type { highlight } from '../markdown/highlight.ts'
import type * as Markdown from '../markdown/markdown.ts'
import type { Format } from '../reader-format.ts'
import type { Conversation } from '../store/open-conversation.ts'
import { type TurnRow, titlesOf } from '../store/turn-rows.ts'
import { pageTable, recordHref, tableWord } from './record-link.ts'

/** The members of a view that `AnswerRenderer` uses. */
type AnswerView = Parameters<typeof pageTable>[0] & {
  readonly t: Translate
  readonly format: Format
  readonly locale: { readonly language: string | null }
  readonly conversation: Conversation
  readonly recordHref: string
  readonly renderRoot: HTMLElement | DocumentFragment
  requestUpdate(): void
}

let reader: typeof Markdown | undefined
let coming: Promise<void> | undefined
/** The code highlighter, loaded when the first code block comes close to the visible part. */
let inked: typeof highlight | undefined

/** Loads the Markdown parser; a later call tries again after a failure. */
function fetchReader(): Promise<void> {
  coming ??= import('../markdown/markdown.ts').then(
    (loaded) => {
      reader = loaded
    },
    () => {
      coming = undefined
    },
  )
  return coming
}

loadAhead({ load: fetchReader })

/** Renders the answers of a view as DOM nodes, each once. */
export class AnswerRenderer {
  readonly #view: AnswerView
  #made = new WeakMap<Message, HTMLElement>()
  #language: string | null = null

  constructor(view: AnswerView) {
    this.#view = view
  }

  /** Loads the Markdown parser if it is not loaded; the view is drawn again after success or failure. */
  prepare(): void {
    if (!reader) void fetchReader().then(() => this.#view.requestUpdate())
  }

  /** True while the Markdown parser loads. */
  get isComing(): boolean {
    return reader === undefined && coming !== undefined
  }

  /** True once the Markdown parser is loaded. */
  get isReady(): boolean {
    return reader !== undefined
  }

  /** Returns an answer as a DOM node; null until the Markdown parser is loaded. */
  of(message: Message, turn: TurnRow): HTMLElement | null {
    const { t } = this.#view
    const { language } = this.#view.locale
    if (language !== this.#language) this.#made = new WeakMap()
    this.#language = language
    const made = this.#made.get(message)
    if (made) return made
    if (!reader) {
      void fetchReader().then(() => reader && this.#view.requestUpdate())
      return null
    }
    reader.adoptProse(this.#view)
    const prose = reader.markdown(message.content, {
      here: location.href,
      t,
      unread: new Set(message.unread),
      unsupported: new Set(message.unsupported),
      sources: (message.sources ?? []).map((source) => sourceMark(this.#view, source)),
      titles: titlesOf(turn),
      pages: pageTable(this.#view),
      recordHref: (table, uid) => recordHref(this.#view, table, uid),
      tableName: (table) => tableWord(this.#view, table),
      stamp: (at) => this.#view.format.stamp(at),
    })
    this.#made.set(message, prose)
    // The newest answer is visible at once. Highlighting it before it is drawn avoids a second layout and paint.
    const isNewest = message === this.#view.conversation.transcript.messages.at(-1)
    for (const code of prose.querySelectorAll<HTMLElement>('code[data-language]'))
      if (inked && isNewest) inked(code)
      else colouring().observe(code)
    return prose
  }

  /** Runs the action of a button in an answer; `copy` copies a text to the clipboard. */
  press(button: HTMLElement, copy: (text: string) => void): void {
    reader?.pressButton(button, copy)
  }

  /** Returns an answer as plain text, without buttons and citation marks, for a screen reader. */
  plain(message: Message, turn: TurnRow): string {
    const prose = this.of(message, turn)
    if (!prose) return message.content
    const copy = prose.cloneNode(true) as HTMLElement
    for (const head of copy.querySelectorAll('.code-head, .table-foot, .source')) head.remove()
    // Without a space between them, a screen reader reads the words of two blocks as one word.
    for (const part of copy.querySelectorAll('p, ul, ol, li, h3, h4, pre, th, td, br')) part.before(' ')
    return (copy.textContent ?? '').replace(/\s+/g, ' ').trim()
  }
}

/** Returns the citation mark of a source: its name, and the record or file that it opens. */
function sourceMark(view: AnswerView, source: Source): Markdown.SourceMark {
  const { t } = view
  const { at } = source
  if ('table' in source) {
    const { table, uid, title, field } = source
    const record = t('sources.record', { table: tableWord(view, table), title })
    const name = t('answer.source', { name: field ? `${record}, ${field}` : record })
    return { at, name, href: recordHref(view, table, uid), table, uid: String(uid) }
  }
  const { fileUid, page, sheet, row } = source
  const name = sheet ? `${source.name}, ${sheet}` : source.name
  const unit = /\.pptx$/i.test(name) ? 'sources.slide' : 'sources.page'
  const place = page ?? row
  const words = place ? t(page ? unit : 'sources.row', { name, place }) : name
  return { at, name: t('answer.source', { name: words }), file: fileUid, page }
}

/** Highlights a code block when it is close to the visible part and the browser is idle. */
const colouring = once(
  () =>
    new IntersectionObserver(
      (seen) => {
        const blocks = seen.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target)
        for (const block of blocks) colouring().unobserve(block)
        if (blocks.length > 0) whenIdle(() => void colour(blocks as HTMLElement[]))
      },
      { scrollMargin: '200px' },
    ),
)

async function colour(blocks: HTMLElement[]): Promise<void> {
  inked ??= (await import('../markdown/highlight.ts')).highlight
  for (const block of blocks) inked(block)
}
