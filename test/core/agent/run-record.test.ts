import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import * as Run from '../../../core/agent/run-record.ts'
import { type RunRef, usageOf } from '../../../core/agent/run-record.ts'
import * as Table from '../../../core/base/aws/table.ts'
import { config } from '../../../core/base/config.ts'

const now = Date.UTC(2026, 0, 1, 12)
const dayMs = 86_400_000
const conversationId = '2-01hzy3v7q8m9n0p1r2s3t4v5w6'
const begin = (retainDays: number | null = 30, runId: string = randomUUID()) =>
  Run.start(2, conversationId, runId, now, retainDays)
const usage = { input: 100, output: 20, cacheRead: 60, cacheWrite: 5 }
const call = { id: 'c1', tool: 'update_record', order: 1 }
/** Stores the intent; false when it was stored before. */
async function intend(run: RunRef, key: string): Promise<boolean> {
  const stored = await Table.transact([Run.intention(run, call, key, now)])
  return stored.done
}
const done = { state: 'done' as const, table: 'pages', uid: 3, version: 'v2', before: null, after: {} }

async function items(run: { owner: number; runId: string }): Promise<Table.Row[]> {
  const { rows } = await Table.query({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': `run#${run.owner}#${run.runId}` },
  })
  return rows
}

describe('a run', () => {
  test('is begun once: a hand-over finds the same one', async () => {
    const run = await begin()
    await Run.step(run, 1, { usage }, now)

    const again = await Run.start(2, conversationId, run.runId, now + 60_000, 30)

    expect(again).toEqual(run)
    expect(run).toEqual({
      owner: 2,
      runId: run.runId,
      conversationId,
      startedAt: '2026-01-01T12:00:00.000Z',
      expiresAt: (now + 30 * dayMs) / 1000,
    })
  })

  test('has its steps in order, also when the conversation is claimed for the thousandth time', async () => {
    const run = await begin()
    for (const number of [1_000_001, 999_001]) await Run.step(run, number, {}, now)

    expect((await Run.steps(run)).map(({ number }) => number)).toEqual([999_001, 1_000_001])
  })

  test('is found by its owner alone, while it is kept', async () => {
    const run = await begin(1)

    expect(await Run.find(2, run.runId, now)).toEqual(run)
    expect(await Run.find(1, run.runId, now)).toBeUndefined()
    expect(await Run.find(2, run.runId, now + dayMs)).toBeUndefined()
  })

  test('that has expired begins again', async () => {
    const { runId } = await begin(1)
    const later = now + 3 * dayMs

    expect(await Run.start(2, conversationId, runId, later, 1)).toMatchObject({
      startedAt: '2026-01-04T12:00:00.000Z',
      expiresAt: later / 1000 + 86_400,
    })
  })

  test('without a limit has no expiry on any item', async () => {
    const run = await begin(null)
    await Run.step(run, 1, { usage }, now)

    expect((await items(run)).map((row) => row.expires_at)).toEqual([undefined, undefined])
  })

  test('is removed with all that belongs to it', async () => {
    const run = await begin()
    for (let number = 1; number <= 30; number++) await Run.step(run, number, {}, now)
    await intend(run, 'k')

    await Run.remove(2, run.runId)
    await Run.remove(2, run.runId)

    expect(await items(run)).toEqual([])
  })
})

describe('a step', () => {
  test('is an item of its own, in order; what the run used is the sum of all', async () => {
    const run = await begin()
    await Run.step(run, 1, { kind: 'llm', usage }, now)
    await Run.step(run, 2, { kind: 'tool', arguments: { uid: 3 }, result: 'A lamp' }, now + 1)
    await Run.step(run, 10, { kind: 'llm', usage }, now + 2)

    const steps = await Run.steps(run)
    expect(steps).toEqual([
      { number: 1, at: '2026-01-01T12:00:00.000Z', detail: { kind: 'llm', usage } },
      {
        number: 2,
        at: '2026-01-01T12:00:00.001Z',
        detail: { kind: 'tool', arguments: { uid: 3 }, result: 'A lamp' },
      },
      { number: 10, at: '2026-01-01T12:00:00.002Z', detail: { kind: 'llm', usage } },
    ])
    expect(usageOf(steps)).toEqual({ input: 200, output: 40, cacheRead: 120, cacheWrite: 10 })
  })

  test('is recorded once, also by two at the same time', async () => {
    const run = await begin()

    await Promise.all([1, 2, 3].map(() => Run.step(run, 1, { result: 'first', usage }, now)))
    await Run.step(run, 1, { result: 'second', usage }, now)
    await Run.step(run, 1, { result: 'third' }, now)

    expect(await Run.steps(run)).toMatchObject([{ detail: { result: 'first' } }])
  })

  test('expires with its run', async () => {
    const run = await begin(7)
    await Run.step(run, 1, {}, now + dayMs)

    expect((await items(run)).map((row) => row.expires_at)).toEqual([run.expiresAt, run.expiresAt])
  })

  test('of a removed run leaves nothing behind', async () => {
    const run = await begin()
    await Run.remove(2, run.runId)

    await Run.step(run, 1, { usage }, now)

    expect(await items(run)).toEqual([])
  })

  test('keeps what no table takes as it is', async () => {
    const run = await begin()
    let deep: unknown = 'end'
    for (let level = 0; level < 50; level++) deep = { deep }
    const detail = { arguments: { large: 1e40, deep } }

    await Run.step(run, 1, detail, now)

    expect(await Run.steps(run)).toMatchObject([{ detail }])
  })
})

describe('an intent', () => {
  test('is open until its outcome is stored', async () => {
    const run = await begin()
    const intent = {
      key: 'r/c1/h',
      callId: 'c1',
      tool: 'update_record',
      order: 1,
      at: '2026-01-01T12:00:00.000Z',
    }
    expect(await intend(run, 'r/c1/h')).toBe(true)
    expect(await Run.intents(run)).toEqual([{ ...intent, outcome: undefined }])

    await Run.conclude(run, 'r/c1/h', done)

    expect(await Run.intents(run)).toEqual([{ ...intent, outcome: done }])
  })

  test('is stored by one alone, however many try', async () => {
    const run = await begin()

    const stored = await Promise.all(Array.from({ length: 10 }, () => intend(run, 'k')))

    expect(stored.filter(Boolean)).toEqual([true])
  })

  test('keeps its first outcome', async () => {
    const run = await begin()
    await intend(run, 'k')
    await Run.conclude(run, 'k', done)

    await Run.conclude(run, 'k', { state: 'void' })
    await intend(run, 'k')

    expect(await Run.intents(run)).toMatchObject([{ outcome: done }])
  })

  test('that was never stored has no outcome to keep', async () => {
    const run = await begin()

    await Run.conclude(run, 'never', done)

    expect(await Run.intents(run)).toEqual([])
  })

  test('never expires while it is open', async () => {
    const run = await begin(1)
    await intend(run, 'k')
    const key = { pk: `run#2#${run.runId}`, sk: 'intent#k' }
    expect((await Table.get(key, config().table))?.expires_at).toBeUndefined()

    await Run.conclude(run, 'k', done)

    expect((await Table.get(key))?.expires_at).toBe(run.expiresAt)
  })

  test('belongs to its run alone', async () => {
    const [one, other] = await Promise.all([begin(), begin()])
    await intend(one, 'k')

    expect(await Run.intents(other)).toEqual([])
  })
})
