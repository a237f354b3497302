import { unsafeCSS } from 'lit'

/**
 * Takes the sheet of a part that is loaded on demand. The returned function gives it to a view, once, after the sheets
 * that the view has: the part comes with all its rules.
 */
export function adopter(
  css: string,
): (view: { readonly renderRoot: HTMLElement | DocumentFragment }) => void {
  const { styleSheet } = unsafeCSS(css)
  return ({ renderRoot: root }) => {
    if (!styleSheet || !(root instanceof ShadowRoot) || root.adoptedStyleSheets.includes(styleSheet)) return
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, styleSheet]
  }
}
