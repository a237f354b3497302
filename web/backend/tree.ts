import { html, nothing, type PropertyValues } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { PagesAnswer } from '../../core/cms/schema.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import { above, branches, filtered, move, type Row, visible } from './branch.ts'
import { sendBackendEvent } from './events.ts'
import { icon } from './icon.ts'
import { ModuleElement, reactive, searchField, withState } from './module-element.ts'
import { t } from './text.ts'

/**
 * The page tree, with a filter, mouse control, and the keys of the WAI-ARIA tree pattern. Branches stay open
 * when the pages are loaded again.
 *
 * @fires backend-choose - when the user chose a page; the detail is its uid
 */
class BackendTree extends withState(ModuleElement<PagesAnswer>, {
  open: new Set() as ReadonlySet<RecordId>,
  focused: null as RecordId | null,
  text: '',
}) {
  static override properties = reactive('selected')
  declare selected: RecordId | null
  /** The last selected page for which the tree opened the branches above it. */
  #shown: RecordId | null = null

  protected override get path(): string {
    return '/pages'
  }

  override willUpdate(changes: PropertyValues): void {
    super.willUpdate(changes)
    const pages = this.data?.pages
    if (!pages) return
    if (this.open.size === 0)
      this.open = new Set(pages.filter((page) => page.depth < 1).map((page) => page.uid))
    if (this.selected !== null && this.#shown !== this.selected) {
      this.#shown = this.selected
      this.focused = this.selected
      this.open = new Set([...this.open, ...above(pages, this.selected)])
    }
  }

  override render(): unknown {
    return html`<div class="tree-head">
        ${searchField('search', t('tree.filter'), this)}
      </div>
      ${super.render()}`
  }

  /** Draws the rows as siblings with `aria-level`, so that the clickable area of a row contains no other row. */
  protected override draw({ pages }: PagesAnswer): unknown {
    const shown = filtered(branches(pages), this.text)
    if (shown.length === 0)
      return html`<p class="meta">${t(pages.length > 0 ? 'tree.none' : 'tree.empty')}</p>`
    const rows = visible(shown, (uid) => this.text.trim() !== '' || this.open.has(uid))
    const focused = rows.find(({ page }) => page.uid === this.focused) ?? rows[0]
    return html`<div role="tree" aria-label=${t('tree.name')} @keydown=${(event: KeyboardEvent) => this.#press(event, rows)}>
      ${repeat(rows, uidOf, (row) => this.#row(row, row === focused))}
    </div>`
  }

  #row({ page, children, isOpen, level, position, siblings }: Row, isFocused: boolean): unknown {
    return html`<div class="row node" role="treeitem" id="page-${page.uid}"
      aria-level=${level} aria-posinset=${position} aria-setsize=${siblings}
      aria-labelledby="page-${page.uid}-title" aria-selected=${page.uid === this.selected}
      aria-expanded=${children.length > 0 ? isOpen : nothing}
      tabindex=${isFocused ? 0 : -1} @click=${() => this.#choose(page.uid)}>
      ${Array.from({ length: Math.min(level, 7) - 1 }, () => indent)}
      ${children.length > 0 ? this.#twist(page.uid, isOpen) : indent}
      ${icon(page.parent === 0 ? 'home' : 'page', 'faint')}
      <span class="ellipsis node-title" id="page-${page.uid}-title" dir="auto">${page.title}${
        page.hidden ? html`<span class="vh">, ${t('tree.hidden')}</span>` : nothing
      }</span>
      ${page.hidden ? icon('hidden', 'faint') : nothing}
      <span class="fine uid" data-uid=${page.uid}></span>
    </div>`
  }

  #twist(uid: RecordId, isOpen: boolean): unknown {
    const turn = (event: Event) => {
      event.stopPropagation()
      this.#setOpen(uid, !isOpen)
    }
    return html`<span class="twist-box" @click=${turn}>${icon(isOpen ? 'down' : 'right', 'faint i-d')}</span>`
  }

  #setOpen(uid: RecordId, isOpen: boolean): void {
    const open = new Set(this.open)
    if (isOpen) open.add(uid)
    else open.delete(uid)
    this.open = open
  }

  #press(event: KeyboardEvent, rows: Row[]): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const uid = Number((event.target as Element).id.replace('page-', ''))
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      this.#choose(uid)
      return
    }
    const result = move(rows, uid, this.#logical(event.key))
    if (!result) return
    event.preventDefault()
    if ('focus' in result) void this.#focus(result.focus)
    else if ('open' in result) this.#setOpen(result.open, true)
    else this.#setOpen(result.close, false)
  }

  /** Returns `forward` or `backward` for the left and right arrow keys, which swap in a script from right to left. */
  #logical(key: string): string {
    const isMirrored = document.documentElement.dir === 'rtl'
    if (key === 'ArrowRight') return isMirrored ? 'backward' : 'forward'
    if (key === 'ArrowLeft') return isMirrored ? 'forward' : 'backward'
    return key
  }

  async #focus(uid: RecordId): Promise<void> {
    this.focused = uid
    await this.updateComplete
    this.querySelector<HTMLElement>(`#page-${uid}`)?.focus()
  }

  #choose(uid: RecordId): void {
    this.focused = uid
    sendBackendEvent(this, 'backend-choose', uid)
  }
}

customElements.define('backend-tree', BackendTree)

const indent = html`<span class="indent"></span>`

const uidOf = ({ page }: Row) => page.uid
