import { type CSSResult, unsafeCSS } from 'lit'
import controls from '../../controls.css?inline'
import tokens from '../../tokens.css?inline'
import composer from '../composer/composer.css?inline'
import conversation from '../conversation/conversation.css?inline'
import message from '../message/message.css?inline'
import base from '../style/base.css?inline'
import { ownSizes } from '../style/sheet.ts'
import moduleCss from './module.css?inline'
import panel from './panel.css?inline'

// The sheets that every view needs; a part that is loaded on demand adopts its own sheet.
const sharedSheets = [tokens, controls, base, conversation, message, composer].map((css) =>
  unsafeCSS(ownSizes(css)),
)

/** The sheets of the module. */
export const moduleStyles: CSSResult[] = [...sharedSheets, unsafeCSS(ownSizes(moduleCss))]
/** The sheets of the panel. */
export const panelStyles: CSSResult[] = [...sharedSheets, unsafeCSS(ownSizes(panel))]
