import { html, nothing } from 'lit'
import type { CmsRecord, Language, Page, PageAnswer, RecordAnswer } from '../../core/cms/schema.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import { recordPath } from './backend-api.ts'
import { sendBackendEvent } from './events.ts'
import { icon } from './icon.ts'
import { crumbs, ModuleElement, reactive } from './module-element.ts'
import { addressOf } from './route.ts'
import { day, isolated, t } from './text.ts'

/**
 * The Page module: a page with its content elements in order.
 *
 * @fires backend-shown - when the page was loaded; the detail has the page
 * @fires backend-changed - when the user hid or showed the page; the detail is `pages`
 * @fires backend-ask - when the user wants to ask about an element; the detail names the element
 */
class BackendPage extends ModuleElement<PageAnswer> {
  static override properties = reactive('uid', 'mayAsk')
  declare uid: RecordId
  /** True if the user may ask the assistant. */
  declare mayAsk: boolean

  protected override get path(): string {
    return `/pages/${this.uid}`
  }

  protected override accept(answer: PageAnswer): void {
    super.accept(answer)
    const { uid, title, mayEdit } = answer.page
    const mayEditAny = mayEdit || answer.content.some((element) => element.mayEdit)
    sendBackendEvent(this, 'backend-shown', { title, page: { uid, title, mayEdit: mayEditAny } })
  }

  protected override draw({ page, content, languages }: PageAnswer): unknown {
    return html`<div class="frame-head">
        ${crumbs(page.path, 'page')} ${page.mayEdit ? this.#actions(page) : nothing}
      </div>
      <div class="frame-body"><div class="stack page">
        <div class="stack page-title">
          <h1><bdi>${page.title}</bdi></h1>
          <p class="meta">${changedLine(page)}${page.hidden ? html`, <span class="badge">${t('frame.hidden')}</span>` : nothing}</p>
        </div>
        ${
          content.length === 0
            ? html`<p class="meta">${t('page.empty')}</p>`
            : groups(content).map((elements, at) => section(elements, at, languages, this.mayAsk))
        }
        ${page.mayEdit ? this.#adding(page) : nothing}
      </div></div>`
  }

  #actions(page: Page): unknown {
    return html`<button class="btn btn-sm btn-quiet" type="button" @click=${() => this.#setHidden(page)}>
        ${t(page.hidden ? 'page.show' : 'page.hide')}
      </button>
      <a class="btn btn-sm" href=${addressOf({ module: 'page', page: page.uid, isEditing: true })}
        >${icon('pencil')}${t('page.edit')}</a
      >`
  }

  #adding({ uid }: Page): unknown {
    return html`<button class="btn btn-sm btn-quiet element-add" type="button" @click=${({ currentTarget }: Event) => this.#add(uid, currentTarget as HTMLButtonElement)}>
      ${icon('plus')}${t('page.add')}
    </button>`
  }

  /**
   * Creates an element and opens its form. The element stays hidden until an editor shows it, so it may still be empty.
   * The second press of a double click adds nothing.
   */
  async #add(pid: RecordId, pressed: HTMLButtonElement): Promise<void> {
    pressed.disabled = true
    try {
      const { record } = await this.api.post<RecordAnswer>(recordPath('content'), {
        pid,
        fields: { type: 'text' },
      })
      sendBackendEvent(this, 'backend-go', { module: 'record', table: 'content', uid: record.uid })
    } catch (error) {
      this.error = error
      pressed.disabled = false
    }
  }

  async #setHidden({ uid, hidden }: Page): Promise<void> {
    try {
      const path = recordPath('pages', uid)
      const { version } = (await this.api.get<RecordAnswer>(path)).record
      await this.api.post(path, { version, fields: { hidden: !hidden } })
      sendBackendEvent(this, 'backend-changed', 'pages')
    } catch (error) {
      this.error = error
    }
  }
}

customElements.define('backend-page', BackendPage)

/** Groups the elements by column and language, in their order. */
const groups = (content: CmsRecord[]): CmsRecord[][] => [
  ...Map.groupBy(content, ({ fields, language }) => `${Number(fields.column ?? 0)}/${language}`).values(),
]

function section(elements: CmsRecord[], at: number, languages: Language[], mayAsk: boolean): unknown {
  const [first] = elements
  const column = Number(first?.fields.column ?? 0)
  const language = first?.language ?? 0
  const known = languages.find(({ id }) => id === language)
  const name = column === 0 ? t('page.content') : t('page.column', { column })
  const heading = language > 0 ? t('page.in', { name, language: known?.title ?? `[${language}]` }) : name
  return html`<section class="stack elements" aria-labelledby="column-${at}">
    <h2 id="column-${at}">${heading}</h2>
    ${elements.map((element) => article(element, known?.locale, mayAsk))}
  </section>`
}

function article(element: CmsRecord, locale: string | undefined, mayAsk: boolean): unknown {
  const { header, body, type } = element.fields
  const href = addressOf({ module: 'record', table: 'content', uid: element.uid })
  const source = String(body ?? '').trim()
  const text = plainText(type === 'list' ? source.replace(/\n+/g, ' · ') : source)
  return html`<article class="card element ${element.hidden ? 'element-hidden' : ''}" lang=${locale ?? nothing}>
    <h3><a href=${href}><bdi>${header || t('page.untitled')}</bdi></a></h3>
    <span class="fine kind">${element.hidden ? html`<span class="badge">${t('frame.hidden')}</span> ` : nothing}${kindLabel(String(type))}, ${element.uid}</span>
    ${text ? html`<p class="meta" dir="auto">${text}</p>` : nothing}
    ${mayAsk ? askButton(element) : nothing}
  </article>`
}

function askButton({ table, uid, pid, title }: CmsRecord): unknown {
  const label = t('page.ask', { name: title })
  const ask = ({ currentTarget }: Event) => {
    const detail = { kind: 'record', table, uid, title, page: pid } as const
    if (currentTarget) sendBackendEvent(currentTarget, 'backend-ask', detail)
  }
  return html`<button class="icon-btn element-ask" type="button" aria-label=${label} title=${label} @click=${ask}>
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
