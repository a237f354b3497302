import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Bench, startBench, type User } from '../../support/live.ts'

let bench: Bench
let editor: User
const lines: Record<string, unknown>[] = []

beforeAll(async () => {
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'INFO')
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(JSON.parse(String(line)))
    return true
  })
  bench = await startBench()
  editor = await bench.login('editor')
})
beforeEach(() => {
  lines.length = 0
  bench.api.reset()
})
afterAll(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await bench.stop()
})

test('a turn that fails says why in the log: reason, model, round, attempt and run, and never a key', async () => {
  const message = 'unknown model, key sk-ant-api03-abcdefghijklmnopqrstuvwxyz'
  bench.api.reply({ fault: 'status', status: 400, message })

  const { conversation } = await editor.turn('A word that the log must not hold')

  const row = await bench.row(conversation.id)
  const place = { conversationId: conversation.id, turn: row.runId }
  expect(lines.find((line) => line.message === 'A model did not answer')).toMatchObject({
    ...place,
    model: 'claude-sonnet-5-5',
    round: 1,
    attempt: 1,
    reason: expect.stringContaining('unknown model'),
  })
  expect(lines.find((line) => line.message === 'A turn failed')).toMatchObject({
    ...place,
    level: 'WARN',
    code: 'model.rejected',
    reason: expect.stringContaining('unknown model'),
  })
  expect(JSON.stringify(lines)).not.toMatch(/sk-ant-api03|must not hold/)
})

test('each call of the model is a line with its model, time, tokens and round', async () => {
  bench.api.reply({ calls: [{ name: 'get_page_tree', arguments: {} }] }, { text: 'An answer.' })

  await editor.turn('Look')

  const calls = lines.filter((line) => line.message === 'A model answered')
  expect(calls.map(({ round, stop }) => [round, stop])).toEqual([
    [1, 'calls'],
    [2, 'end'],
  ])
  expect(calls[0]).toMatchObject({
    model: 'claude-sonnet-5-5',
    ms: expect.any(Number),
    attempt: 1,
    input: expect.any(Number),
    output: expect.any(Number),
  })
})

test('each line of a turn names the request that started it, as its answer named it to the browser', async () => {
  bench.api.reply({ text: 'I propose:', calls: [rename] }, { text: 'Done.' })
  const sent = await editor.post<{ conversation: { id: string } }>('send', { content: 'Rename it' })
  const { id } = sent.body.conversation
  await bench.settle()
  const first = await requests()
  await editor.decide(id, true)
  await bench.settle()

  expect(sent.headers['x-request-id']).toMatch(/./)
  expect(first).toEqual([sent.headers['x-request-id']])
  const second = await requests()
  expect(second).toHaveLength(1)
  expect(second).not.toEqual(first)
  expect((await bench.row(id)).httpRequestId).toBe(second[0])

  /** The requests that the lines of turns name, each once; forgets the lines. */
  async function requests() {
    const named = lines.splice(0).filter((line) => line.turn !== undefined)
    expect(named.length).toBeGreaterThan(1)
    return [...new Set(named.map(({ requestId }) => requestId))]
  }
})

const rename = { name: 'update_record', arguments: { table: 'news', uid: 1, fields: { title: 'New' } } }
