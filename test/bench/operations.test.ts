import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, startBench } from '../support/live.ts'
import { type Cost, measureOperation, type Operations } from './operations.ts'

/** What does not depend on the machine: units as the table reports them, and requests to AWS. */
let bench: Bench
let short: Operations
let long: Operations

beforeAll(async () => {
  bench = await startBench({ maxConversationsPerUser: null })
  short = await measureOperation(bench, 10)
  long = await measureOperation(bench, 5_000)
})
afterAll(() => bench.stop())

describe('units', () => {
  test('a poll that finds nothing new reads at most 4', () => {
    expect(short.fastPoll.read).toBeLessThanOrEqual(4)
    expect(short.fastPoll.write).toBe(0)
  })

  test('a poll with two new rows reads at most 2 more', () => {
    expect(short.poll.read - short.fastPoll.read).toBeLessThanOrEqual(2)
  })

  test('a send writes at most 16', () => {
    expect(short.send.write).toBeLessThanOrEqual(16)
  })

  test('a round with one tool writes at most 16', () => {
    expect(short.round.write).toBeGreaterThan(0)
    expect(short.round.write).toBeLessThanOrEqual(16)
  })
})

describe('requests to AWS', () => {
  test('poll, send, status and list', () => {
    const requests = ({ requests }: Cost) => requests

    expect([short.fastPoll, short.poll, short.send, short.status, short.list].map(requests)).toEqual([
      1, 2, 3, 1, 3,
    ])
  })

  test('a process asks the chat table at most four times before it calls the model', () => {
    expect(short.start.requests).toBeLessThanOrEqual(4)
  })

  test('a turn of three model calls and two tools makes at most 18', () => {
    expect(short.asked).toBeLessThanOrEqual(18)
  })

  test('a round with one tool asks the CMS three times: for rights and record, for pages, for groups', () => {
    expect(short.round.cmsRequests).toBe(3)
  })

  test('a window full of history costs a process one request more, for a page of a query holds 1 MB', () => {
    expect(long.start.requests - short.start.requests).toBeLessThanOrEqual(1)
  })
})

describe('at 5,000 messages of history everything costs what it costs at 10', () => {
  test.each(['fastPoll', 'poll', 'send', 'status'] as const)('%s', (name) => {
    expect(long[name]).toEqual(short[name])
  })

  test.each(['round', 'turn'] as const)('what a %s writes', (name) => {
    expect(long[name].write).toBe(short[name].write)
  })
})
