import '@n8n/chat/style.css'
import { createChat } from '@n8n/chat'
import { find, run } from '../../page/harness.ts'

let next = 'ok'
const kinds = { user: 'HumanMessage', assistant: 'AIMessage' }
const entry = ({ role, text }) => ({
  id: ['langchain_core', 'messages', kinds[role]],
  kwargs: { content: text },
})

run({
  mount: (place, history) => {
    place.id = 'n8n-host'
    const real = window.fetch
    window.fetch = async (target, options) => {
      if (!String(target).includes('/hook')) return real(target, options)
      const isHistory = `${target}${options?.body ?? ''}`.includes('loadPreviousSession')
      return Response.json(isHistory ? { data: history.map(entry) } : { output: next })
    }
    localStorage.setItem('n8n-chat/sessionId', 'bench')
    createChat({
      webhookUrl: `${location.origin}/hook`,
      target: '#n8n-host',
      mode: 'fullscreen',
      loadPreviousSession: true,
      initialMessages: [],
      showWelcomeScreen: false,
    })
  },
  // It cannot be handed a message: an append is a message sent, and the answer to it.
  append: async ({ text }, at) => {
    next = text
    const input = find('textarea')
    const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')
    set.call(input, `q${at}`)
    input.dispatchEvent(new Event('input', { bubbles: true }))
    await Promise.resolve()
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
  },
  input: () => find('textarea'),
})
