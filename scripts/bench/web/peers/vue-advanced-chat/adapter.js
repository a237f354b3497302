import { register } from 'vue-advanced-chat'
import { find, run } from '../../page/harness.ts'

register()
const chat = document.createElement('vue-advanced-chat')
let rows = []
const entry = ({ id, role, text }) => ({
  _id: id,
  content: text,
  senderId: role === 'user' ? 'me' : 'bot',
  username: role,
  date: '20 November',
  timestamp: '10:20',
})
const show = () => {
  chat.messages = rows
  chat.messagesLoaded = true
}

run({
  mount: (place, history) => {
    rows = history.map(entry)
    const attributes = {
      height: '700px',
      'current-user-id': 'me',
      'single-room': 'true',
      'rooms-loaded': 'true',
    }
    for (const [name, value] of Object.entries(attributes)) chat.setAttribute(name, value)
    place.append(chat)
    const users = [
      { _id: 'me', username: 'me' },
      { _id: 'bot', username: 'bot' },
    ]
    chat.rooms = [{ roomId: 'r', roomName: 'Chat', avatar: '', users }]
    chat.roomsLoaded = true
    chat.roomId = 'r'
    chat.setAttribute('room-id', 'r')
    setTimeout(show, 50)
    chat.addEventListener('fetch-messages', () => setTimeout(show, 0))
  },
  append: (message) => {
    rows = [...rows, entry(message)]
    chat.messages = rows
  },
  input: () => find('textarea'),
})
