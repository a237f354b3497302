import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Queue from '../../core/conversation/queue.ts'
import * as Row from '../../core/conversation/row.ts'
import { isBusy } from '../../core/conversation/schema.ts'
import type { Live } from '../../core/live.ts'
import { type Model, ModelError } from '../../core/model/model.ts'
import { consume } from '../../core/turn/consume.ts'
import * as Cleanup from '../../core/watch/cleanup/cleanup.ts'
import type { Poll } from '../support/http.ts'
import type { Bench, User } from '../support/live.ts'
import { living } from './edge.ts'
import { type Moves, watchMoves } from './moves.ts'
import { provider } from './provider.ts'
import { startStage } from './scene.ts'
import { lastChange, remains, violations } from './verdict.ts'

/** Users, consumers, cleanup and the queue in any order: the states move as the contract's section 4 says, and no other way. */

let bench: Bench
let moves: Moves

beforeAll(async () => {
  bench = await startStage()
  moves = watchMoves()
})
afterAll(() => bench.stop())

/** What a process of its own is given: one that dies or freezes must not hold a read of another. */
const live = (): Live => ({ ...bench.live, cms: bench.site.open(), model: async () => model() })

const allowed = [
  'nothing → processing',
  'idle → processing',
  'failed → processing',
  'awaiting_approval → processing',
  'awaiting_approval → idle',
  'processing → idle',
  'processing → locked',
  'locked → idle',
  'locked → failed',
  'locked → awaiting_approval',
  'locked → processing',
  'processing → failed',
].toSorted()

let proposals = 0

/** A model that answers, proposes a change, or refuses, as the user asks it to. */
function model(): Model {
  const change = () => ({
    name: 'update_record',
    arguments: { table: 'news', uid: 2, fields: { title: `Title ${++proposals}` } },
  })
  const says = (text: string) =>
    text === 'propose' ? [{ calls: [change()] }, { text: 'Done.' }] : [{ text: 'An answer.' }]
  const spoken = provider(bench.clock, says)
  return {
    ...spoken,
    ask: (request, signal) => {
      const isRefused = JSON.stringify(request.messages.at(-1)).includes('"refuse"')
      if (isRefused) throw new ModelError('model.rejected', 'The model refused the request')
      return spoken.ask(request, signal)
    },
  }
}

type World = { user: User; id: string; stale: Queue.Job[]; frozen: (() => Promise<unknown>)[] }
type Act = (world: World) => Promise<unknown>

const minute = 60_000
const day = 24 * 60 * minute

async function received(world: World, fate: () => 'frozen' | undefined, remainingMs: number): Promise<void> {
  const [message] = await Queue.receive(1, 0)
  if (!message?.job) return
  const { job, receipt } = message
  world.stale.push(job)
  const ended = await living(fate, () => consume(live(), job, { remainingMs: () => remainingMs }))
  if (ended.died && ended.thaw) world.frozen.push(ended.thaw)
  await Queue.remove(receipt)
}

/** Freezes a consumer at its effect number `at`. */
function freezing(at: number): () => 'frozen' | undefined {
  let seen = 0
  return () => (seen++ === at ? 'frozen' : undefined)
}

const later =
  (ms: number): Act =>
  async () => {
    await bench.clock.pass(ms)
    await Cleanup.run(live(), { now: bench.clock.now() })
  }

async function decide({ user, id }: World, approve: boolean): Promise<void> {
  const { body } = await user.get<Partial<Poll>>('/conversations/messages', { conversationId: id })
  const digest = body.pendingApproval?.digest
  if (digest) await user.post('approve', { conversationId: id, digest, approve })
}

const post =
  (verb: string, more: object = {}): Act =>
  ({ user, id }) =>
    user.post(verb, { conversationId: id, ...more })

const acts: Record<string, Act> = {
  ask: post('send', { content: 'ask' }),
  propose: post('send', { content: 'propose' }),
  'ask for a refusal': post('send', { content: 'refuse' }),
  edit: post('edit', { sequence: 0, content: 'propose', expectedContent: 'propose' }),
  retry: post('retry'),
  approve: (world) => decide(world, true),
  deny: (world) => decide(world, false),
  cancel: post('cancel'),
  archive: post('archive', { archived: true }),
  'bring back': post('archive', { archived: false }),
  'delete and restore': async (world) => {
    await post('delete', { deleted: true })(world)
    await post('delete', { deleted: false })(world)
  },
  rename: post('rename', { title: 'Another title' }),
  consume: (world) => received(world, () => undefined, Number.POSITIVE_INFINITY),
  'consume for a moment': (world) => received(world, () => undefined, 1_000),
  'freeze early': (world) => received(world, freezing(6), Number.POSITIVE_INFINITY),
  'freeze late': (world) => received(world, freezing(16), Number.POSITIVE_INFINITY),
  thaw: async ({ frozen }) => Promise.allSettled(frozen.splice(0).map((thaw) => thaw())),
  'a stale message': async ({ stale }) => {
    const job = stale[0]
    if (job) await Queue.send(job, 'user-2')
  },
  'a message twice': async ({ id }) => {
    // It may have been removed: see `removes`.
    const row = await Row.read(id)
    if (row?.status === 'processing')
      await Queue.send({ conversationId: id, requestId: row.requestId }, 'user-2')
  },
  'a lease later': later(91_000),
  'six minutes later': later(6 * minute),
  'eight days later': later(8 * day),
}

async function begin(): Promise<World> {
  const user = await bench.login('editor')
  const { conversation } = await user.send('propose')
  return { user, id: conversation.id, stale: [], frozen: [] }
}

/** Whether the time to restore what was deleted may be over before it is restored. */
const removes = ({ names }: { names: string[] }) =>
  names.includes('delete and restore') && names.some((name) => name.endsWith('later'))

/** Plays acts, some of them at the same time, and lets the conversation come to rest. */
async function play(steps: { names: string[] }[]): Promise<string[]> {
  const since = await lastChange()
  const world = await begin()
  for (const { names } of steps) {
    // A session is over after two hours without a request.
    world.user = await bench.login('editor')
    await Promise.all(names.map((name) => acts[name]?.(world)))
  }
  world.user = await bench.login('editor')
  await acts.thaw?.(world)
  if (steps.some(removes) && !(await Row.read(world.id))) return []
  for (let rounds = 0; isBusy((await bench.row(world.id)).status); rounds++) {
    if (rounds > 20) return ['it never comes to rest']
    await acts.consume?.(world)
    await acts['a lease later']?.(world)
  }
  const rest = { tag: '', journey: undefined as never, deaths: [], refusals: [], undone: [], since }
  const scene = { conversationId: world.id, ...rest }
  return violations(bench, await remains(bench, scene), true)
}

const name = fc.constantFrom(...Object.keys(acts))
const step = fc.record({ names: fc.array(name, { minLength: 1, maxLength: 2 }) })

/** Ways that random acts find rarely. */
const paths = [
  ['consume', 'approve', 'consume'],
  ['consume', 'deny', 'consume'],
  ['consume', 'ask', 'consume'],
  ['consume', 'edit', 'consume'],
  ['consume', 'eight days later'],
  ['consume', 'cancel'],
  ['consume', 'archive'],
  ['cancel', 'ask', 'consume', 'ask for a refusal', 'consume', 'retry', 'consume'],
  ['ask for a refusal', 'consume for a moment', 'consume'],
  ['freeze early', 'a lease later', 'consume', 'thaw'],
  ['freeze early', 'six minutes later', 'thaw', 'retry', 'consume'],
  ['six minutes later', 'retry', 'a message twice', 'consume', 'a stale message', 'consume'],
]

test.each(paths.map((path) => [path.join(', '), path] as const))('%s', async (_, path) => {
  expect(await play(path.map((name) => ({ names: [name] })))).toEqual([])
})

test('everything at once breaks nothing', async () => {
  const all = Object.keys(acts).filter((name) => !name.endsWith('later'))
  const crowd = [...all, 'consume', 'consume', 'ask', 'propose', 'edit', 'approve', 'deny', 'cancel']
  expect(await play([{ names: ['consume'] }, { names: crowd }, { names: crowd }])).toEqual([])
})

test('random acts break nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      expect(await play(steps)).toEqual([])
    }),
    { numRuns: 25, endOnFailure: true },
  )
})

test('every move of the contract was made, and no other', () => {
  expect([...moves].toSorted()).toEqual(allowed)
})
