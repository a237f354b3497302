import { type CSSResult, unsafeCSS } from 'lit'
import controls from '../../controls.css?inline'
import tokens from '../../tokens.css?inline'
import composer from '../composer/composer.css?inline'
import conversation from '../conversation/conversation.css?inline'
import message from '../message/message.css?inline'
import { ownSizes } from '../style/adopt.ts'
import base from '../style/base.css?inline'
import moduleCss from './module.css?inline'
import panel from './panel.css?inline'

/** Tokens that take the colour or font of the backend around the chat, if it has its own. */
const ofHost = new Map(
  Object.entries({
    '--aic-font': '--typo3-font-family',
    '--aic-sheet': '--typo3-component-bg',
    '--aic-text': '--typo3-component-color',
    '--aic-line': '--typo3-component-border-color',
  }),
)

/**
 * The design's tokens on the element itself. The page chooses the colour scheme: `light-dark()` follows the
 * `color-scheme` that the element inherits, or its own `data-theme`.
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

// Sheets of what every view shows; a part on demand brings its own.
const sharedSheets = [hostTokens(tokens), controls, base, conversation, message, composer].map((css) =>
  unsafeCSS(ownSizes(css)),
)

/** The sheets of the module. */
export const moduleStyles: CSSResult[] = [...sharedSheets, unsafeCSS(ownSizes(moduleCss))]
/** The sheets of the panel. */
export const panelStyles: CSSResult[] = [...sharedSheets, unsafeCSS(ownSizes(panel))]
