import ReactWebChat, { createStore } from 'botframework-webchat'
import { createRoot } from 'react-dom/client'
import { find, run } from '../../page/harness.ts'

/** The least of an observable that remembers what it said. */
function subject() {
  const observers = new Set()
  const said = []
  const observable = {
    subscribe(given) {
      const observer = typeof given === 'function' ? { next: given } : given
      observers.add(observer)
      for (const value of said) observer.next?.(value)
      return { unsubscribe: () => observers.delete(observer) }
    },
    [Symbol.observable ?? '@@observable']() {
      return this
    },
  }
  const next = (value) => {
    said.push(value)
    for (const observer of observers) observer.next?.(value)
  }
  return { next, observable }
}

const activity = subject()
const connection = subject()
let sequence = 0
const entry = ({ id, role, text }) => {
  sequence += 1
  return {
    type: 'message',
    id,
    channelId: 'bench',
    conversation: { id: 'bench' },
    from: role === 'user' ? { id: 'me', role: 'user' } : { id: 'bot', role: 'bot' },
    text,
    textFormat: 'markdown',
    timestamp: new Date(1.7e12 + sequence * 1_000).toISOString(),
    channelData: { 'webchat:sequence-id': sequence },
  }
}
const directLine = {
  activity$: activity.observable,
  connectionStatus$: connection.observable,
  getSessionId: () => subject().observable,
  postActivity: () => subject().observable,
  end: () => {},
  referenceGrammarId: '1',
}

run({
  mount: (place, history) => {
    createRoot(place).render(
      <ReactWebChat
        directLine={directLine}
        store={createStore()}
        userID="me"
        styleOptions={{ rootHeight: '100%' }}
      />,
    )
    for (const status of [0, 1, 2]) connection.next(status)
    for (const message of history) activity.next(entry(message))
  },
  append: (message) => activity.next(entry(message)),
  input: () => find('[data-id="webchat-sendbox-input"], textarea, input[type=text]'),
})
