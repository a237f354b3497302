import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { login } from '../support/http.ts'
import { failedStart, startStage } from '../support/stage.ts'

/** What `npm start` says where its data cannot be used: one sentence and a code, never a stack. */

let parent: string
let folder: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'ai-chat-'))
  folder = join(parent, 'data')
})
afterEach(() => rm(parent, { recursive: true, force: true }))

const within = (name: string) => join(folder, name)
const garbage = Buffer.alloc(8_192, 'no database ')

test.each<[string, string, (path: string) => Promise<unknown>]>([
  ['a folder that is a file', '', () => writeFile(folder, 'text')],
  [
    'a folder below a file',
    '',
    async () => {
      await writeFile(folder, 'text')
      folder = join(folder, 'below')
    },
  ],
  ['a lock that is a folder', 'lock.sqlite', (path) => mkdir(path)],
  ['a lock that is no database', 'lock.sqlite', (path) => writeFile(path, garbage)],
  ['a log that is a folder', 'stage.log', (path) => mkdir(path)],
  ['a store that is a file', 'store', (path) => writeFile(path, 'text')],
  ['a table that is no database', 'table.sqlite', (path) => writeFile(path, garbage)],
  ['a table that is a folder', 'table.sqlite', (path) => mkdir(path)],
  ['a secret that is a folder', 'secret', (path) => mkdir(path)],
  ['a secret that is empty', 'secret', (path) => writeFile(path, '')],
  ['endpoints that are a folder', 'endpoints.json', (path) => mkdir(path)],
  ['a disk that is full', 'endpoints.json', (path) => symlink('/dev/full', path)],
])('%s ends the start with one sentence that names it', async (_, name, damage) => {
  if (name) await mkdir(folder)
  await damage(within(name))

  const { code, stdout, stderr } = await failedStart({ folder })

  expect(code).toBe(1)
  expect(stdout).not.toContain('ready')
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(within(name))])
  expect(stderr).not.toMatch(/node:|\bat .+:\d+|Error/)
})

test('a port in use ends the start with one sentence', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const { code, stderr } = await failedStart({ folder, env: { PORT: String(port) } })
  server.close()

  expect([code, stderr.trim()]).toEqual([
    1,
    `Port ${port} is in use. Choose another one with PORT, or 0 for a free one.`,
  ])
})

test('a torn endpoints.json, and a log that takes nothing more, do not keep the stage from its work', async () => {
  await mkdir(folder)
  await writeFile(within('endpoints.json'), '{"origin": "http')
  await symlink('/dev/full', within('stage.log'))

  const stage = await startStage({ folder })

  expect((await login(stage.origin, 'editor')).csrfToken).toBeTruthy()
  expect(await stage.stop()).toBe(0)
})
