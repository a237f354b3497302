import '@chatscope/chat-ui-kit-styles/dist/default/styles.min.css'
import {
  ChatContainer,
  MainContainer,
  Message,
  MessageInput,
  MessageList,
} from '@chatscope/chat-ui-kit-react'
import DOMPurify from 'dompurify'
import { marked } from 'marked'
import { useCallback, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { find, run } from '../../page/harness.ts'

// It knows no markdown: the usual pair makes HTML of it, once for each message.
const made = new Map()
const html = ({ id, text }) => {
  if (!made.has(id)) made.set(id, DOMPurify.sanitize(marked.parse(text)))
  return made.get(id)
}
let push
let first = []

function App() {
  const [rows, setRows] = useState(first)
  push = useCallback((message) => setRows((known) => [...known, message]), [])
  return (
    <MainContainer>
      <ChatContainer>
        <MessageList>
          {rows.map((row) => {
            const direction = row.role === 'user' ? 'outgoing' : 'incoming'
            return (
              <Message
                key={row.id}
                model={{ type: 'html', payload: html(row), direction, position: 'single' }}
              />
            )
          })}
        </MessageList>
        <MessageInput placeholder="Write" />
      </ChatContainer>
    </MainContainer>
  )
}

run({
  mount: (place, history) => {
    first = history
    createRoot(place).render(<App />)
  },
  append: (message) => push(message),
  input: () => find('[contenteditable=true]'),
})
