import { createAiChat } from '@nlux/core'
import '@nlux/themes/nova.css'
import { find, frame, run } from '../../page/harness.ts'

let next = 'ok'

run({
  mount: (place, history) => {
    let chat = createAiChat()
      .withAdapter({ batchText: async () => next })
      .withDisplayOptions({ height: '100%', width: '100%' })
    if (history.length > 0)
      chat = chat
        .withInitialConversation(history.map(({ role, text }) => ({ role, message: text })))
        .withConversationOptions({ historyPayloadSize: 0 })
    chat.mount(place)
  },
  // It cannot be handed a message: an append is a message sent, and the answer to it.
  append: async ({ text }, at) => {
    next = text
    const input = find('textarea')
    input.value = `q${at}`
    input.dispatchEvent(new Event('input', { bubbles: true }))
    await frame()
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
    find('.nlux-comp-composer button, button')?.click()
  },
  input: () => find('textarea'),
})
