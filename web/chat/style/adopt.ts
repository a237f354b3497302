import { type CSSResult, unsafeCSS } from 'lit'

/** The sheet of a part that is loaded on demand. */
export function sheet(css: string): CSSResult {
  return unsafeCSS(css)
}

/** Gives a view the sheet of a part that it draws, once; after its own, so that the part comes with all its rules. */
export function adopt(
  view: { readonly renderRoot: HTMLElement | DocumentFragment },
  { styleSheet }: CSSResult,
): void {
  const root = view.renderRoot
  if (!styleSheet || !(root instanceof ShadowRoot) || root.adoptedStyleSheets.includes(styleSheet)) return
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, styleSheet]
}
