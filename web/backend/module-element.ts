import {
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit'
import type { RecordId } from '../../core/conversation/schema.ts'
import { type Api, RequestError } from './backend-api.ts'
import { icon } from './icon.ts'
import { addressOf } from './route.ts'
import { t } from './text.ts'

/** Returns the view of a failure: the message, a button to try again, and the request's id for an administrator. */
export function refusalView(error: unknown, retry: () => unknown): TemplateResult {
  const known = error instanceof RequestError ? error : undefined
  return html`<div class="stack refusal" role="alert">
    <h1>${t('frame.failed')}</h1>
    <p>${known?.message ?? t('frame.offline')}</p>
    <p class="row row-wrap">
      ${again(retry)}
      ${known?.requestId ? html`<code>${t('frame.reference', { id: known.requestId })}</code>` : nothing}
    </p>
  </div>`
}

const again = (retry: () => unknown) =>
  html`<button class="btn btn-sm" type="button" @click=${retry}>${t('frame.retry')}</button>`

/** Returns declarations of properties without attributes. A change of a property draws the element again. */
export const reactive = (...names: string[]): PropertyDeclarations =>
  Object.fromEntries(names.map((name) => [name, { state: true }]))

/**
 * The base of the backend's elements. It renders into the document itself and has no box: one style sheet, one layout
 * and one set of ids work for all.
 */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    this.classList.add('contents')
    return this
  }
}

/**
 * The base of the modules and of the page tree: loads the data of a path, and draws them. It loads them again when the
 * path changes, and when records may have changed.
 */
export abstract class ModuleElement<T> extends LightElement {
  static override properties = reactive('api', 'revision', 'data', 'error')
  declare api: Api
  /** A counter that grows whenever records may have changed. */
  declare revision: number
  /** The loaded data; undefined until they arrive. */
  declare data: T | undefined
  /** The last failure; it is shown in place of the data, or above them while there is no connection. */
  declare error: unknown
  /** True if the data of the earlier path are shown until the data of the new path arrive. */
  protected readonly keepsData: boolean = false
  #path: string | undefined
  /** The id of the control with which the user changed the path. It gets the focus again when the new data are drawn. */
  #control = ''
  /** The path of the shown data. */
  #shown: string | undefined
  /** The number of requests so far. Only the answer to the last one is shown. */
  #requests = 0

  /** The path that identifies the data. */
  protected abstract get path(): string

  protected abstract draw(data: T): unknown

  protected load(path: string): Promise<T> {
    return this.api.get(path)
  }

  override willUpdate(changes: PropertyValues): void {
    if (this.path === this.#path) {
      if (changes.get('revision') !== undefined) void this.reload()
      return
    }
    this.#path = this.path
    this.#control = this.querySelector(':focus')?.id ?? ''
    this.error = undefined
    if (!this.keepsData) this.data = undefined
    void this.reload()
  }

  override render(): unknown {
    const { error, data } = this
    const retry = () => this.reload()
    const isOld = this.#shown === this.path && error instanceof RequestError && error.code === 'offline'
    if (error !== undefined && !isOld) return refusalView(error, retry)
    if (data === undefined) return html`<p class="waiting faint" role="status">${t('site.loading')}</p>`
    const note = html`<p class="row row-wrap notice" role="alert">${t('frame.old')} ${again(retry)}</p>`
    return html`${isOld ? note : nothing}${this.draw(data)}`
  }

  /** Loads the data of the path again; the shown data stay until the answer arrives. */
  protected async reload(): Promise<void> {
    const request = ++this.#requests
    try {
      const data = await this.load(this.path)
      if (request === this.#requests) this.accept(data)
    } catch (error) {
      if (request === this.#requests) this.error = error
    }
  }

  /** Shows data in place of the earlier data or failure. */
  protected accept(data: T): void {
    this.data = data
    this.error = undefined
    this.#shown = this.path
    const control = document.activeElement === document.body ? this.#control : ''
    this.#control = ''
    void this.updateComplete.then(() => document.getElementById(control)?.focus())
  }
}

type ElementClass<E> = Omit<typeof LightElement, 'prototype'> & (abstract new () => E)

/** Returns a class that extends `Base` by the members of `state`. A change of a member draws the element again. */
export function withState<E extends LightElement, S extends object>(Base: ElementClass<E>, state: S) {
  class Stateful extends (Base as unknown as typeof LightElement) {
    static override properties = reactive(...Object.keys(state))

    constructor() {
      super()
      Object.assign(this, state)
    }
  }
  return Stateful as unknown as ElementClass<E & S>
}

/** Returns the search field of a filter; each input sets the element's `text`. */
export function searchField(className: string, label: string, element: { text: string }): TemplateResult {
  const type = (event: InputEvent) => {
    element.text = (event.target as HTMLInputElement).value
  }
  return html`<label class=${className}>${icon('search')}<span class="vh">${label}</span
    ><input type="search" placeholder=${label} .value=${element.text} @input=${type} />
  </label>`
}

/** Returns the view of a module that shows no page: its title, its controls, and its content. */
export function titledFrame(title: string, tools: unknown, content: unknown): TemplateResult {
  return html`<div class="frame-head"><h1 class="frame-title">${title}</h1> ${tools}</div>
    <div class="frame-body">${content}</div>`
}

/**
 * Returns the path from the root to the shown page or record. The pages are links within the module; the last part is
 * the current page or record.
 */
export function crumbs(
  pages: { uid: RecordId; title: string }[],
  module: 'page' | 'list',
  leaf?: string,
): TemplateResult {
  const above = leaf === undefined ? pages.slice(0, -1) : pages
  const last = leaf ?? pages.at(-1)?.title ?? ''
  return html`<nav class="row row-wrap meta crumbs" aria-label=${t('frame.path')}>
    ${above.map((page) => html`<a href=${href(page.uid, module)} dir="auto">${page.title}</a>${icon('right', 'faint')}`)}
    <span aria-current="page" dir="auto">${last}</span>
  </nav>`
}

function href(page: RecordId, module: 'page' | 'list'): string {
  if (module === 'page') return addressOf({ module, page, isEditing: false })
  return addressOf({ module, table: null, page, offset: 0 })
}
