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

/** The tokens that use a colour or font of the surrounding backend, if it defines one. */
const ofHost = new Map(
  Object.entries({
    '--aic-font': '--typo3-font-family',
    '--aic-sheet': '--typo3-component-bg',
    '--aic-text': '--typo3-component-color',
    '--aic-line': '--typo3-component-border-color',
  }),
)

/**
 * Returns the design's tokens for the element itself. The page chooses the colour scheme: `light-dark()` follows the
 * inherited `color-scheme` or the element's `data-theme`.
 */
export function hostTokens(css: string): string {
  return css
    .replace(/:root(\[[^\]]+\])?/g, (_, condition?: string) => (condition ? `:host(${condition})` : ':host'))
    .replace(/color-scheme:\s*light dark;?/, '')
    .replace(/(--aic-[a-z0-9-]+):\s*([^;}]+)/g, (whole, name: string, value: string) => {
      const ofPage = ofHost.get(name)
      return ofPage ? `${name}: var(${ofPage}, ${value.trim()})` : whole
    })
}
