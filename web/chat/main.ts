import { ChatModule } from './element/module.ts'
import { ChatPanel } from './element/panel.ts'

/**
 * The chat's one script: defines `<ai-chat-module>` and `<ai-chat-panel>`, and nothing else. Loaded twice, the
 * first definition stays.
 */
if (!customElements.get('ai-chat-module')) customElements.define('ai-chat-module', ChatModule)
if (!customElements.get('ai-chat-panel')) customElements.define('ai-chat-panel', ChatPanel)

declare global {
  interface HTMLElementTagNameMap {
    'ai-chat-module': ChatModule
    'ai-chat-panel': ChatPanel
  }
}
