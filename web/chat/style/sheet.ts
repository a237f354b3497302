import { unsafeCSS } from 'lit'

/**
 * Returns a sheet whose `rem` sizes follow `--aic-rem` instead of the page's root font. Conditions of at-rules stay,
 * because they cannot use variables.
 */
export const ownSizes = (css: string): string =>
  css.replace(/@[^{]*|(-?[\d.]+)rem\b/g, (whole, count?: string) =>
    count === undefined ? whole : `calc(${count} * var(--aic-rem))`,
  )

const sheets = new Map<string, CSSStyleSheet | undefined>()

/** Adds the styles of a lazily loaded part to its view, after the view's own sheets. A repeat adds nothing. */
export function adoptStyles(
  { renderRoot: root }: { readonly renderRoot: HTMLElement | DocumentFragment },
  css: string,
): void {
  const sheet = sheets.get(css) ?? unsafeCSS(ownSizes(css)).styleSheet
  sheets.set(css, sheet)
  if (!sheet || !(root instanceof ShadowRoot) || root.adoptedStyleSheets.includes(sheet)) return
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}
