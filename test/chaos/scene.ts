import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import type { Cms } from '../../core/cms/cms.ts'
import { isDue } from '../../core/conversation/item.ts'
import * as Queue from '../../core/conversation/queue.ts'
import { isBusy, type RecordId, type Summary } from '../../core/conversation/schema.ts'
import type { Live } from '../../core/live.ts'
import { timing } from '../../core/model/deadline.ts'
import type { McpServer } from '../../core/stage/settings/server.ts'
import { consume } from '../../core/turn/consume.ts'
import * as Cleanup from '../../core/watch/cleanup/cleanup.ts'
import type { Answered } from '../support/call.ts'
import { type Bench, startBench, type User } from '../support/live.ts'
import { allowed, startModern } from '../support/mcp.ts'
import { provider as limitless } from '../support/settings.ts'
import { asFunction } from '../support/synth/requests.ts'
import { type Fate, living, outside, watchClients, watchedCms } from './edge.ts'
import { type Acts, form, type Journey } from './journey.ts'
import { provider, type Says } from './provider.ts'
import { lastChange } from './verdict.ts'

/** A bench whose every effect can be cut, and a server of tools that knows what was ordered there. */
export type Stage = Bench & { shop?: { settings: McpServer; orders: string[] } }

/** Starts a stage with neither cap nor budget in the way; once per test file. */
export async function startStage(): Promise<Stage> {
  const bench = await startBench({ maxConversationsPerUser: null, dailyTokensPerUser: 1_000_000_000 })
  const orders: string[] = []
  const server = await startModern((shop) => {
    const inputSchema = z.object({ item: z.string() })
    shop.registerTool('order', { description: 'Orders an item', inputSchema }, async ({ item }) => {
      orders.push(item)
      return { content: [{ type: 'text', text: 'Ordered.' }] }
    })
  })
  const settings = await allowed({ name: 'shop', url: server.url }, { order: 'write' })
  watchClients()
  const stop = () => {
    server.stop()
    return bench.stop()
  }
  return { ...bench, shop: { settings, orders }, stop }
}

/** One run of a journey: what it left behind, for the verdict. */
export type Scene = {
  tag: string
  journey: Journey
  conversationId: string
  /** Where processes ended. */
  deaths: string[]
  /** Requests of the user that were refused, which only happens when a turn has failed. */
  refusals: string[]
  /** The records that an undo has named as taken back. */
  undone: { table: string; uid: RecordId }[]
  /** The last row of the CMS's history before the run: earlier runs wrote the rows up to it. */
  since: number
}

/** What happens beside consumers and cleanup; the default is that nothing does. */
export type Weather = {
  /** The fate of the next process. */
  fate(): Fate
  /** Milliseconds that pass before cleanup comes by; longer than a lease. */
  lullMs(): number
  /** How many cleanups come by at the same time. */
  cleanups(): number
  /** How many consumers get the same message. */
  deliveries(): number
  /** Has another consumer take a job; false when it died, undefined when there is no other consumer. */
  consume(job: Queue.Job, tag: string): Promise<boolean | undefined>
  /** What comes now is what the journey is about. */
  begin(): void
  /** Something that happens while a consumer works. */
  meanwhile(bench: Bench, user: User, conversationId: string): Promise<void>
}

const calm: Weather = {
  fate: () => () => undefined,
  lullMs: () => 95_000,
  cleanups: () => 1,
  deliveries: () => 1,
  consume: async () => undefined,
  begin: () => undefined,
  meanwhile: async () => undefined,
}

let runs = 0

/**
 * Plays a journey to its end: dies where fate says, goes on with successors, thaws what was frozen, and rests. In the
 * conversation of another scene where one is named.
 */
export async function play(
  bench: Stage,
  journey: Journey,
  over: Partial<Weather> = {},
  before?: Scene,
): Promise<Scene> {
  const weather = { ...calm, ...over }
  const tag = before?.tag ?? `run-${++runs}-${process.pid}`
  const { conversationId } = before ?? { conversationId: '' }
  const since = before?.since ?? (await lastChange())
  const scene: Scene = { tag, journey, conversationId, deaths: [], refusals: [], undone: [], since }
  const frozen: (() => Promise<unknown>)[] = []
  const user = await bench.login('editor')
  const cast = troupe(bench, scene, user)
  let requests = 0

  /** Does something in a process of its own; undefined when it died. */
  async function perform<T>(act: () => Promise<T>): Promise<{ value: T } | undefined> {
    const ended = await inTime(bench, living(weather.fate(), act))
    if (!ended.died) return { value: ended.value }
    scene.deaths.push(ended.at)
    if (ended.thaw) frozen.push(ended.thaw)
    return undefined
  }

  /** A browser asks again, with the same key, until it gets an answer. */
  async function ask<T>(act: (key: string) => Promise<Answered<T>>): Promise<T> {
    const key = `${tag}-${conversationId ? 'again-' : ''}${++requests}`
    for (;;) {
      const answered = await perform(() => act(key))
      if (!answered) continue
      const { status, body } = answered.value
      if (status >= 500) throw new Error(`The request was answered ${status}: ${JSON.stringify(body)}`)
      if (status >= 300) scene.refusals.push(JSON.stringify(body))
      return body
    }
  }

  async function digest(): Promise<string> {
    const { pendingApproval } = await user.poll(scene.conversationId)
    return pendingApproval?.digest ?? 'nothing is pending'
  }

  async function deliver({ job, receipt }: Queue.Received): Promise<void> {
    if (!job) throw new Error('The queue holds what is no job')
    const isServed = await weather.consume(job, tag)
    if (isServed !== undefined) {
      if (!isServed) scene.deaths.push('killed')
      return isServed ? Queue.remove(receipt) : Queue.hide(receipt, 0)
    }
    const consumers = Array.from({ length: weather.deliveries() }, () =>
      perform(() => asFunction('process', () => consume(cast.live(), job, cast.given()))),
    )
    const [ends] = await Promise.all([
      Promise.all(consumers),
      weather.meanwhile(bench, user, scene.conversationId),
    ])
    const isDone = ends.every(Boolean)
    // What stays in the queue comes again, and finds nothing to do.
    await (isDone ? Queue.remove(receipt) : Queue.hide(receipt, 0)).catch(() => undefined)
  }

  async function settle(): Promise<void> {
    for (let idle = 0; idle < 12; ) {
      const received = await Queue.receive(10, 0)
      for (const one of received) await deliver(one)
      if (received.length > 0) continue
      const conversation = await bench.row(scene.conversationId)
      // A message that still waits behind a turn that has ended is sent by the next cleanup.
      if (!isBusy(conversation.status) && !isDue(conversation, bench.clock.now())) return
      idle += 1
      await bench.clock.pass(weather.lullMs())
      const sweep = () => asFunction('cleanup', () => Cleanup.run(cast.live(), { now: bench.clock.now() }))
      await Promise.all(Array.from({ length: weather.cleanups() }, () => perform(sweep)))
    }
    throw new Error(`The conversation never rests (${scene.deaths.join(', ')})`)
  }

  const acts: Acts = {
    tag,
    send: async (content, more = {}) => {
      const named = scene.conversationId ? { conversationId: scene.conversationId } : {}
      const body = { ...named, content, ...more }
      const sent = await ask((key) => user.post<{ conversation?: Summary }>('send', body, { key }))
      scene.conversationId ||= sent.conversation?.id ?? ''
    },
    edit: async (sequence, expectedContent, content) => {
      const body = { conversationId: scene.conversationId, sequence, expectedContent, content }
      await ask((key) => user.post('edit', body, { key }))
    },
    version: async (sequence, version) => {
      const body = { conversationId: scene.conversationId, sequence, version }
      await ask((key) => user.post('version', body, { key }))
    },
    decide: async (approve) => {
      const body = { conversationId: scene.conversationId, digest: await digest(), approve }
      await ask((key) => user.post('approve', body, { key }))
    },
    answer: async () => {
      const body = { conversationId: scene.conversationId, digest: await digest(), choices: [0] }
      await ask((key) => user.post('answer', body, { key }))
    },
    wait: async (content) => {
      const body = { conversationId: scene.conversationId, act: 'add', content }
      await ask((key) => user.post('next', body, { key }))
    },
    undo: async () => {
      const { runId } = await bench.row(scene.conversationId)
      const body = { conversationId: scene.conversationId, runId }
      const answer = await ask((key) => user.post<{ undone?: Scene['undone'] }>('undo', body, { key }))
      scene.undone.push(...(answer.undone ?? []))
    },
    retry: async () => {
      await ask((key) => user.post('retry', { conversationId: scene.conversationId }, { key }))
    },
    cancel: async () => {
      await ask(() => user.post('cancel', { conversationId: scene.conversationId }))
    },
    upload: async (name, text) => {
      const { fileUid } = await ask(() =>
        user.ask<{ fileUid: number }>('/ai-chat/file-upload', form(name, text)),
      )
      return fileUid
    },
    settle,
    begin: () => {
      weather.begin()
    },
  }
  const isOwn = journey.isPaced || journey.hasShop
  if (isOwn)
    await bench.configure({
      ...(journey.isPaced && { providers: [paced(bench)] }),
      ...(journey.hasShop && bench.shop && { mcpServers: [bench.shop.settings] }),
    })
  await journey.go(acts)
  // A process that was frozen finds a later state, and must do no harm in it.
  while (frozen.length > 0) {
    await inTime(bench, Promise.allSettled(frozen.splice(0).map((thaw) => thaw())))
    await settle()
  }
  if (isOwn) await bench.configure()
  return scene
}

/**
 * Lets time pass while a process works for longer than a second: one that waits before it asks the provider again
 * sleeps by the clock. Rejects when six minutes have not been enough.
 */
async function inTime<T>({ clock }: Bench, work: Promise<T>): Promise<T> {
  const over = work.then(
    () => true,
    () => true,
  )
  for (let looks = 0; looks < 240; looks++) {
    if (await Promise.race([over, pause(looks > 0 ? 500 : 1_000, false, { ref: false })])) return work
    await clock.pass(1_500)
  }
  throw new Error(`A process never ends; asleep for ${clock.sleeping().join(', ') || 'no time'} ms`)
}

/** The provider of the bench with limits that no scene reaches: every call is booked, and none has to wait. */
const paced = ({ api }: Bench) => ({
  ...limitless({ name: 'Anthropic', adapter: 'anthropic', baseUrl: api.url }),
  requestsPerMinute: 1_000_000,
  tokensPerMinute: 1_000_000_000,
})

/**
 * The CMS as one process asks it, watched. An adapter puts the reads of one moment into one request: with a shared one, a
 * process that dies would take the reads of another along.
 */
export const cmsOf = ({ site }: Bench): Cms => watchedCms(site.open())

/** The adapters of a scene: the CMS and the model, watched, and what an invocation gives a turn. */
function troupe(bench: Bench, scene: Scene, user: User) {
  const { journey, tag } = scene
  const replies = journey.says(tag)
  const says: Says = (text) => replies[text] ?? [{ text: `Nothing is known about: ${text}` }]
  let calls = 0
  const meanwhile = async (_: number, signal: AbortSignal) => {
    calls += 1
    if (journey.isSilent && calls === 1) await outside(() => bench.clock.pass(timing.idleMs))
    if (journey.isCancelled) await outside(() => cancel(bench, scene, user, signal))
  }
  const model = provider(bench.clock, says, meanwhile)
  return {
    live: (): Live => ({ ...bench.live, cms: cmsOf(bench), model: async () => model }),
    given: () => {
      const before = calls
      return {
        remainingMs: () => (journey.isHandedOver && calls > before ? 1_000 : Number.POSITIVE_INFINITY),
      }
    },
  }
}

/** Stops the turn as its user does, and lets time pass until its consumer has noticed. */
async function cancel(bench: Bench, scene: Scene, user: User, signal: AbortSignal): Promise<void> {
  await user.post('cancel', { conversationId: scene.conversationId })
  const aborted = new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }))
  for (let looks = 0; looks < 20 && !signal.aborted; looks++) {
    await bench.clock.pass(1_500)
    // The look at the row is a request: it may take long on a busy machine, and mostly ends at once.
    await Promise.race([aborted, pause(500)])
  }
  signal.throwIfAborted()
}
