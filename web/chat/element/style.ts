import { type CSSResult, unsafeCSS } from 'lit'
import controls from '../../controls.css?inline'
import tokens from '../../tokens.css?inline'
import composer from '../composer/composer.css?inline'
import conversation from '../conversation/conversation.css?inline'
import history from '../history/history.css?inline'
import message from '../message/message.css?inline'
import base from '../style/base.css?inline'
import moduleCss from './module.css?inline'
import panel from './panel.css?inline'

/** Where the backend around the chat has a colour or font of its own, that one is taken. */
const ofHost: Record<string, string> = {
  '--aic-font': '--typo3-font-family',
  '--aic-sheet': '--typo3-component-bg',
  '--aic-text': '--typo3-component-color',
  '--aic-line': '--typo3-component-border-color',
}

/**
 * The design's tokens on the element itself. The colour scheme is left to the page: `light-dark()` follows whatever
 * `color-scheme` the element inherits, or its own `data-theme`.
 */
export function hostTokens(css: string): string {
  return css
    .replace(/:root(\[[^\]]+\])?/g, (_, condition?: string) => (condition ? `:host(${condition})` : ':host'))
    .replace(/color-scheme:\s*light dark;?/, '')
    .replace(/(--aic-[a-z0-9-]+):\s*([^;}]+)/g, (whole, name: string, value: string) =>
      ofHost[name] ? `${name}: var(${ofHost[name]}, ${value.trim()})` : whole,
    )
}

// Sheets of what every view shows; a part on demand brings its own.
const shared = [hostTokens(tokens), controls, base, conversation, message, composer, history].map((css) =>
  unsafeCSS(css),
)

/** The sheets of the module. */
export const moduleStyles: CSSResult[] = [...shared, unsafeCSS(moduleCss)]
/** The sheets of the panel. */
export const panelStyles: CSSResult[] = [...shared, unsafeCSS(panel)]
