import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  useExternalStoreRuntime,
} from '@assistant-ui/react'
import { MarkdownTextPrimitive } from '@assistant-ui/react-markdown'
import { useCallback, useState } from 'react'
import { createRoot } from 'react-dom/client'
import remarkGfm from 'remark-gfm'
import { find, run } from '../../page/harness.ts'

const plugins = [remarkGfm]
const Text = () => <MarkdownTextPrimitive remarkPlugins={plugins} smooth={false} />
const UserMessage = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts />
  </MessagePrimitive.Root>
)
const AssistantMessage = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts components={{ Text }} />
  </MessagePrimitive.Root>
)
const components = { UserMessage, AssistantMessage }
const convertMessage = ({ id, role, text }) => ({ id, role, content: [{ type: 'text', text }] })
const column = { height: '100%', display: 'flex', flexDirection: 'column' }
let push
let first = []

function App() {
  const [messages, setMessages] = useState(first)
  push = useCallback((message) => setMessages((known) => [...known, message]), [])
  const onNew = async ({ content }) => push({ id: `n${Date.now()}`, role: 'user', text: content[0].text })
  const runtime = useExternalStoreRuntime({ messages, convertMessage, onNew, isRunning: false })
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root style={column}>
        <ThreadPrimitive.Viewport style={{ flex: 1, overflow: 'auto' }}>
          <ThreadPrimitive.Messages components={components} />
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input placeholder="Write" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  )
}

run({
  mount: (place, history) => {
    first = history
    createRoot(place).render(<App />)
  },
  append: (message) => push(message),
  input: () => find('textarea'),
})
