import {
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type ReactiveController,
  type ReactiveControllerHost,
  type TemplateResult,
} from 'lit'
import type { RecordId } from '../../core/conversation/schema.ts'
import { RequestError } from './backend-api.ts'
import { icon } from './icon.ts'
import { format } from './route.ts'
import { t } from './text.ts'

/**
 * Loads the data of a module, and loads it again when the key changes. It drops answers to earlier keys, and keeps the
 * current value while it loads the same key again.
 */
export class Load<K, T> implements ReactiveController {
  value: T | undefined
  error: unknown
  readonly #host: ReactiveControllerHost
  readonly #fetch: (key: K) => Promise<T>
  #key: string | undefined
  #latest: K | undefined

  constructor(host: ReactiveControllerHost, fetch: (key: K) => Promise<T>) {
    this.#host = host
    this.#fetch = fetch
    host.addController(this)
  }

  hostDisconnected(): void {
    this.#key = undefined
  }

  /**
   * Loads the key. The current key is loaded again only if `revision` has changed; `revision` grows with each change of
   * a record. With `keeps`, the earlier value is shown until the new value is loaded.
   */
  want(key: K, changes: PropertyValues, keeps = false): void {
    const name = JSON.stringify(key)
    if (name === this.#key) {
      if (changes.get('revision') !== undefined) this.again()
      return
    }
    if (!keeps) this.value = undefined
    this.error = undefined
    this.#key = name
    this.#latest = key
    void this.#run(key, name)
  }

  /** Loads the current key again; the shown value stays until the answer arrives. */
  again(): void {
    if (this.#key !== undefined) void this.#run(this.#latest as K, this.#key)
  }

  /** Replaces the loaded value. */
  set(value: T): void {
    this.value = value
    this.error = undefined
    this.#host.requestUpdate()
  }

  /** Returns the view of the loaded value by `draw`, a loading message, or the view of the failure. */
  render(draw: (value: T) => unknown): unknown {
    if (this.error !== undefined) return refusalView(this.error, () => this.again())
    if (this.value === undefined) return html`<p class="waiting" role="status">${t('site.loading')}</p>`
    return draw(this.value)
  }

  async #run(key: K, name: string): Promise<void> {
    try {
      const value = await this.#fetch(key)
      if (name === this.#key) this.set(value)
    } catch (error) {
      if (name !== this.#key) return
      this.error = error
      this.#host.requestUpdate()
    }
  }
}

/** Returns the view of a failure: the message, a button to try again, and the request's id for an administrator. */
export function refusalView(error: unknown, retry: () => void): TemplateResult {
  const known = error instanceof RequestError ? error : undefined
  return html`<div class="stack refusal" role="alert">
    <h1>${t('frame.failed')}</h1>
    <p>${known?.message ?? t('frame.offline')}</p>
    <p>
      <button class="btn btn-sm" type="button" @click=${retry}>${t('frame.retry')}</button>
      ${known?.requestId ? html`<code>${t('frame.reference', { id: known.requestId })}</code>` : nothing}
    </p>
  </div>`
}

/** Returns declarations of properties that draw an element again when they change; they have no attributes. */
export const reactive = (...names: string[]): PropertyDeclarations =>
  Object.fromEntries(names.map((name) => [name, { state: true }]))

/**
 * The base of the backend's elements. It renders into the document itself, so that one style sheet and one set of ids
 * work for all of them.
 */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this
  }
}

/** Returns a base class with the members of `state`. A change of a member draws the element again. */
export function withState<S extends object>(state: S) {
  class Stateful extends LightElement {
    static override properties = reactive(...Object.keys(state))

    constructor() {
      super()
      Object.assign(this, state)
    }
  }
  return Stateful as unknown as Omit<typeof LightElement, 'prototype'> & (new () => LightElement & S)
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

/** Returns a module without a page: its title, its controls, and its content. */
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
  return html`<nav class="row row-wrap crumbs" aria-label=${t('frame.path')}>
    ${above.map((page) => html`<a href=${href(page.uid, module)} dir="auto">${page.title}</a>${icon('right')}`)}
    <span aria-current="page" dir="auto">${last}</span>
  </nav>`
}

function href(page: RecordId, module: 'page' | 'list'): string {
  if (module === 'page') return format({ module, page, isEditing: false })
  return format({ module, table: null, page, offset: 0 })
}
