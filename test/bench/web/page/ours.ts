import type { MessagesAnswer } from '../../../../core/chat/messages-request.ts'
import type { ListAnswer } from '../../../../core/chat/request.ts'
import type { StatusAnswer } from '../../../../core/chat/status-request.ts'
import type { PendingApproval, PendingCall, Summary } from '../../../../core/conversation/schema.ts'
import type { Message as StoredMessage } from '../../../../core/conversation/transcript/schema.ts'
import type { SessionAnswer } from '../../../../core/user/session/schema.ts'
import type { ChatElement } from '../../../../web/chat/element/element.ts'
import { answer, summary } from '../../../web/chat/build.ts'
import { find, run } from './harness.ts'
import type { Message } from './messages.ts'

const id = `2-${'0'.repeat(26)}`
const at = '2026-11-20T12:00:00.000Z'

/** The number of records in the pending proposal; 0 for no proposal. */
const proposed = Number(new URLSearchParams(location.search).get('rows') ?? 0)

/**
 * Draws the product's own module from the files that a stage serves, with a stage that answers at once. With `all` it
 * loads every earlier message, as a reader does who presses the button until it disappears.
 */
export function ours(all: boolean): void {
  const rows: Message[] = []
  let chat: ChatElement
  serve(rows)
  const idle = holdIdle()
  run({
    idle,
    mount: async (place, history) => {
      rows.push(...history)
      await import('/backend/chat.js' as string)
      chat = document.createElement('ai-chat-module') as ChatElement
      chat.style.cssText = 'display:block;height:100%'
      if (history.length > 0) chat.setAttribute('conversation-id', id)
      place.append(chat)
      if (all) await everything(chat, history.length)
    },
    append: (message) => {
      rows.push(message)
      // Scrolls to the end as after a send, so that the new message is on the screen.
      if (message.role === 'user') chat.scroller.toEnd()
      chat.store?.look(chat.conversation)
    },
    input: () => find('#message'),
  })
}

/** The delay before the chat prefetches, and the longest time that the prefetch takes, in milliseconds. */
const aheadMs = 3_000

/**
 * Holds back the chat's idle work until the caller runs the returned function. Idle work has its own row in the report.
 * On a slow machine it must not count for another row.
 */
function holdIdle(): () => Promise<void> {
  const real = window.requestIdleCallback.bind(window)
  let held: (() => number)[] | null = []
  window.requestIdleCallback = (act, options) => {
    if (!held) return real(act, options)
    return held.push(() => real(act, options))
  }
  return async () => {
    const due = performance.now() + aheadMs
    for (const act of held ?? []) act()
    held = null
    await new Promise((done) => setTimeout(done, due - performance.now()))
  }
}

async function everything(chat: ChatElement, count: number): Promise<void> {
  const shown = () => chat.renderRoot.querySelectorAll('.msg').length
  while (shown() < count) {
    chat.find('.log-top button[aria-disabled=false]')?.click()
    await new Promise((done) => setTimeout(done, 10))
  }
}

/** Answers the module's requests from memory. */
function serve(rows: Message[]): void {
  const real = window.fetch
  window.fetch = async (target, options) => {
    const url = new URL(String(target), location.href)
    const known = answerTo(url, rows)
    return known === undefined ? real(target, options) : Response.json(known)
  }
}

type Answer = SessionAnswer | StatusAnswer | ListAnswer | MessagesAnswer

function answerTo({ pathname, searchParams }: URL, rows: Message[]): Answer | undefined {
  if (pathname === '/backend/session') return { user, csrfToken: 'bench', mayChat: true }
  if (pathname === '/ai-chat/status') return status
  if (pathname === '/ai-chat/conversations')
    return { conversations: rows.length > 0 ? [summaryOf(rows)] : [], nextCursor: null }
  if (pathname !== '/ai-chat/conversations/messages') return undefined
  const number = (name: string) => (searchParams.has(name) ? Number(searchParams.get(name)) : undefined)
  const [before, tail, after] = [number('before'), number('tail'), number('after') ?? 0]
  const to = before ?? rows.length
  const last = before === undefined ? tail : (number('limit') ?? 200)
  const from = last === undefined ? after : Math.max(0, to - last)
  return answer({
    conversation: summaryOf(rows),
    messages: rows.slice(from, to).map((row, offset) => entry(row, from + offset)),
    pendingApproval: proposed > 0 ? proposal(proposed) : null,
  })
}

function entry({ role, text }: Message, sequence: number): StoredMessage {
  return {
    sequence,
    role,
    content: text,
    createdAt: at,
    ...(role === 'assistant' && { runId: `r${sequence}` }),
  }
}

/** Returns a proposal that changes a word in a long text of each of `count` records. */
function proposal(count: number): PendingApproval {
  const text = (word: string) =>
    `${'What stays as it is. '.repeat(60)}${word}${' And so does this.'.repeat(60)}`
  const calls = Array.from(
    { length: count },
    (_, at): PendingCall => ({
      id: `c#${at}`,
      tool: 'update_records',
      title: `Change record ${at}`,
      arguments: {},
      preview: {
        table: 'content',
        uid: at + 1,
        label: `Record ${at}`,
        changes: [{ field: 'text', label: 'Text', before: text(`old ${at}`), after: text(`new ${at}`) }],
      },
    }),
  )
  return { runId: 'r1', digest: 'd', expiresAt: '2099-01-01T00:00:00.000Z', mayDecide: true, calls }
}

function summaryOf(rows: Message[]): Summary {
  // A question is in progress until it has its answer, as on a real stage.
  const resting = rows.at(-1)?.role === 'user' ? 'processing' : 'idle'
  const status = proposed > 0 ? 'awaiting_approval' : resting
  return summary({ id, status, messageCount: rows.length, version: rows.length + 1 })
}

const user = { uid: 2, username: 'editor', name: 'Edgar Holm', isAdmin: false, groups: [1], lang: 'en' }

const status: StatusAnswer = {
  available: true,
  issues: [],
  provider: { name: 'Bench', model: 'bench', isAI: true },
  supportedFormats: ['png', 'pdf'],
  accept: '.png,.pdf',
  saveAs: {},
  maxFileSize: 20_971_520,
  maxFilesPerConversation: 5,
  maxMessageLength: 10_000,
  maxSystemPromptLength: 10_000,
  maxCharacters: {
    title: 255,
    reason: 2_000,
    answer: 2_000,
    wording: 20_000,
    feedback: 500,
    promptTitle: 100,
    promptText: 2_000,
    instructions: 2_000,
    tokenName: 60,
    secret: 8_192,
  },
  pollIntervalMs: 1_500,
  activeConversations: 0,
  maxActiveConversations: 3,
  tools: [],
  pages: 'pages',
  home: 1,
  connections: false,
  siteFiles: false,
  accessTokens: false,
  usage: { todayTokens: 0, dailyTokens: null, stage: null },
  version: '0',
}
