import { unsafeCSS } from 'lit'

/** A sheet with sizes that follow `--aic-rem`, in the place of the page's root font. Conditions of a sheet know no variable. */
export const ownSizes = (css: string): string =>
  css.replace(/@[^{]*|(-?[\d.]+)rem\b/g, (whole, count?: string) =>
    count === undefined ? whole : `calc(${count} * var(--aic-rem))`,
  )

/**
 * Adopts the stylesheet of a part that is loaded on demand. The returned function adds it to a view, once, after the
 * view's own sheets.
 */
export function adopter(
  css: string,
): (view: { readonly renderRoot: HTMLElement | DocumentFragment }) => void {
  const { styleSheet } = unsafeCSS(ownSizes(css))
  return ({ renderRoot: root }) => {
    if (!styleSheet || !(root instanceof ShadowRoot) || root.adoptedStyleSheets.includes(styleSheet)) return
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, styleSheet]
  }
}
