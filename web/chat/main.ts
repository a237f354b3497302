import { ChatModule } from './element/module.ts'
import { ChatPanel } from './element/panel.ts'

/**
 * The chat's one script: defines `<ai-chat-module>` and `<ai-chat-panel>`, and nothing else. Loaded twice, the
 * first definition stays.
 */
try {
  // Computed where it is set, on the element, and inherited as a length. Only a document can say so.
  CSS.registerProperty({ name: '--aic-rem', syntax: '<length>', inherits: true, initialValue: '16px' })
} catch {
  // The page has loaded the script before.
}
if (!customElements.get('ai-chat-module')) customElements.define('ai-chat-module', ChatModule)
if (!customElements.get('ai-chat-panel')) customElements.define('ai-chat-panel', ChatPanel)

declare global {
  interface HTMLElementTagNameMap {
    'ai-chat-module': ChatModule
    'ai-chat-panel': ChatPanel
  }
}
