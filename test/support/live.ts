import type { Clock } from '../../core/base/clock.ts'
import { save } from '../../core/cms/reference/put.ts'
import type { Conversation } from '../../core/conversation/item.ts'
import * as Queue from '../../core/conversation/queue.ts'
import * as Row from '../../core/conversation/row.ts'
import type { Summary } from '../../core/conversation/schema.ts'
import type { Live } from '../../core/live.ts'
import { createModel } from '../../core/model/create.ts'
import { chosen } from '../../core/model/fallback.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { apply } from '../../core/stage/settings/settings.ts'
import type { JobResult } from '../../core/turn/break-off.ts'
import { consume } from '../../core/turn/consume.ts'
import * as Session from '../../core/user/session/session.ts'
import * as Cleanup from '../../core/watch/cleanup/cleanup.ts'
import { http } from '../../functions/http/http.ts'
import { sessionCookie } from '../../functions/http/request.ts'
import { sessionRoutes } from '../../functions/routes/session.ts'
import { type Answered, type Call, call } from './call.ts'
import { chatRoutes } from './chat-routes.ts'
import { manualClock } from './clock.ts'
import { seededCms } from './cms.ts'
import type { Poll } from './http.ts'
import { startMessagesApi } from './messages-api.ts'
import { model, provider, settings } from './settings.ts'
import { asFunction } from './synth/requests.ts'

/**
 * The product in this process: the real functions, consumers and cleanup over the emulators of the test file, the
 * seeded site, a server that speaks the Messages API, and one clock that moves only when a test says so.
 */
export type Bench = Awaited<ReturnType<typeof startBench>>

type Sent = { conversation: Summary; sequence: number }
type Options = { key?: string; headers?: Record<string, string> }
const names = { admin: 1, editor: 2, autorin: 3, guest: 4 }
export type Username = keyof typeof names

/** When every test begins, unless it moves the clock. */
export const startedAt = Date.parse('2026-11-20T12:00:00Z')

/** Starts a bench; settings differ from the usual ones as said. */
export async function startBench(over: Partial<Settings> = {}) {
  const clock = manualClock(startedAt)
  const api = await startMessagesApi()
  const site = await seededCms(startedAt)
  const base = {
    providers: [provider({ name: 'Anthropic', adapter: 'anthropic', baseUrl: api.url })],
    models: [model({ modelId: 'claude-sonnet-5-5' })],
    ...over,
  }
  const configure = (more: Partial<Settings> = {}) => apply(settings({ ...base, ...more }))
  await configure()
  const live: Live = {
    clock,
    cms: site.cms,
    model: (resolved) =>
      chosen(resolved, (provider, model, share) => createModel(provider, model, api.key, share)),
  }
  const handler = http({ ...sessionRoutes, ...chatRoutes }, () => live)

  return {
    clock,
    api,
    site,
    live,
    handler,
    /** Replaces the settings of the stage; at once, for this process. */
    configure,
    login: (username: Username) => login(names[username]),
    /** The user of a session that began otherwise. */
    enter: ({ token, csrfToken }: { token: string; csrfToken: string }) => client(token, csrfToken),
    /** A field of a seeded record as it is now. */
    field: async (table: string, uid: number, name = 'title') =>
      (await site.cms.record(site.admin, { table, uid }))?.fields[name],
    /** Changes a record by hand, as another editor does. */
    edit: async (table: string, uid: number, fields: Record<string, unknown>) => {
      const version = (await site.cms.record(site.admin, { table, uid }))?.version ?? ''
      const saved = await save(site.table, site.admin, { table, uid, fields, version }, clock.now())
      if (saved.state !== 'done') throw new Error('The record could not be changed')
    },
    /** The conversation as stored. */
    row: async (id: string): Promise<Conversation> => {
      const conversation = await Row.read(id)
      if (!conversation) throw new Error(`There is no conversation ${id}`)
      return conversation
    },
    consume: (over: Partial<Live> = {}) => consumeNext({ ...live, ...over }),
    settle: () => settle(live),
    /** Gives the next job to a consumer that works until it waits for what never comes, as one does whose process dies. */
    die: (over: Partial<Live['cms']>) => die(live, over),
    cleanup: (options: Partial<Cleanup.CleanupOptions> = {}) =>
      asFunction('cleanup', () => Cleanup.run(live, { now: clock.now(), ...options })),
    stop: () => api.stop(),
  }

  async function login(uid: number) {
    const { token, csrfToken } = await Session.start(uid, clock.now())
    return client(token, csrfToken)
  }

  /** A logged-in user, as a browser is one. */
  function client(token: string, csrfToken: string) {
    const ask = <T>(address: string, options: Call = {}): Promise<Answered<T>> =>
      call<T>(handler, address, {
        ...options,
        headers: { 'x-csrf-token': csrfToken, ...options.headers },
        cookies: [`${sessionCookie()}=${token}`],
      })
    const get = <T>(path: string, query: Record<string, string | number | boolean> = {}) => {
      const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
      return ask<T>(`/ai-chat${path}?${search}`)
    }
    const post = <T>(path: string, body: unknown, { key, headers }: Options = {}) =>
      ask<T>(`/ai-chat/conversations/${path}`, {
        body,
        headers: { ...(key && { 'idempotency-key': key }), ...headers },
      })
    const sent = async (content: string, more: object = {}) =>
      expected(await post<Sent>('send', { content, ...more }), 202)
    return {
      token,
      csrfToken,
      ask,
      get,
      post,
      /** Sends a message; throws when it is refused. */
      send: sent,
      /** Sends a message and works until nothing is queued; the conversation then. */
      turn: async (content: string, more: object = {}) => {
        const { conversation } = await sent(content, more)
        await settle(live)
        return polled(get, conversation.id)
      },
      poll: (conversationId: string, query: Record<string, number> = {}) =>
        polled(get, conversationId, query),
      /** Sends a verb's body; the conversation as answered. Throws when it is refused. */
      does: async (verb: string, conversationId: string, more: object = {}) => {
        const answer = await post<{ conversation: Summary }>(verb, { conversationId, ...more })
        if (answer.status >= 300) throw new Error(`${verb}: ${answer.status} ${JSON.stringify(answer.body)}`)
        return answer.body.conversation
      },
      /** Approves or denies what is pending, as the interface does it. */
      decide: async (conversationId: string, approve: boolean, reason?: string) => {
        const { pendingApproval } = await polled(get, conversationId)
        const digest = pendingApproval?.digest ?? 'nothing is pending'
        return post('approve', { conversationId, digest, approve, ...(reason && { reason }) })
      },
    }
  }
}

export type User = Awaited<ReturnType<Bench['login']>>

async function polled(
  get: <T>(path: string, query: Record<string, string | number>) => Promise<Answered<T>>,
  conversationId: string,
  query: Record<string, number> = {},
): Promise<Poll> {
  return expected(await get<Poll>('/conversations/messages', { conversationId, ...query }), 200)
}

function expected<T>({ status, body }: Answered<T>, wanted: number): T {
  if (status === wanted) return body
  throw new Error(`Expected ${wanted}, got ${status}: ${JSON.stringify(body)}`)
}

/** Takes one message from the queue and works on it; undefined where the queue is empty. */
async function consumeNext(live: Live): Promise<JobResult | undefined> {
  const [received] = await Queue.receive(1, 0)
  if (!received) return undefined
  if (!received.job) throw new Error('The queue holds what is no job')
  try {
    const { job } = received
    return await asFunction('process', () =>
      consume(live, job, { remainingMs: () => Number.POSITIVE_INFINITY }),
    )
  } finally {
    await Queue.remove(received.receipt)
  }
}

/** Consumes until nothing is queued; how each turn ended. */
async function settle(live: Live): Promise<JobResult[]> {
  const endings: JobResult[] = []
  for (;;) {
    const ending = await consumeNext(live)
    if (!ending) return endings
    endings.push(ending)
  }
}

/** What a dying consumer waits for. */
export const never = () => new Promise<never>(() => undefined)

/** The clock of a consumer that gives no sign of life: nothing that waits for it goes on. */
export function standing({ now }: Clock): Clock {
  return {
    now,
    sleep: (_, signal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  }
}

/** Resolves when the dying consumer has come to the point where it waits for ever; `revive` lets it go on after all. */
async function die(
  live: Live,
  over: Partial<Live['cms']>,
): Promise<{ ending: Promise<JobResult | undefined> }> {
  const ending = consumeNext({ ...live, clock: standing(live.clock), cms: { ...live.cms, ...over } })
  ending.catch(() => undefined)
  return { ending }
}

/** A point that a test waits for: `reach()` is awaited by who comes there, and goes on when `open()` is called. */
export function gate() {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    open: () => opened.resolve(),
    reach: () => {
      reached.resolve()
      return opened.promise
    },
  }
}
