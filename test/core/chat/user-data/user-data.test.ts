import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, test, vi } from 'vitest'
import { documents } from '../../../../core/base/aws/table.ts'
import { eraseUser } from '../../../../core/chat/user-data/erase.ts'
import { exportUser, filePath, type Sink } from '../../../../core/chat/user-data/export.ts'
import { records } from '../../../../core/chat/user-data/work-record.ts'
import * as UserNumber from '../../../../core/cms/user-number/user-number.ts'
import { accept } from '../../../../core/file/file.ts'
import { supportedFormats } from '../../../../core/file/format.ts'
import { below } from '../../../../core/file/removal.ts'
import * as Audit from '../../../../core/user/audit.ts'
import { actor } from '../../../support/actor.ts'
import { bench, benched, editor } from '../../../support/benched.ts'
import { gate, type User } from '../../../support/live.ts'
import { scan } from '../../../support/scan.ts'

benched({ dailyTokensPerUser: 1_000_000 })
beforeEach(() => {
  bench.api.always({ text: 'The lamp costs 149 EUR.' })
})

/** A sink in memory; `fails` breaks the write of that path once. */
function memory(fails?: string) {
  const files = new Map<string, Uint8Array | string>()
  const written: string[] = []
  let broken = fails
  const sink: Sink = {
    has: async (path, size) => files.get(path)?.length === size,
    write: async (path, content) => {
      if (broken !== undefined && path.startsWith(broken)) {
        broken = undefined
        throw new Error('The disk is full')
      }
      written.push(path)
      files.set(path, content)
    },
  }
  const text = (path: string) => Buffer.from(files.get(path) ?? '').toString()
  return { sink, files, written, text }
}

/** Everything that a user can leave behind. */
async function life(user: User, uid: number) {
  const text = { name: 'notes.txt', mimeType: 'text/plain', bytes: Buffer.from('My own notes') }
  const file = await accept(
    actor({ uid }),
    text,
    { formats: supportedFormats([]), maxUnsent: 5 },
    bench.clock.now(),
  )
  const { conversation } = await user.turn('What does it cost?', { fileUid: file.fileUid })
  await user.does('system-prompt', conversation.id, { systemPrompt: 'Call me Kim.' })
  await user.ask('/ai-chat/instructions', { body: { text: `I am user ${uid}.` } })
  const gone = (await user.turn('Forget this')).conversation
  await user.does('delete', gone.id, { deleted: true })
  await user.post('create', {}, { key: `key-${uid}` })
  return { id: conversation.id, deleted: gone.id, fileUid: file.fileUid }
}

/** Keys of the table that name the user. */
const keysOf = async (uid: number) =>
  (await scan()).filter(({ pk }) => new RegExp(`(^|#)${uid}([#-]|$)`).test(pk)).map(({ pk }) => pk)
const objectsOf = async (uid: number) => {
  const keys: string[] = []
  for await (const { key } of below('')) if (key.split('/').includes(String(uid))) keys.push(key)
  return keys
}

test('an export and an erasure tell how much of the table they have read, from 0 in each reading', async () => {
  const { sink } = memory()
  const rows = (await scan()).length
  const told: number[] = []
  await exportUser(2, 'en', sink, bench.clock, (read) => told.push(read))
  await eraseUser(2, bench.clock, (read) => told.push(read))

  expect(told.length).toBeGreaterThanOrEqual(3)
  expect(Math.max(...told)).toBeGreaterThanOrEqual(rows)
})

test('an export has all that the service has of a user, and nothing of another', async () => {
  const { id, deleted, fileUid } = await life(editor, 2)
  const other = await life(await bench.login('autorin'), 3)
  const { sink, files, text } = memory()

  const record = await exportUser(2, 'en', sink, bench.clock)

  const paths = [...files.keys()]
  expect(text(`conversations/${id}.md`)).toContain('The lamp costs 149 EUR.')
  expect(text(`conversations/${id}.json`)).toContain('Call me Kim.')
  expect(paths).toContain(`conversations/${deleted}.json`)
  expect(text(`files/${fileUid}/notes.txt`)).toBe('My own notes')
  expect(text('user/2.json')).toContain('I am user 2.')
  expect(text('user/2.json')).toMatch(/"sk": "usage#.*"sk": "|"sk": "quota"/s)
  expect(paths.filter((path) => path.startsWith('runs/'))).toHaveLength(2)
  expect(paths.some((path) => path.startsWith('sessions/'))).toBe(true)
  const whole = paths.map(text).join()
  expect(whole).not.toMatch(/token_hash/)
  expect(whole).not.toContain(other.id)
  expect(record).toMatchObject({
    kind: 'export',
    counts: { conversations: 3, runs: 2, files: 1, items: expect.any(Number) },
  })
  expect(JSON.parse(text('export.json'))).toEqual(record)
})

test('an exported file stays in the folder of files, whatever its key is', () => {
  expect(filePath('7/notes.txt')).toBe('files/7/notes.txt')
  expect(filePath('../../7/../notes.txt')).toBe('files/7/notes.txt')
})

test('an export that was interrupted goes on, and fetches no file twice', async () => {
  const { sink, written } = memory('audit')
  await expect(exportUser(2, 'en', sink, bench.clock)).rejects.toThrow('The disk is full')
  const [open] = (await records(2)).filter(({ endedAt }) => endedAt === undefined)

  const record = await exportUser(2, 'en', sink, bench.clock)

  expect([record.startedAt, record.endedAt]).toEqual([open?.startedAt, expect.any(String)])
  expect(written.filter((path) => path.endsWith('notes.txt'))).toHaveLength(1)
})

/** A consumer whose turn waits at the gate before it asks the model. */
const heldAt = (at: ReturnType<typeof gate>) =>
  bench.consume({
    model: async (resolved) => {
      await at.reach()
      return bench.live.model(resolved)
    },
  })

test('an erasure leaves nothing of the user, all of the others, and a record of itself', async () => {
  const others = (await keysOf(3)).length
  const { clock } = bench
  await clock.pass(1)
  const asked = vi.spyOn(documents(), 'send')

  const { record, running } = await eraseUser(2, clock)

  expect(running).toBe(0)
  // Once to find what there is, once to see that nothing is left: each reads the whole table.
  expect(asked.mock.calls.filter(([command]) => command instanceof ScanCommand)).toHaveLength(2)
  asked.mockRestore()
  expect(record).toMatchObject({ kind: 'erase', endedAt: expect.any(String) })
  expect(record.counts).toMatchObject({ conversations: 3, runs: 2, files: 1 })
  expect(new Set(await keysOf(2))).toEqual(new Set(['user-data#2']))
  expect(await objectsOf(2)).toEqual([])
  expect((await keysOf(3)).length).toBe(others)
  expect((await objectsOf(3)).length).toBe(1)
  expect((await editor.get('/conversations')).status).toBe(401)
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  const acts: unknown[] = []
  for await (const { activity_name, api, resources } of Audit.entries(day))
    if (api?.operation.startsWith('user-data')) acts.push([activity_name, api.operation, resources])
  expect(acts.at(-1)).toEqual(['Delete', 'user-data erase', [{ type: 'user', uid: '2' }]])
})

test('an erasure stops a turn that runs, and what it stores afterwards is gone as well', async () => {
  const { id } = (await editor.send('Work for long')).conversation
  const at = gate()
  const consuming = heldAt(at)
  await at.reached
  const erasing = eraseUser(2, bench.clock)
  while (!(await bench.row(id)).cancelRequested) await new Promise((done) => setImmediate(done))

  at.open()
  await consuming
  await bench.clock.pass(1_000)
  while (bench.clock.sleeping().length > 0) await bench.clock.pass(1_000)

  expect(await erasing).toMatchObject({ running: 0, record: { endedAt: expect.any(String) } })
  expect(new Set(await keysOf(2))).toEqual(new Set(['user-data#2']))
})

test('a title that a model writes during the erasure leaves nothing of the user', async () => {
  await bench.configure({ titles: 'always' })
  bench.api.reply({ text: 'It costs 149 EUR.' }, async () => {
    expect((await eraseUser(2, bench.clock)).record.endedAt).toEqual(expect.any(String))
    return { text: 'Price of the lamp' }
  })
  await editor.send('How much is it?')
  await bench.settle()
  await bench.configure()

  expect(bench.api.requests).toHaveLength(2)
  expect(new Set(await keysOf(2))).toEqual(new Set(['user-data#2']))
})

test('a turn that does not stop keeps the erasure open, and the next call ends it', async () => {
  const { id } = (await editor.send('Work for ever')).conversation
  const at = gate()
  const consuming = heldAt(at)
  await at.reached
  const erasing = eraseUser(2, { now: bench.clock.now, sleep: (ms) => bench.clock.pass(ms) })

  const first = await erasing
  expect([first.running, first.record.endedAt]).toEqual([1, undefined])
  expect((await bench.row(id)).status).toBe('locked')

  at.open()
  await consuming
  const second = await eraseUser(2, bench.clock)
  expect([second.running, second.record.startedAt]).toEqual([0, first.record.startedAt])
  expect(new Set(await keysOf(2))).toEqual(new Set(['user-data#2']))
})

test('the id that the CMS has of a user is exported, goes with the erasure, and its number is never given again', async () => {
  const id = 'person-of-another-cms'
  const uid = Number(await UserNumber.numberOf(id))
  const { sink, text } = memory()

  await exportUser(uid, 'en', sink, bench.clock)
  await eraseUser(uid, bench.clock)

  expect(JSON.parse(text('cms-user.json'))).toEqual({ uid, id })
  expect(JSON.stringify(await scan())).not.toContain(id)
  expect([uid, undefined]).not.toContain(await UserNumber.numberOf(id))
})
