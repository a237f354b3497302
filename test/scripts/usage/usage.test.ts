import { beforeAll, describe, expect, test } from 'vitest'
import { collect, type Entry } from '../../../scripts/usage/collect.ts'
import { cells, csv } from '../../../scripts/usage/csv.ts'
import { lineOf, sum } from '../../../scripts/usage/sum.ts'
import { type Bench, startBench } from '../../support/live.ts'

const day = '2026-11-20'
const prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }

describe('what a stage has used', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await startBench()
    const editor = await bench.login('editor')
    bench.api.reply(
      { calls: [{ name: 'get_record', arguments: { table: 'pages', uid: 3 } }], usage: { cacheRead: 40 } },
      { text: 'Done' },
    )
    await editor.turn('Look at it')
    bench.api.reply({ fault: 'status', status: 401 })
    await (await bench.login('autorin')).turn('Look at it')
    return () => bench.stop()
  })

  test('is read from the steps of its runs and from the turns that failed', async () => {
    const entries = await collect({ from: day, to: day })
    const call = { kind: 'call', day, owner: 2, runId: expect.any(String), model: 'claude-sonnet-5-5' }
    expect(entries.toSorted((a, b) => a.owner - b.owner || a.kind.localeCompare(b.kind))).toEqual([
      { ...call, usage: { input: 140, output: 20, cacheRead: 40, cacheWrite: 0 } },
      { ...call, usage: { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 } },
      { kind: 'failure', day, owner: 3, runId: expect.any(String) },
    ])
  })

  test('is read for the days that are asked for alone', async () => {
    expect(await collect({ from: '2026-11-21', to: '2026-11-30' })).toEqual([])
  })
})

const usage = { input: 1_000, output: 100, cacheRead: 500, cacheWrite: 0 }
const call = (over: Partial<Entry & { kind: 'call' }> = {}): Entry => ({
  kind: 'call',
  day,
  owner: 2,
  runId: 'a',
  model: 'priced',
  usage,
  ...over,
})
const pricesOf = (model: string) => (model === 'priced' ? prices : null)

test('calls of one turn are one turn, and a model without prices adds no cost', () => {
  const entries: Entry[] = [call(), call({ model: 'free' }), { kind: 'failure', day, owner: 3, runId: 'b' }]
  expect(lineOf(entries, pricesOf)).toEqual({
    turns: 2,
    failed: 1,
    calls: 2,
    input: 2_000,
    output: 200,
    cacheRead: 1_000,
    cacheWrite: 0,
    microDollars: 2_100,
  })
  expect(lineOf([call({ model: 'free' })], pricesOf).microDollars).toBeNull()
})

test('an entry counts under each of its keys, and keys are sorted', () => {
  const groups = ({ owner }: Entry) => (owner === 2 ? ['group 2', 'group 1'] : ['none'])
  const lines = sum([call(), call({ owner: 3, runId: 'c' })], groups, pricesOf)
  expect(lines.map(([key, { turns }]) => [key, turns])).toEqual([
    ['group 1', 1],
    ['group 2', 1],
    ['none', 1],
  ])
})

test('CSV quotes what separates cells, and defuses formulas', () => {
  expect(
    csv([
      ['day', 'user'],
      [day, '=1+1'],
      ['a,b', 'say "hi"'],
    ]),
  ).toBe(`day,user\r\n${day},'=1+1\r\n"a,b","say ""hi"""\r\n`)
  expect(cells(lineOf([call()], pricesOf)).at(-1)).toBe('0.0021')
  expect(cells(lineOf([call({ model: 'free' })], pricesOf)).at(-1)).toBe('')
})
