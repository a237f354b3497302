import * as z from 'zod'
import { overview } from '../../core/agent/offered.ts'
import { maxCharacters } from '../../core/base/characters.ts'
import { inCatalogue } from '../../core/base/language.ts'
import german from '../../core/base/languages/de/sentences.json'
import { MessagesAnswer } from '../../core/chat/messages-request.ts'
import * as Api from '../../core/chat/request.ts'
import { AmendAnswer, FeedbackAnswer } from '../../core/chat/request.ts'
import { StatusAnswer } from '../../core/chat/status-request.ts'
import type {
  Mention,
  NextMessage,
  PendingApproval,
  PendingCall,
  Summary,
} from '../../core/conversation/schema.ts'
import * as Start from '../../core/conversation/schema.ts'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import { FileInfoAnswer } from '../../core/file/schema.ts'
import { OwnUsageAnswer } from '../../core/stage/usage/schema.ts'
import { BeginAnswer, ConnectionsAnswer, type ConnectionView } from '../../core/user/connection/schema.ts'
import { Feedback, InstructionsAnswer } from '../../core/user/schema.ts'
import { SessionAnswer } from '../../core/user/session/schema.ts'
import { isBusy } from '../../web/chat/store/known-transcript.ts'
import { summary as summaryOf } from '../web/chat/build.ts'

type Conversation = Pick<
  MessagesAnswer,
  | 'messages'
  | 'activity'
  | 'pendingApproval'
  | 'systemPrompt'
  | 'versions'
  | 'next'
  | 'usage'
  | 'windowPercent'
  | 'deferredUntil'
  | 'progress'
> & {
  pollAfterMs?: number | null
  summary: Summary
  cutVersion: number
}
export type Asked = {
  method: string
  path: string
  query: URLSearchParams
  body: Record<string, unknown>
  key: string
}

type Answer = { status: number; body: unknown }

/** A call that waits, as the reply of the model names it. */
const callOf = ({ id, tool, arguments: args }: PendingCall) => ({ id, name: tool, arguments: args })

/** The user has no tokens. The schema of the tokens leads to the table, which no browser has. */
const Tokens = z.object({ tokens: z.tuple([]), oauth: z.boolean() })

/** The schema of each route's answer; all others answer with the conversation. */
const answers: Record<string, z.ZodType> = {
  '/backend/session': SessionAnswer,
  '/ai-chat/status': StatusAnswer,
  '/ai-chat/conversations': Api.ListAnswer,
  '/ai-chat/file-info': FileInfoAnswer,
  '/ai-chat/picture': Api.PictureAnswer,
  '/ai-chat/connections': ConnectionsAnswer,
  '/ai-chat/connections/begin': BeginAnswer,
  '/ai-chat/connections/token': ConnectionsAnswer,
  '/ai-chat/connections/disconnect': ConnectionsAnswer,
  '/ai-chat/access-tokens': Tokens,
  '/ai-chat/access-tokens/create': Tokens.extend({ token: z.string() }),
  '/ai-chat/mentions': Api.MentionsAnswer,
  '/ai-chat/conversations/feedback': FeedbackAnswer,
  '/ai-chat/instructions': InstructionsAnswer,
  '/ai-chat/prompts': Api.PromptsAnswer,
  '/ai-chat/usage': OwnUsageAnswer,
  '/ai-chat/usage/export': z.string(),
  '/ai-chat/prompts/save': Api.OwnPromptsAnswer,
  '/ai-chat/prompts/delete': Api.OwnPromptsAnswer,
  '/ai-chat/conversations/send': Start.SendAnswer,
  '/ai-chat/conversations/messages': MessagesAnswer,
  '/ai-chat/conversations/next': Start.NextAnswer,
  '/ai-chat/conversations/edit': Start.EditAnswer,
  '/ai-chat/conversations/amend': AmendAnswer,
  '/ai-chat/conversations/undo': Api.UndoAnswer.or(Start.ConversationAnswer),
  '/ai-chat/conversations/system-prompt': Api.SystemPromptAnswer,
}

/** A picture of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Test files run side by side in one browser, and would hear each other as tabs of the same user. */
const newUid = () => 1 + Math.floor(Math.random() * 1_000_000_000)

/**
 * A stage that answers as the contract says, in place of `fetch`: conversations in memory, and turns that happen when
 * the test says so. Each has an origin and a user of its own, so that tests share nothing.
 */
export class Stage {
  /** The user who is logged in. */
  uid = newUid()
  readonly origin = `http://stage-${this.uid}.test`
  readonly asked: Asked[] = []
  readonly conversations = new Map<string, Conversation>()
  /** Undos are queued. */
  undoesLater = false
  isOffline = false
  /** The session answers, the chat does not. */
  isChatDown = false
  isExpired = false
  isDenied = false
  lang = 'en'
  isAdmin = false
  status: Partial<StatusAnswer> = {}
  /** What the stage says of its files, by uid. */
  readonly files = new Map<number, FileInfoAnswer>()
  /** What the next edit says of the turns that it drops, and what an undo of them answers. */
  readonly dropped: { runId: string; changes: number; answer: Api.UndoAnswer }[] = []
  /** Answers of the next requests to a path, before the stage's own. */
  readonly refusals = new Map<string, { status: number; code: string; message: string }>()
  /** Answers of a path wait for this. */
  readonly held = new Map<string, Promise<void>>()
  /** Prompts of the stage, and of the user. */
  prompts: Api.PromptsAnswer = { shared: [], own: [] }
  /** What the user has said about an answer. */
  feedback: Feedback | null = null
  /** What the user says for all conversations. */
  instructions = ''
  /** The house style of the stage. */
  houseStyle = ''
  /** What of the site messages can name. */
  site: Mention[] = []
  /** The user's last days; null where the settings show none. */
  usage: OwnUsageAnswer['usage'] = null
  /** Servers that want a grant of the user. */
  connections: ConnectionView[] = []
  #ids = 0
  readonly #wrong: string[] = []
  readonly #fetch = window.fetch

  constructor() {
    window.fetch = async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input)
      if (url.origin !== this.origin) return this.#fetch(input, init)
      return this.#answer(url, init ?? {})
    }
  }

  /** Gives `fetch` back. An answer that the API would never give is an error. */
  leave(): void {
    window.fetch = this.#fetch
    if (this.#wrong.length > 0) throw new Error(`No answer of the API: ${this.#wrong.join('\n')}`)
  }

  /** Requests to a path so far. */
  to(path: string): Asked[] {
    return this.asked.filter((one) => one.path === `/ai-chat${path}`)
  }

  add(over: Partial<Summary> = {}, messages: Omit<Message, 'sequence' | 'createdAt'>[] = []): string {
    const id = `${this.uid}-${String(++this.#ids).padStart(26, '0')}`
    const now = new Date(Date.now() + this.#ids).toISOString()
    const title = `Conversation ${this.#ids}`
    const summary = summaryOf({ id, title, createdAt: now, updatedAt: now, ...over })
    this.conversations.set(id, {
      summary,
      messages: [],
      activity: [],
      pendingApproval: null,
      systemPrompt: '',
      versions: [],
      next: [],
      usage: null,
      windowPercent: 0,
      deferredUntil: null,
      progress: null,
      cutVersion: 0,
    })
    if (messages.length > 0) this.say(id, ...messages)
    return id
  }

  /** Rows of a turn come in. */
  say(id: string, ...messages: Omit<Message, 'sequence' | 'createdAt'>[]): void {
    const conversation = this.#get(id)
    for (const message of messages)
      conversation.messages.push({
        createdAt: new Date().toISOString(),
        ...message,
        sequence: conversation.messages.length,
      })
    this.change(id, { messageCount: conversation.messages.length, updatedAt: new Date().toISOString() })
  }

  change(id: string, over: Partial<Summary>, more: Partial<Conversation> = {}): void {
    const conversation = this.#get(id)
    Object.assign(conversation, more)
    conversation.summary = { ...conversation.summary, ...over, version: conversation.summary.version + 1 }
  }

  /** The turn ends with an answer. */
  finish(id: string, content: string, over: Partial<Message> = {}): void {
    this.say(id, { role: 'assistant', content, runId: 'run', ...over })
    this.change(id, { status: 'idle' })
  }

  pause(id: string, pending: Partial<PendingApproval> = {}): void {
    const pendingApproval: PendingApproval = {
      runId: 'run',
      digest: 'd1',
      expiresAt: new Date(Date.now() + 7 * 86_400_000).toISOString(),
      mayDecide: true,
      calls: [],
      ...pending,
    }
    this.change(id, { status: 'awaiting_approval' }, { pendingApproval })
  }

  /** Adds a conversation whose turn waits for the decision on these calls; answers its id. */
  propose(calls: PendingCall[], toolCalls = calls.map(callOf)): string {
    const id = this.add({}, [
      { role: 'user', content: 'Change it' },
      { role: 'assistant', content: 'I prepared it.', runId: 'run', toolCalls },
    ])
    this.pause(id, { calls })
    return id
  }

  #get(id: string): Conversation {
    const conversation = this.conversations.get(id)
    if (!conversation) throw new Error(`No conversation ${id}`)
    return conversation
  }

  async #answer(url: URL, init: RequestInit): Promise<Response> {
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {}
    const headers = new Headers(init.headers)
    const asked = {
      method: init.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body,
      key: headers.get('Idempotency-Key') ?? '',
    }
    this.asked.push(asked)
    await this.held.get(url.pathname)
    if (this.isOffline || (this.isChatDown && url.pathname.startsWith('/ai-chat')))
      throw new TypeError('Failed to fetch')
    return this.#checked(asked, this.#refused(url.pathname) ?? this.#route(asked))
  }

  #edited({ status, body }: Answer): Answer {
    const droppedRuns = this.dropped.map(({ runId, changes }) => ({ runId, changes }))
    return { status, body: { ...(body as object), ...(droppedRuns.length > 0 && { droppedRuns }) } }
  }

  #refused(path: string): Answer | undefined {
    if (this.isDenied) return refuse(403, 'access.denied', 'You may not use the AI chat.')
    if (this.isExpired) return refuse(401, 'session.expired', 'Your session has ended. Log in again.')
    const refusal = this.refusals.get(path)
    this.refusals.delete(path)
    return refusal && refuse(refusal.status, refusal.code, refusal.message)
  }

  /** Keeps to the API: what its schema does not know is left out, and what it misses fails the test. */
  #checked({ path }: Asked, { status, body }: Answer): Response {
    const schema = status < 400 ? (answers[path] ?? Start.ConversationAnswer) : Api.ErrorAnswer
    const { data = body, error } = schema.safeParse(body)
    if (error) this.#wrong.push(`${path} ${status}: ${z.prettifyError(error)}`)
    return Response.json(data, { status })
  }

  #route({ path, query, body }: Asked): Answer {
    const id = String(body.conversationId ?? query.get('conversationId') ?? '')
    const conversation = this.conversations.get(id)
    switch (path) {
      case '/backend/session':
        return ok({
          user: {
            uid: this.uid,
            username: 'editor',
            name: 'Editor',
            isAdmin: this.isAdmin,
            groups: [1],
            lang: this.lang,
          },
          csrfToken: 'token',
          mayChat: true,
        })
      case '/ai-chat/status':
        return ok(this.#status(query.get('lang') ?? this.lang))
      case '/ai-chat/file-info':
        return this.#file(Number(query.get('fileUid')))
      case '/ai-chat/picture':
        return ok({ mimeType: 'image/png', base64: pixel, width: 1, height: 1 })
      case '/ai-chat/mentions': {
        const words = query.get('query')?.toLowerCase() ?? ''
        const uid = query.get('uid')
        if (uid !== null) return ok({ mentions: this.site.filter((one) => String(one.uid) === uid) })
        return ok({ mentions: this.site.filter(({ title }) => title.toLowerCase().includes(words)) })
      }
      case '/ai-chat/usage':
        return ok({ usage: this.usage })
      case '/ai-chat/usage/export':
        return ok('day,uid')
      case '/ai-chat/prompts':
        return ok(this.prompts)
      case '/ai-chat/prompts/save':
      case '/ai-chat/prompts/delete': {
        const others = this.prompts.own.filter(({ id }) => id !== body.id)
        const id = String(body.id ?? `${others.length}`.padStart(26, '0'))
        const saved = { id, title: String(body.title), text: String(body.text) }
        this.prompts = { ...this.prompts, own: path.endsWith('save') ? [...others, saved] : others }
        return ok({ own: this.prompts.own })
      }
      case '/ai-chat/conversations/feedback': {
        const { verdict, reason = null, words = '' } = body
        if (verdict !== undefined) this.feedback = verdict ? Feedback.parse({ verdict, reason, words }) : null
        return ok({ feedback: this.feedback })
      }
      case '/ai-chat/instructions':
        this.instructions = String(body.text ?? this.instructions)
        return ok({ text: this.instructions, houseStyle: this.houseStyle })
      case '/ai-chat/connections':
        return ok({ connections: this.connections })
      case '/ai-chat/connections/token':
      case '/ai-chat/connections/disconnect': {
        const state = path.endsWith('token') ? 'connected' : 'none'
        this.connections = this.connections.map((one) =>
          one.server === body.server ? { ...one, state } : one,
        )
        return ok({ connections: this.connections })
      }
      case '/ai-chat/access-tokens':
        return ok({ tokens: [], oauth: false })
      case '/ai-chat/access-tokens/create':
        return ok({ tokens: [], oauth: false, token: 'secret' })
      case '/ai-chat/connections/begin':
        return ok({ url: `${this.origin}/grant` })
      case '/ai-chat/conversations':
        return ok(this.#page(query))
      case '/ai-chat/conversations/create':
        return ok({ conversation: this.#get(this.add({ title: '' })).summary }, 201)
      case '/ai-chat/conversations/send':
        return this.#send(body, conversation ? id : this.add({ title: String(body.content).slice(0, 80) }))
    }
    if (!conversation) return refuse(404, 'conversation.notFound', 'This conversation does not exist.')
    switch (path) {
      case '/ai-chat/conversations/messages':
        return ok(messages(conversation, query))
      case '/ai-chat/conversations/next':
        conversation.next = queued(conversation.next, body, isBusy(conversation.summary.status))
        this.change(id, {}, {})
        return ok({ conversation: conversation.summary, next: conversation.next })
      case '/ai-chat/conversations/edit':
        conversation.messages.splice(Number(body.sequence))
        this.change(id, {}, { cutVersion: conversation.summary.version + 1 })
        return this.#edited(this.#send(body, id))
      case '/ai-chat/conversations/version':
        conversation.versions = conversation.versions.map((one) =>
          one.sequence === body.sequence ? { ...one, at: Number(body.version) } : one,
        )
        this.change(id, {})
        break
      case '/ai-chat/conversations/approve':
        this.change(id, { status: 'processing' }, { pendingApproval: null })
        break
      case '/ai-chat/conversations/amend': {
        const pending = conversation.pendingApproval as PendingApproval
        const [field, after] = [String(body.field), String(body.value)]
        const calls = pending.calls.map((call) => {
          if (call.id !== body.callId || !call.preview) return call
          const changes = call.preview.changes.map((one) => (one.field === field ? { ...one, after } : one))
          return {
            ...call,
            wording: { ...call.wording, [field]: after },
            preview: { ...call.preview, changes },
          }
        })
        const pendingApproval = { ...pending, digest: `d${Number(pending.digest.slice(1)) + 1}`, calls }
        this.change(id, {}, { pendingApproval })
        return ok({ conversation: conversation.summary, pendingApproval })
      }
      case '/ai-chat/conversations/retry':
        this.change(id, { status: 'processing', errorCode: null })
        break
      case '/ai-chat/conversations/cancel':
        this.say(id, { role: 'assistant', content: 'Stopped.', notice: 'cancelled' })
        this.change(id, { status: 'idle' })
        break
      case '/ai-chat/conversations/undo': {
        const known = this.dropped.find(({ runId }) => runId === body.runId)
        if (known) return ok(known.answer)
        if (this.undoesLater) {
          this.change(id, { status: 'processing' })
          break
        }
        this.say(id, {
          role: 'assistant',
          content: 'Taken back.',
          notice: 'undone',
          runId: String(body.runId),
        })
        return ok({ undone: [{ table: 'content', uid: 12 }], conflicts: [] })
      }
      case '/ai-chat/conversations/system-prompt':
        this.change(id, {}, { systemPrompt: String(body.systemPrompt) })
        return ok({ conversation: conversation.summary, systemPrompt: conversation.systemPrompt })
      case '/ai-chat/conversations/delete':
        this.change(id, { title: conversation.summary.title }, { cutVersion: conversation.cutVersion })
        this.#hidden[body.deleted ? 'add' : 'delete'](id)
        break
      default:
        this.change(id, { ...body, conversationId: undefined } as Partial<Summary>)
    }
    return ok({ conversation: conversation.summary })
  }

  #file(fileUid: number): Answer {
    const file = this.files.get(fileUid)
    return file ? ok(file) : refuse(404, 'file.notFound', 'This file does not exist.')
  }

  readonly #hidden = new Set<string>()

  #send(body: Record<string, unknown>, id: string): Answer {
    const conversation = this.#get(id)
    const sequence = conversation.messages.length
    const names = (body.mentions ?? []) as { table: string; uid: unknown }[]
    const mentions = names.flatMap(({ table, uid }) =>
      this.site.filter((one) => one.table === table && one.uid === uid),
    )
    this.say(id, { role: 'user', content: String(body.content), ...(mentions.length > 0 && { mentions }) })
    this.change(id, { status: 'processing', archived: false }, { pendingApproval: null, activity: [] })
    return ok({ conversation: conversation.summary, sequence }, 202)
  }

  /** A page of the list; the cursor is the number of the conversations before it. */
  #page(query: URLSearchParams): Api.ListAnswer {
    const found = this.#list(query)
    const from = Number(query.get('cursor') ?? 0)
    const to = from + Number(query.get('limit'))
    return { conversations: found.slice(from, to), nextCursor: found.length > to ? String(to) : null }
  }

  #list(query: URLSearchParams): Summary[] {
    const wanted = (query.get('search') ?? '').toLowerCase()
    return [...this.conversations.values()]
      .map((conversation) => conversation.summary)
      .filter((one) => !this.#hidden.has(one.id))
      .filter(
        (one) =>
          one.archived === (query.get('archived') === 'true') &&
          (query.get('waiting') !== 'true' || one.status === 'awaiting_approval') &&
          one.title.toLowerCase().includes(wanted),
      )
  }

  #status(lang: string): StatusAnswer {
    const usable = [
      'get_page_content',
      'search_records',
      'get_record_history',
      'get_page_tree',
      'update_record',
    ]
    return {
      available: true,
      issues: [],
      provider: { name: 'Anthropic', model: 'claude', isAI: true },
      supportedFormats: ['png', 'pdf', 'txt'],
      accept: '.png,.pdf,.txt',
      saveAs: { doc: 'docx' },
      maxFileSize: 20_971_520,
      maxFilesPerConversation: 5,
      maxMessageLength: 200,
      maxSystemPromptLength: 1_000,
      maxCharacters: { ...maxCharacters, promptText: 1_000 },
      pollIntervalMs: 1_000,
      activeConversations: 0,
      maxActiveConversations: 3,
      version: '0.1.0',
      tools: overview(undefined, 'en').map((tool) => ({
        ...inCatalogue(lang === 'de' ? german : {}, tool),
        available: usable.includes(tool.name),
      })),
      pages: 'pages',
      home: 1,
      connections: false,
      accessTokens: false,
      siteFiles: false,
      usage: { todayTokens: 0, dailyTokens: null, stage: null },
      ...this.status,
    }
  }
}

function messages(conversation: Conversation, query: URLSearchParams): MessagesAnswer {
  const { summary, activity, progress, pendingApproval, systemPrompt, versions, next, usage, deferredUntil } =
    conversation
  const base = {
    conversation: summary,
    activity,
    progress,
    pendingApproval,
    systemPrompt,
    versions,
    next,
    usage,
    windowPercent: conversation.windowPercent,
    deferredUntil,
    pollAfterMs: conversation.pollAfterMs ?? null,
    reset: false,
    more: false,
  }
  const version = Number(query.get('version') ?? -1)
  if (version === summary.version) return { ...base, messages: [], unchanged: true }
  const tail = query.get('tail')
  if (tail) return { ...base, messages: conversation.messages.slice(-Number(tail)), unchanged: false }
  const before = query.get('before')
  if (before) {
    const end = Number(before)
    const start = Math.max(0, end - Number(query.get('limit')))
    return { ...base, messages: conversation.messages.slice(start, end), unchanged: false }
  }
  const reset = version < conversation.cutVersion
  const after = reset ? 0 : Number(query.get('after') ?? 0)
  return { ...base, messages: conversation.messages.slice(after), unchanged: false, reset }
}

function ok(body: unknown, status = 200): Answer {
  return { status, body }
}

function refuse(status: number, code: string, message: string): Answer {
  return { status, body: { error: { code, message, requestId: 'r-1' } } }
}

/** The messages that wait after a change of them. */
function queued(next: NextMessage[], body: Record<string, unknown>, isRunning: boolean): NextMessage[] {
  const content = String(body.content)
  if (body.act === 'add') return [...next, { id: String(next.length + 1), content }]
  if (body.act === 'send' && isRunning)
    return next.map((one) => (one.id === body.id ? { ...one, now: true } : one))
  if (body.act === 'edit') return next.map((one) => (one.id === body.id ? { ...one, content } : one))
  if (body.act === 'hold' || body.act === 'release') return next
  return next.filter(({ id }) => id !== body.id)
}
