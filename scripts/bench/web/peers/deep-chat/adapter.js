import 'deep-chat'
import { find, run } from '../../page/harness.ts'

const chat = document.createElement('deep-chat')
chat.style.cssText = 'width:100%;height:100%;border:0'
chat.connect = { handler: (_, signals) => signals.onResponse({ text: 'ok' }) }
const entry = ({ role, text }) => ({ role: role === 'user' ? 'user' : 'ai', text })

run({
  mount: (place, history) => {
    if (history.length > 0) chat.history = history.map(entry)
    place.append(chat)
  },
  append: (message) => chat.addMessage(entry(message)),
  input: () => find('#text-input'),
})
