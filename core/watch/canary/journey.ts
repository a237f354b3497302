import * as z from 'zod'
import type { Clock } from '../../base/clock.ts'
import { MessagesAnswer } from '../../chat/messages-request.ts'
import { ListAnswer } from '../../chat/request.ts'
import { StatusAnswer } from '../../chat/status-request.ts'
import { ConversationAnswer, isBusy, SendAnswer } from '../../conversation/schema.ts'
import { FileInfo, FileInfoAnswer, UploadAnswer } from '../../file/schema.ts'
import { type Check, Untried } from './proof.ts'
import type { Errand } from './schema.ts'
import { type Ask, enter, open, Unexpected, type Visitor } from './visitor.ts'

/** The errand of a canary, with the address of its stage, its HTTP client and its clock. */
export type Visit = Errand & { origin: string; ask: Ask; clock: Clock }

/** Time limits for the end of a turn and of a cancelled turn, in milliseconds. */
const turnMs = 75_000
const cancelMs = 20_000
const lookMs = 1_000

/** The beginning of a canary's messages, by which it recognises its own conversations. */
const mark = 'Canary check'
const fileText = 'The canary of the stage sings at seven.'

const chat = '/ai-chat/conversations'

/**
 * Returns the checks of a canary, which uses the stage over HTTP like any user. The last check removes what the other
 * checks left, and the remains of an earlier visit that broke off.
 */
export function journey(visit: Visit): Check[] {
  const journey = new Journey(visit)
  const doors: Check[] = [
    { name: 'pages', prove: () => checkPages(visit.ask, visit.origin) },
    { name: 'login', prove: () => journey.login() },
    { name: 'status', needs: ['login'], prove: () => journey.status() },
  ]
  if (!visit.turns) return [...doors, { name: 'logout', needs: ['login'], prove: () => journey.leave() }]
  return [
    ...doors,
    { name: 'upload', needs: ['login'], prove: () => journey.upload() },
    { name: 'direct upload', needs: ['login'], prove: () => journey.uploadDirectly() },
    { name: 'send', needs: ['upload'], prove: () => journey.send() },
    { name: 'poll', needs: ['send'], prove: () => journey.poll() },
    { name: 'approve', needs: ['poll', 'direct upload'], prove: () => journey.decline() },
    { name: 'export', needs: ['send'], prove: () => journey.export() },
    { name: 'removal', needs: ['login'], prove: () => journey.remove() },
  ]
}

/** The steps of a canary. Each step returns its finding in words; later steps use what earlier steps created. */
class Journey {
  readonly #visit: Visit
  #entered: Visitor | undefined
  #conversationId = ''
  readonly #files: number[] = []

  constructor(visit: Visit) {
    this.#visit = visit
  }

  get #visitor(): Visitor {
    if (!this.#entered) throw new Error('Nobody has logged in')
    return this.#entered
  }

  async login(): Promise<string> {
    const { ask, origin, who } = this.#visit
    this.#entered = await enter(ask, origin, who)
    if (this.#visit.turns) await this.#removeOwn()
    return 'username' in who ? 'by password' : 'by exchange'
  }

  async remove(): Promise<string> {
    const count = await this.#removeOwn()
    return `${count} conversations, and ${await this.leave()}`
  }

  async leave(): Promise<string> {
    await this.#visitor.leave()
    return 'the session'
  }

  async status(): Promise<string> {
    const { available, issues, provider } = await this.#visitor.get('/ai-chat/status', StatusAnswer)
    if (!available) throw new Unexpected(issues.map(({ message }) => message).join(' '))
    return `${provider.model} of ${provider.name}`
  }

  async upload(): Promise<string> {
    const form = new FormData()
    form.set('file', new Blob([fileText], { type: 'text/plain' }), 'canary.txt')
    const { fileUid } = await this.#visitor.post('/ai-chat/file-upload', form, 201, FileInfo)
    this.#files.push(fileUid)
    return 'in a form'
  }

  async uploadDirectly(): Promise<string> {
    const file = new Blob([fileText], { type: 'text/plain' })
    const asked = { name: 'canary-direct.txt', mimeType: file.type, size: file.size }
    const path = '/ai-chat/file-upload'
    const { fileUid, upload } = await this.#visitor.post(path, asked, 200, UploadAnswer)
    const form = new FormData()
    for (const [name, value] of Object.entries(upload.fields)) form.set(name, value)
    form.set('file', file)
    const stored = await open(this.#visit.ask, upload.url, { method: 'POST', body: form })
    if (!stored.ok) throw new Unexpected(`The store answered ${stored.status} to the upload`)
    await this.#visitor.post(`${path}/complete`, { fileUid }, 200, FileInfo)
    const { url } = await this.#visitor.get(`/ai-chat/file-info?fileUid=${fileUid}`, FileInfoAnswer)
    const back = await open(this.#visit.ask, url)
    if (!back.ok || (await back.text()) !== fileText)
      throw new Unexpected(`The store answered ${back.status}, and not with the file`)
    this.#files.push(fileUid)
    return 'past the functions, and back'
  }

  async send(): Promise<string> {
    const body = { content: `${mark}: when does the canary sing?`, fileUid: this.#files[0] }
    const { conversation } = await this.#start(`${chat}/send`, body, SendAnswer)
    const { id: conversationId, title } = conversation
    this.#conversationId = conversationId
    // A model writes no title over one that a user has set, so the mark stays.
    await this.#visitor.post(`${chat}/rename`, { conversationId, title }, 200, ConversationAnswer)
    return 'with a file'
  }

  async poll(): Promise<string> {
    const { messages } = await this.#awaitEnd(this.#conversationId, turnMs)
    if (messages.at(-1)?.role !== 'assistant') throw new Unexpected('The turn ended without an answer')
    return `${messages.length} messages`
  }

  async decline(): Promise<string> {
    const conversationId = this.#conversationId
    const content = `Rename page ${this.#visit.page} to ${mark}`
    await this.#start(`${chat}/send`, { conversationId, content, fileUid: this.#files[1] }, SendAnswer)
    const { pendingApproval } = await this.#awaitEnd(conversationId, turnMs)
    if (!pendingApproval) throw new Unexpected('The model proposed no change')
    const { digest } = pendingApproval
    const decision = { conversationId, digest, approve: false, reason: 'This is a check of the service.' }
    await this.#start(`${chat}/approve`, decision, ConversationAnswer)
    const after = await this.#awaitEnd(conversationId, turnMs)
    if (after.pendingApproval) throw new Unexpected('The proposal still waits after it was declined')
    return 'a proposal was made and declined'
  }

  async export(): Promise<string> {
    const path = `${chat}/export`
    const answer = await this.#visitor.raw(`${path}?conversationId=${this.#conversationId}`)
    const text = await answer.text()
    if (answer.status !== 200 || !text.includes(mark))
      throw new Unexpected(`GET ${path} answered ${answer.status}, and not with the conversation`)
    return `${text.length} characters of Markdown`
  }

  /** Starts a turn. Throws Untried during maintenance of the stage, which is no failure. */
  async #start<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    try {
      return await this.#visitor.post(path, body, 202, schema)
    } catch (error) {
      if (error instanceof Unexpected && error.code === 'service.maintenance')
        throw new Untried('the stage is maintained, and starts no turn')
      throw error
    }
  }

  /**
   * Resolves with the conversation after its turn has ended well. Throws if the turn failed or does not end in time.
   */
  async #awaitEnd(id: string, timeoutMs: number): Promise<MessagesAnswer> {
    const until = this.#visit.clock.now() + timeoutMs
    for (;;) {
      const query = new URLSearchParams({ conversationId: id })
      const seen = await this.#visitor.get(`${chat}/messages?${query}`, MessagesAnswer)
      const { status, errorCode } = seen.conversation
      if (status === 'failed') throw new Unexpected(`The turn failed with ${errorCode}`)
      if (!isBusy(status)) return seen
      if (this.#visit.clock.now() >= until)
        throw new Unexpected(`The turn was ${status} for ${timeoutMs / 1_000} s: no consumer has ended it`)
      await this.#visit.clock.sleep(lookMs)
    }
  }

  /** Deletes the canaries' conversations, so that they and their files fill no limit; returns their number. */
  async #removeOwn(): Promise<number> {
    const query = new URLSearchParams({ search: mark, limit: '100' })
    const list = await this.#visitor.get(`${chat}?${query}`, ListAnswer)
    const own = list.conversations.filter(({ title }) => title.startsWith(mark))
    for (const { id, status } of own) {
      if (isBusy(status)) {
        await this.#visitor.post(`${chat}/cancel`, { conversationId: id }, 202, ConversationAnswer)
        await this.#awaitEnd(id, cancelMs).catch((error: unknown) => {
          // A conversation can be deleted even if its turn failed.
          if (!(error instanceof Unexpected && error.message.startsWith('The turn failed'))) throw error
        })
      }
      const body = { conversationId: id, deleted: true }
      await this.#visitor.post(`${chat}/delete`, body, 200, z.unknown())
    }
    return own.length
  }
}

/** Security headers that every page of the service must have, each with a part of its value. */
const headers: Record<string, string> = {
  'content-security-policy': "default-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}
/** The header that only answers over HTTPS have. */
const secure = { 'strict-transport-security': 'max-age=' }

/**
 * Loads the script of the chat and one of its parts, and returns a description of both. Throws if a file, a security
 * header, or the time for which browsers keep the part is missing.
 */
async function checkPages(ask: Ask, origin: string): Promise<string> {
  const script = await loaded(ask, `${origin}/backend/chat.js`)
  const [part] = /assets\/[\w.-]+\.js/.exec(script.text) ?? []
  if (!part) throw new Unexpected('/backend/chat.js names no part of it')
  if (script.kept.includes('immutable')) throw new Unexpected('/backend/chat.js never changes for browsers')
  const { kept } = await loaded(ask, `${origin}/backend/${part}`)
  if (!kept.includes('immutable')) throw new Unexpected(`/backend/${part} is kept for "${kept}"`)
  return `chat.js and ${part}, with ${Object.keys(headersOf(origin)).length} headers`
}

const headersOf = (origin: string) => ({ ...headers, ...(origin.startsWith('https:') && secure) })

async function loaded(ask: Ask, address: string): Promise<{ text: string; kept: string }> {
  const answer = await open(ask, address)
  const { pathname, origin } = new URL(address)
  const type = answer.headers.get('content-type') ?? ''
  if (answer.status !== 200 || !type.includes('javascript'))
    throw new Unexpected(`${pathname} answered ${answer.status} with "${type}"`)
  for (const [name, part] of Object.entries(headersOf(origin)))
    if (!answer.headers.get(name)?.includes(part)) throw new Unexpected(`${pathname} has no ${name}: ${part}`)
  return { text: await answer.text(), kept: answer.headers.get('cache-control') ?? '' }
}
