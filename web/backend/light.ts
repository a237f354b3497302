import { LitElement } from 'lit'

/** An element of the backend: rendered into the document itself, so that one style sheet and one set of ids serve all. */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this
  }
}
