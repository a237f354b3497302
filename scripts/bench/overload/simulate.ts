import { Stopped } from '../../../core/agent/journal.ts'
import * as Table from '../../../core/base/aws/table.ts'
import { config } from '../../../core/base/config.ts'
import { TransientError, VisibleError } from '../../../core/base/error.ts'
import * as Conversations from '../../../core/chat/conversation.ts'
import { append } from '../../../core/chat/send.ts'
import { type Starter, start } from '../../../core/chat/start.ts'
import { SendAnswer } from '../../../core/chat/start-request.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import { empty, encode } from '../../../core/conversation/item.ts'
import * as Queue from '../../../core/conversation/queue.ts'
import { ending } from '../../../core/conversation/transcript/ending.ts'
import * as Waiting from '../../../core/conversation/waiting.ts'
import { retrying } from '../../../core/model/backoff.ts'
import { ModelError } from '../../../core/model/model.ts'
import type { Settings } from '../../../core/stage/settings/schema.ts'
import { defer } from '../../../core/turn/break-off.ts'
import { pace } from '../../../core/turn/pace.ts'
import * as Busy from '../../../core/watch/cleanup/stuck-turns.ts'
import { actor } from '../../../test/support/actor.ts'
import { eventClock } from './clock.ts'
import { inMemory } from './memory.ts'
import { exponential, generator, poisson } from './random.ts'

/** The size of a stage and the load on it, one line of the table. */
export type Shape = {
  editors: number
  turnsPerSecond: number
  seconds: number
  consumers: number
  /** Requests a minute that the provider takes; it refuses those beyond with 429. */
  quota: number
  settings: Settings
  seed: number
  /** Groups that the editors belong to in equal parts; one where absent. */
  groups?: number
  /** Turns that each of more groups sends at a moment, in milliseconds after the start; a group for each weight. */
  batch?: { turns: number; afterMs: number; weights: number[] }
  /** False: the queue does not know whose turns they are. */
  isFair?: boolean
}

/** The result of a simulation. */
export type Outcome = {
  sent: number
  refused: number
  done: number
  failed: number
  /** Seconds that each turn waited: for a consumer, for its provider, for another attempt. */
  waits: number[]
  /** The same of the turns of each group that sends a batch, which are not among `waits`. */
  batchWaits: number[][]
  /** Turns that users wished beside the batches, refused ones included. */
  others: number
  /** Seconds that consumers were held, working or waiting. */
  held: number
  calls: number
  /** Calls that the provider refused. */
  throttled: number
  /** Items written, and requests to the queue. */
  writes: number
  messages: number
}

/** Assumptions about turns and models; see `simulate.ts`. */
const assumed = { rounds: 2.5, modelMs: 6_000, toolMs: 150, tokens: 6_000, maxTokens: 8_192 }
const startedAt = Date.parse('2026-11-20T09:00:00Z')
/** The group that sends a batch, by its place in the shape. */
const batchGroup = (at: number) => `batch ${at}`

/** Turns of the simulation write nothing. */
const telling: Busy.Telling = { sentence: async () => 'Too late.', settle: async () => undefined }

/** A turn as the simulation knows it. */
type SimulatedTurn = { sentAt: number; rounds: number; workedMs: number; batch: number | undefined }

/** Plays the load on the real code of start, queue, claim, pace and cleanup, over rows and messages in memory. */
export async function simulate(shape: Shape): Promise<Outcome> {
  const { consumers, batch } = shape
  const weights = (batch?.weights ?? []).map((weight, at) => [batchGroup(at), weight])
  const settings = { ...shape.settings, groupWeights: Object.fromEntries(weights) }
  const clock = eventClock(startedAt)
  const { counts } = inMemory(clock, shape.isFair)
  const random = generator(shape.seed)
  const provider = settings.providers[0] as Settings['providers'][number]
  const turns = new Map<string, SimulatedTurn>()
  const outcome: Outcome = {
    sent: 0,
    refused: 0,
    done: 0,
    failed: 0,
    waits: [],
    batchWaits: batch?.weights.map(() => []) ?? [],
    others: 0,
    held: 0,
    calls: 0,
    throttled: 0,
    writes: 0,
    messages: 0,
  }
  const end = startedAt + shape.seconds * 1_000
  const never = new AbortController().signal
  /** The provider's remaining calls; the bucket refills over time, up to five seconds' worth. */
  const bucket = { left: shape.quota / 12, at: startedAt }

  void arrive()
  void arriveAtOnce()
  void sweep()
  for (let consumer = 0; consumer < consumers; consumer++) void work()
  await clock.run(end)
  // Drains the queue, so that every turn ends.
  await clock.run(end + 15 * 60_000)
  return { ...outcome, ...counts }

  async function arrive(): Promise<void> {
    while (clock.now() < end) {
      await clock.sleep(exponential(1_000 / shape.turnsPerSecond, random))
      const uid = 1 + Math.floor(random() * shape.editors)
      void send(uid, 1 + (uid % (shape.groups ?? 1)))
    }
  }

  async function arriveAtOnce(): Promise<void> {
    if (!batch) return
    await clock.sleep(batch.afterMs)
    for (let turn = 0; turn < batch.turns; turn++)
      for (const at of batch.weights.keys())
        void send(shape.editors + 1 + at * batch.turns + turn, batchGroup(at), at)
  }

  async function send(uid: number, group: number | string, batch?: number): Promise<void> {
    const now = clock.now()
    const seen = Waiting.decode(await Table.get(Waiting.key), now)
    if (batch === undefined) outcome.others++
    const user = actor({ uid, groups: [group] })
    const starter: Starter = { actor: user, settings, request: undefined, now, seen }
    const fresh = empty(Conversations.newId(user, now), now)
    const draft = {
      conversationId: undefined,
      content: 'A question',
      fileUid: undefined,
      viewContext: undefined,
    }
    const plan = await append(starter, fresh, draft, {})
    const next = { ...fresh, ...plan.changes }
    turns.set(fresh.id, {
      sentAt: now,
      rounds: 1 + poisson(assumed.rounds - 1, random),
      workedMs: 0,
      batch,
    })
    try {
      await start(
        starter,
        { next, write: { Put: { TableName: config().table, Item: encode(next) } }, isNew: true },
        SendAnswer,
        plan,
      )
      outcome.sent++
    } catch (error) {
      if (!(error instanceof VisibleError)) throw error
      outcome.refused++
    }
  }

  /** Cleanup once a minute, as far as it looks at turns. */
  async function sweep(): Promise<void> {
    for (;;) {
      await clock.sleep(60_000)
      const now = clock.now()
      await Waiting.note({ ...(await Busy.waits(settings, now)), tokens: 0 }, now)
      await Busy.requeue(now, 100, false)
      await all(() => Busy.resume(now, 100, false))
      outcome.failed += await all(() => Busy.fail(now, 100, false, telling))
    }
  }

  async function all(step: () => Promise<number>): Promise<number> {
    let sum = 0
    for (;;) {
      const done = await step()
      sum += done
      if (done < 100) return sum
    }
  }

  async function work(): Promise<void> {
    for (;;) {
      const [received] = await Queue.receive(1, 20)
      const began = clock.now()
      if (received?.job) await consume(received.job)
      if (received) await Queue.remove(received.receipt)
      outcome.held += (clock.now() - began) / 1_000
    }
  }

  async function consume(job: Queue.Job): Promise<void> {
    const hold = await Claim.claim(job, clock.now())
    const turn = turns.get(job.conversationId)
    if (!hold || !turn) return
    const { groupWeights } = settings
    const paced = pace(hold, {
      clock,
      provider,
      groupWeights,
      maxTokens: assumed.maxTokens,
      signal: never,
    })
    try {
      for (; turn.rounds > 0; turn.rounds--) await round(hold, turn, paced)
      if (await finish(hold, { status: 'idle' })) {
        outcome.done++
        const waits = turn.batch === undefined ? outcome.waits : outcome.batchWaits[turn.batch]
        waits?.push((clock.now() - turn.sentAt - turn.workedMs) / 1_000)
      }
    } catch (error) {
      if (error instanceof Stopped && error.reason === 'deferred') await defer({ clock }, hold, error)
      else if (!(error instanceof ModelError)) throw error
      else if (await finish(hold, { status: 'failed', errorCode: error.code, errorMessage: '' }))
        outcome.failed++
    }
  }

  async function round(hold: Claim.Hold, turn: SimulatedTurn, paced: ReturnType<typeof pace>): Promise<void> {
    await paced.admit(assumed.tokens - 1_000 + assumed.maxTokens)
    const ms = exponential(assumed.modelMs, random)
    await retrying(() => ask(ms), { until: clock.now() + 240_000, clock, random, signal: never })
    turn.workedMs += ms + assumed.toolMs
    await paced.settle(assumed.tokens)
    await clock.sleep(assumed.toolMs)
    await Claim.save(hold, {}, [], clock.now())
  }

  async function ask(ms: number): Promise<void> {
    const now = clock.now()
    outcome.calls++
    bucket.left = Math.min(shape.quota / 12, bucket.left + ((now - bucket.at) * shape.quota) / 60_000)
    bucket.at = now
    if (bucket.left < 1) {
      outcome.throttled++
      throw new TransientError('429 rate_limit_error')
    }
    bucket.left--
    await clock.sleep(ms)
  }

  async function finish(hold: Claim.Hold, how: Parameters<typeof ending>[1]): Promise<boolean> {
    const now = clock.now()
    const { changes, writes } = ending(hold.conversation, how, now)
    return Claim.save(hold, changes, writes, now)
  }
}
