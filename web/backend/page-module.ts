import { html, nothing, type PropertyValues } from 'lit'
import type { CmsRecord, Language, Page, PageAnswer, RecordAnswer } from '../../core/cms/schema.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import { type Api, recordPath } from './backend-api.ts'
import { sendBackendEvent } from './events.ts'
import { icon } from './icon.ts'
import { crumbs, LightElement, Load, reactive, refusalView } from './module-element.ts'
import { format } from './route.ts'
import { day, isolated, t } from './text.ts'

/**
 * The Page module: a page with its content elements in order.
 *
 * @fires backend-shown - the page
 * @fires backend-changed - `pages`, when the user hid or showed the page
 * @fires backend-ask - the element about which the user wants to ask
 */
class BackendPage extends LightElement {
  static override properties = reactive('api', 'uid', 'revision', 'mayAsk', 'error')
  declare api: Api
  declare uid: RecordId
  declare revision: number
  /** True if the user may ask the assistant. */
  declare mayAsk: boolean
  declare error: unknown
  readonly #page = new Load<RecordId, PageAnswer>(this, async (uid) => {
    const answer = await this.api.get<PageAnswer>(`/pages/${uid}`)
    const { title } = answer.page
    const mayEdit = answer.page.mayEdit || answer.content.some((element) => element.mayEdit)
    sendBackendEvent(this, 'backend-shown', { title, page: { uid, title, mayEdit } })
    return answer
  })

  override willUpdate(changes: PropertyValues): void {
    if (changes.has('uid')) this.error = undefined
    this.#page.want(this.uid, changes)
  }

  override render(): unknown {
    if (this.error !== undefined) return refusalView(this.error, () => this.#retry())
    return this.#page.render((answer) => this.#draw(answer))
  }

  #draw({ page, content, languages }: PageAnswer): unknown {
    return html`<div class="frame-head">
        ${crumbs(page.path, 'page')} ${page.mayEdit ? this.#actions(page) : nothing}
      </div>
      <div class="frame-body"><div class="page">
        <div class="page-title">
          <h1><bdi>${page.title}</bdi></h1>
          <p>${changedLine(page)}${page.hidden ? html`, <span class="badge">${t('frame.hidden')}</span>` : nothing}</p>
        </div>
        ${
          content.length === 0
            ? html`<p class="meta">${t('page.empty')}</p>`
            : groups(content).map((elements, at) =>
                section(elements, at, languages, this.mayAsk ? (it) => this.#ask(it) : undefined),
              )
        }
        ${page.mayEdit ? this.#adding(page) : nothing}
      </div></div>`
  }

  #actions(page: Page): unknown {
    return html`<button class="btn btn-sm btn-quiet" type="button" @click=${() => this.#setHidden(page)}>
        ${t(page.hidden ? 'page.show' : 'page.hide')}
      </button>
      <a class="btn btn-sm" href=${format({ module: 'page', page: page.uid, isEditing: true })}
        >${icon('pencil')}${t('page.edit')}</a
      >`
  }

  #adding({ uid }: Page): unknown {
    return html`<button class="btn btn-sm btn-quiet element-add" type="button" @click=${() => this.#add(uid)}>
      ${icon('plus')}${t('page.add')}
    </button>`
  }

  /**
   * Creates an element and opens its form. The element stays hidden until an editor shows it, so it may still be empty.
   */
  async #add(pid: RecordId): Promise<void> {
    try {
      const { record } = await this.api.post<RecordAnswer>(recordPath('content'), {
        pid,
        fields: { type: 'text' },
      })
      sendBackendEvent(this, 'backend-go', { module: 'record', table: 'content', uid: record.uid })
    } catch (error) {
      this.error = error
    }
  }

  #ask({ table, uid, pid, title }: CmsRecord): void {
    sendBackendEvent(this, 'backend-ask', { kind: 'record', table, uid, title, page: pid })
  }

  async #setHidden({ uid, hidden }: Page): Promise<void> {
    try {
      const path = recordPath('pages', uid)
      const { version } = (await this.api.get<RecordAnswer>(path)).record
      await this.api.post(path, { version, fields: { hidden: !hidden } })
      this.#page.again()
      sendBackendEvent(this, 'backend-changed', 'pages')
    } catch (error) {
      this.error = error
    }
  }

  #retry(): void {
    this.error = undefined
    this.#page.again()
  }
}

customElements.define('backend-page', BackendPage)

/** Groups the elements by column and language, in their order. */
const groups = (content: CmsRecord[]): CmsRecord[][] => [
  ...Map.groupBy(content, ({ fields, language }) => `${Number(fields.column ?? 0)}/${language}`).values(),
]

/** Asks the assistant about an element; undefined if the user may not use the chat. */
type Ask = ((element: CmsRecord) => void) | undefined

function section(elements: CmsRecord[], at: number, languages: Language[], ask: Ask): unknown {
  const [first] = elements
  const column = Number(first?.fields.column ?? 0)
  const language = first?.language ?? 0
  const known = languages.find(({ id }) => id === language)
  const name = column === 0 ? t('page.content') : t('page.column', { column })
  const heading = language > 0 ? t('page.in', { name, language: known?.title ?? `[${language}]` }) : name
  return html`<section class="elements" aria-labelledby="column-${at}">
    <h2 id="column-${at}">${heading}</h2>
    ${elements.map((element) => article(element, known?.locale, ask))}
  </section>`
}

function article(element: CmsRecord, locale: string | undefined, ask: Ask): unknown {
  const { header, body, type } = element.fields
  const href = format({ module: 'record', table: 'content', uid: element.uid })
  const source = String(body ?? '').trim()
  const text = plainText(type === 'list' ? source.replace(/\n+/g, ' · ') : source)
  return html`<article class="element ${element.hidden ? 'element-hidden' : ''}" lang=${locale ?? nothing}>
    <h3><a href=${href}><bdi>${header || t('page.untitled')}</bdi></a></h3>
    <span class="kind">${element.hidden ? html`<span class="badge">${t('frame.hidden')}</span> ` : nothing}${kindLabel(String(type))}, ${element.uid}</span>
    ${text ? html`<p dir="auto">${text}</p>` : nothing}
    ${ask ? askButton(element, ask) : nothing}
  </article>`
}

function askButton(element: CmsRecord, ask: NonNullable<Ask>): unknown {
  const label = t('page.ask', { name: element.title })
  return html`<button class="icon-btn element-ask" type="button" aria-label=${label} title=${label} @click=${() => ask(element)}>
    ${icon('chat')}
  </button>`
}

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }))

const kinds = ['text', 'header', 'list', 'html'] as const

function kindLabel(type: string): string {
  const known = kinds.find((kind) => kind === type)
  return known ? t(`kind.${known}`) : type
}

/** Returns formatted text as plain words in one line. */
function plainText(body: string): string {
  return body
    .replace(/<\/li>\s*<li/g, ' · $&')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(\w+);/g, (whole, name: string) => entities.get(name) ?? whole)
    .replace(/\s+/g, ' ')
    .trim()
}

function changedLine(page: Page): string {
  const when = day(page.changedAt)
  const slug = isolated(page.slug)
  if (!page.changedBy) return t('page.changed', { slug, when })
  return t('page.changedBy', { slug, when, user: isolated(page.changedBy) })
}
