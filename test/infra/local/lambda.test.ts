import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  FunctionError,
  type Lambda,
  openLog,
  reporter,
  startLambda,
  TimeoutError,
} from '../../../infra/local/lambda.ts'
import { standStill } from '../../support/clock.ts'

const source = `
  export async function handler(event, context) {
    switch (event.act) {
      case 'throw': throw new TypeError('no')
      case 'exit': process.exit(3)
      case 'nothing': return
      case 'stray':
        setImmediate(() => { throw new Error('of a stream') })
        Promise.reject(new Error('of a promise'))
        return new Promise(() => {})
      case 'hang': return new Promise(() => setInterval(() => {}, 1e6))
      case 'untilTimeIsUp':
        while (context.getRemainingTimeInMillis() > 0) await new Promise((done) => setTimeout(done, 5))
        return 'handed over'
      default:
        process.stderr.write('a line\\n')
        return { event, remaining: context.getRemainingTimeInMillis(), variable: process.env.VARIABLE }
    }
  }
`

let folder: string
let module: URL
let lambda: Lambda
let log: PassThrough

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lambda-'))
  const file = join(folder, 'function.mjs')
  await writeFile(file, source)
  module = pathToFileURL(file)
})

afterAll(() => rm(folder, { recursive: true }))

beforeEach(async () => {
  log = new PassThrough()
  lambda = await startLambda({ env: { VARIABLE: 'of the stage' }, modules: [module], log })
})

afterEach(() => lambda.stop(0))

test('what fails after the end of the log is told, and ends no stage', async () => {
  const told: string[] = []
  const stageLog = await openLog(join(folder, 'stage.log'), ({ message }) => told.push(message))
  const ended = new Promise<void>((done) => stageLog.end(() => done()))

  reporter(stageLog)(new Error('The table is gone'))
  await ended

  expect(told).toEqual(['write after end'])
})

test('an event goes in, the answer comes out, in the environment that was given', async () => {
  const answer = await lambda.invoke(module, { text: 'ü' }, 60_000)

  expect(answer).toEqual({ event: { text: 'ü' }, remaining: expect.any(Number), variable: 'of the stage' })
  const { remaining } = answer as { remaining: number }
  expect(remaining > 0 && remaining <= 60_000).toBe(true)
  const [line] = await once(log, 'data')
  expect(String(line)).toBe('a line\n')
})

test('a handler that answers nothing is done', async () => {
  expect(await lambda.invoke(module, { act: 'nothing' }, 60_000)).toBeNull()
})

test('what the handler throws fails the invocation and nothing else', async () => {
  await expect(lambda.invoke(module, { act: 'throw' }, 60_000)).rejects.toThrow(
    new FunctionError('TypeError: no'),
  )
  expect(await lambda.invoke(module, {}, 60_000)).toMatchObject({ event: {} })
})

test('an invocation that is late is given up, others go on', async () => {
  await expect(lambda.invoke(module, { act: 'hang' }, 20)).rejects.toBeInstanceOf(TimeoutError)
  expect(await lambda.invoke(module, {}, 60_000)).toMatchObject({ event: {} })
})

test('an error without an owner is logged, and costs its own invocation alone', async () => {
  const lines: string[] = []
  log.on('data', (data) => lines.push(String(data)))

  await expect(lambda.invoke(module, { act: 'stray' }, 500)).rejects.toBeInstanceOf(TimeoutError)

  expect(await lambda.invoke(module, {}, 60_000)).toMatchObject({ event: {} })
  // The answer and the log come over two lines: which is read first, the system says.
  await expect.poll(() => lines.join('')).toMatch(/An error had no owner.*of a /)
})

test('the end of the process fails what runs in it and whatever is asked later', async () => {
  const hanging = lambda.invoke(module, { act: 'hang' }, 60_000)
  const exiting = lambda.invoke(module, { act: 'exit' }, 60_000)

  await expect(hanging).rejects.toThrow('The process of the functions ended (3)')
  await expect(exiting).rejects.toBeInstanceOf(FunctionError)
  await expect(lambda.invoke(module, {}, 60_000)).rejects.toBeInstanceOf(FunctionError)
})

test('stopping tells what runs that its time is up, and waits for its answer', async () => {
  const running = lambda.invoke(module, { act: 'untilTimeIsUp' }, 60_000)
  await lambda.invoke(module, {}, 60_000)

  await lambda.stop(10_000)

  expect(await running).toBe('handed over')
  expect(lambda.process.exitCode).toBe(0)
})

test('stopping kills what does not end in its grace', async () => {
  const hanging = lambda.invoke(module, { act: 'hang' }, 60_000)
  const refused = expect(hanging).rejects.toThrow('SIGKILL')

  await lambda.stop(50)

  await refused
  expect(lambda.process.signalCode).toBe('SIGKILL')
})

test('a module that cannot be loaded is reported at the start, with the reason', async () => {
  const missing = pathToFileURL(join(folder, 'missing.mjs'))

  await expect(startLambda({ env: {}, modules: [missing], log })).rejects.toThrow(
    /ended \(1\).*ERR_MODULE_NOT_FOUND/s,
  )
})

test('an answer that came while this process stood still is no timeout', async () => {
  const answer = lambda.invoke(module, { text: 'in time' }, 1_000)
  await new Promise(setImmediate)
  standStill(3_000)

  expect(await answer).toMatchObject({ event: { text: 'in time' } })
})
