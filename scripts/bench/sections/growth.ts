import { ports } from '../../../core/ports.ts'
import * as Cleanup from '../../../core/watch/cleanup/cleanup.ts'
import { handler as conversations } from '../../../functions/conversations.ts'
import { startBench } from '../../../test/support/live.ts'
import { openBed } from '../bed.ts'
import { populate } from '../history.ts'
import { meter, total } from '../meter.ts'
import { measureOperation, type Operations } from '../operations.ts'
import type { Row } from '../result-table.ts'
import { section } from '../section.ts'
import { call, visitor } from '../site.ts'

type Figures = { requests: number; read: number; write: number }

/**
 * Measures the cost of operations as data grows: messages of a conversation, conversations of a user, conversations of
 * all other users. Each figure is a ratio to the smallest size, which has to stay 1.
 */
section(async () => {
  await openBed()
  const bench = await startBench({ maxConversationsPerUser: null })
  const rows = await byMessages(bench)
  await bench.stop()
  rows.push(...(await byOwn()))
  rows.push(...(await byOthers()))
  return rows
})

async function byMessages(bench: Awaited<ReturnType<typeof startBench>>): Promise<Row[]> {
  const sizes = [10, 100, 1_000, 5_000]
  const found: Operations[] = []
  for (const size of sizes) found.push(await measureOperation(bench, size))
  const [first] = found
  const names = ['fastPoll', 'poll', 'send', 'round'] as const
  return names.flatMap((name) =>
    found.slice(1).map((one, at) => {
      const unit = name === 'send' || name === 'round' ? 'write' : 'read'
      return ratio(`${name} with ${sizes[at + 1]} messages`, one[name], first?.[name] as Figures, unit)
    }),
  )
}

/** A user with 10, 200 and 2,000 conversations: one page of the list. */
async function byOwn(): Promise<Row[]> {
  const sizes = [10, 200, 2_000]
  const found: Figures[] = []
  for (const [at, size] of sizes.entries()) {
    const uid = 1 + at
    await populate([uid], size, Date.now())
    const { get } = await visitor(uid)
    found.push(await costOf(() => call(conversations, get('/ai-chat/conversations', { limit: 10 }))))
  }
  const [first] = found
  return found
    .slice(1)
    .map((one, at) => ratio(`list of 10, of ${sizes[at + 1]} conversations`, one, first as Figures, 'read'))
}

/** A table with 1,000 and 50,000 conversations of other users: the list of one, and cleanup with nothing to do. */
async function byOthers(): Promise<Row[]> {
  const others = Array.from({ length: 500 }, (_, at) => 1_000 + at)
  const { get } = await visitor(2)
  const list = () => costOf(() => call(conversations, get('/ai-chat/conversations', { limit: 10 })))
  const cleanup = () => costOf(() => Cleanup.run(ports(), { now: Date.now() }))
  await populate(others, 1_000, Date.now())
  const [listBefore, cleanupBefore] = [await list(), await cleanup()]
  await populate(others, 49_000, Date.now())
  return [
    ratio('list beside 50,000 conversations of others', await list(), listBefore, 'read'),
    ratio('cleanup beside 50,000 conversations of others', await cleanup(), cleanupBefore, 'read'),
  ]
}

async function costOf(act: () => Promise<unknown>): Promise<Figures> {
  await act()
  meter().take()
  await act()
  return total(meter().take())
}

function ratio(what: string, large: Figures, small: Figures, unit: 'read' | 'write'): Row {
  return {
    what: `${what}, against the smallest`,
    value: Math.max(large[unit] / small[unit], large.requests / small.requests),
    unit: 'times units and requests',
    limit: { most: 1.05 },
    note: `${large.requests} requests, ${large[unit]} ${unit} units`,
  }
}
