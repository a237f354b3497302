import { ChatModule } from './element/module.ts'
import { ChatPanel } from './element/panel.ts'

/**
 * The only script of the chat: it defines `<ai-chat-module>` and `<ai-chat-panel>`, and nothing else. If it is loaded
 * twice, the first definition stays.
 */
try {
  // A registered length is computed on the element that sets it, then inherited. Only a document can register it.
  CSS.registerProperty({ name: '--aic-rem', syntax: '<length>', inherits: true, initialValue: '16px' })
} catch {
  // The page has already loaded the script.
}
if (!customElements.get('ai-chat-module')) customElements.define('ai-chat-module', ChatModule)
if (!customElements.get('ai-chat-panel')) customElements.define('ai-chat-panel', ChatPanel)

declare global {
  interface HTMLElementTagNameMap {
    'ai-chat-module': ChatModule
    'ai-chat-panel': ChatPanel
  }
}
