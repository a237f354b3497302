import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../infra/local/free-port.ts'
import { type Replaceable, startReplaceable, watchFolders } from '../../../infra/local/lambda.ts'

let folder: string
let file: string
let module: URL
let lambda: Replaceable

const answering = (word: string) => `
  export const handler = async (event) => {
    if (event.act === 'exit') process.exit(3)
    if (event.act === 'wait') await new Promise((done) => setTimeout(done, 200))
    return '${word}'
  }
`

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'replaceable-'))
  file = join(folder, 'function.mjs')
  await writeFile(file, answering('old'))
  module = pathToFileURL(file)
  lambda = await startReplaceable({ env: {}, modules: [module], log: new PassThrough() }, 60_000)
})
afterEach(async () => {
  await lambda.stop(0)
  await rm(folder, { recursive: true })
})

const invoke = (act?: string) => lambda.invoke(module, { act }, 20_000)

test('a change below a watched folder is served by a new process', async () => {
  expect(await invoke()).toBe('old')
  const served = Promise.withResolvers<void>()
  const stop = watchFolders([pathToFileURL(`${folder}/`)], () =>
    lambda.replace().then(served.resolve, served.reject),
  )

  await writeFile(file, answering('new'))
  await served.promise
  stop()

  expect(await invoke()).toBe('new')
})

test('what runs ends in the old process, what comes meanwhile waits for the new one', async () => {
  const running = invoke('wait')
  await writeFile(file, answering('new'))
  const replaced = lambda.replace()
  const waiting = invoke()

  expect([await running, await waiting]).toEqual(['old', 'new'])
  await replaced
})

test('code that does not load is reported, and the next change that does is served', async () => {
  await writeFile(file, 'export const handler = (')
  await expect(lambda.replace()).rejects.toThrow('SyntaxError')
  await expect(invoke()).rejects.toThrow('SyntaxError')

  await writeFile(file, answering('mended'))
  await lambda.replace()

  expect(await invoke()).toBe('mended')
})

test('a replacement is no crash, an end by itself is one', async () => {
  await lambda.replace()
  invoke('exit').catch(() => undefined)

  expect(await lambda.crashed).toBe('3')
})

test('a debugger finds the process at its port, the new one too', async () => {
  const inspect = await freePort('127.0.0.1')
  const inspected = await startReplaceable(
    { env: {}, modules: [module], log: new PassThrough(), inspect },
    5_000,
  )
  const targets = async () =>
    (await (await fetch(`http://127.0.0.1:${inspect}/json/list`)).json()) as {
      webSocketDebuggerUrl: string
    }[]

  const [before] = await targets()
  await inspected.replace()
  const [after] = await targets()
  await inspected.stop(0)

  expect(before?.webSocketDebuggerUrl).toMatch(/^ws:/)
  expect(after?.webSocketDebuggerUrl).not.toBe(before?.webSocketDebuggerUrl)
})
