import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { isOver, login } from '../support/http.ts'
import { command, failedStart, type Stage, type StageOptions, startStage } from '../support/stage.ts'

let stage: Stage | undefined

afterEach(async () => {
  await stage?.remove()
  stage = undefined
})

async function started(options: StageOptions = {}): Promise<Stage> {
  stage = await startStage(options)
  return stage
}

/** Ids of the processes that a process has started. */
async function children(pid: number | undefined): Promise<{ pid: number; command: string }[]> {
  const pids = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean)
  return Promise.all(
    pids.map(async (id) => ({
      pid: Number(id),
      command: (await readFile(`/proc/${id}/cmdline`, 'utf8')).replaceAll('\0', ' '),
    })),
  )
}

const question = 'What does the Aurora lamp cost?'

test('a question is answered from the data of the site', async () => {
  const { origin } = await started()
  const editor = await login(origin, 'editor')

  const { conversation } = await editor.send(question, { viewContext: { pageId: 3, module: 'page' } })
  const poll = await editor.until(conversation.id, isOver)

  expect([conversation.status, poll.conversation.status]).toEqual(['processing', 'idle'])
  expect(poll.messages.at(-1)).toMatchObject({ role: 'assistant', notice: 'demo' })
  expect(poll.messages.at(-1)?.content).toContain('149 EUR')
  expect(poll.activity.some((entry) => entry.kind === 'tool')).toBe(true)
})

test('the seed holds a conversation of an earlier release, once', async () => {
  const first = await started()
  const list = async ({ origin }: Stage) => {
    const editor = await login(origin, 'editor')
    const { body } = await editor.get<{
      conversations: { id: string; title: string; messageCount: number }[]
    }>('/ai-chat/conversations')
    return { editor, conversations: body.conversations }
  }
  const { editor, conversations } = await list(first)
  const [legacy] = conversations

  expect(conversations).toMatchObject([{ title: 'Legacy conversation', messageCount: 4 }])
  const { messages } = await editor.poll(legacy?.id ?? '')
  expect(messages.map(({ sequence, role }) => `${sequence} ${role}`)).toEqual([
    '0 user',
    '1 assistant',
    '2 user',
    '3 assistant',
  ])
  await editor.post('/ai-chat/conversations/delete', { conversationId: legacy?.id, deleted: true })
  await first.stop()
  expect((await list(await started({ folder: first.folder }))).conversations).toEqual([])
})

test('the folder holds the endpoints while the stage runs, its secret for the owner alone, and never a key', async () => {
  const key = 'sk-ant-of-a-person'
  const { folder, origin, output, stop } = await started({ env: { ANTHROPIC_API_KEY: key } })

  const endpoints = JSON.parse(await readFile(join(folder, 'endpoints.json'), 'utf8'))
  expect(endpoints).toMatchObject({ origin, env: { AI_CHAT_ORIGIN: origin, AI_CHAT_LOCAL: 'true' } })
  expect((await stat(join(folder, 'secret'))).mode & 0o777).toBe(0o600)
  expect(output()).toMatch(/^ {2}Model +claude-/m)
  expect(await stop()).toBe(0)
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  expect(files.map((file) => file.slice(folder.length + 1))).not.toContain('endpoints.json')
  for (const file of files) expect((await readFile(file)).includes(key)).toBe(false)
})

test('one folder has one stage', async () => {
  const { folder, origin } = await started()

  const second = await failedStart({ folder })

  expect(second.code).toBe(1)
  expect(second.stderr).toContain(`A stage already runs on ${folder}, at ${origin}.`)
  expect(second.stdout).not.toContain('ready')
})

test('wrong settings are reported with the path of each mistake, and nothing is changed', async () => {
  const first = await started({ settings: { maxActiveConversations: 7 } })
  await first.stop()
  const before = await readFile(join(first.folder, 'table.sqlite'))

  const failed = await failedStart({
    folder: first.folder,
    settings: { maxMessageLength: 0, providers: [{ uid: 1, adapter: 'oracle' }], surprise: true },
  })

  expect(failed.code).toBe(1)
  expect(failed.stdout).not.toContain('ready')
  for (const path of ['maxMessageLength', 'providers.0.adapter', 'surprise'])
    expect(failed.stderr).toContain(`  ${path}: `)
  expect((await readFile(join(first.folder, 'table.sqlite'))).equals(before)).toBe(true)
  await rm(join(first.folder, 'overlay.json'))
})

test.each([
  ['PORT', 'http'],
  ['AI_CHAT_PROCESSING', 'maybe'],
])('%s=%s is refused with a sentence', async (name, value) => {
  const folder = join(tmpdir(), `ai-chat-${randomUUID()}`)

  const failed = await failedStart({ folder, env: { [name]: value } })

  expect(existsSync(folder)).toBe(false)
  expect([failed.code, failed.stderr.split('\n')[0]]).toEqual([
    1,
    expect.stringContaining(`${name} is ${value}`),
  ])
})

test.each([
  ['the web functions', /lambda-child.*functions\/send/],
  ['the consumer', /lambda-child.*functions\/process/],
  ['the table', /dynoxide/],
])('the crash of %s is reported, ends the stage and leaves no process behind', async (_, pattern) => {
  const { process: main, output } = await started()
  const all = await children(main.pid)
  const victim = all.find((child) => pattern.test(child.command))
  const ended = new Promise<number | null>((done) => main.once('close', done))

  process.kill(victim?.pid ?? 0, 'SIGKILL')

  expect(await ended).toBe(1)
  expect(output()).toMatch(/ended by itself \(SIGKILL\)\. The log is /)
  for (const { pid } of all) await expect.poll(() => isAlive(pid)).toBe(false)
})

test('a stage that is killed in mid-turn goes on with it at the next start, and loses nothing', async () => {
  const first = await started()
  const before = await login(first.origin, 'editor')
  const { conversation } = await before.send(question)
  await before.until(conversation.id, ({ activity }) => activity.length > 0)

  await first.kill()
  const { origin } = await started({ folder: first.folder })

  const after = await login(origin, 'editor')
  const poll = await after.until(conversation.id, isOver)
  expect(poll.conversation.status).toBe('idle')
  expect(poll.messages[0]).toMatchObject({ role: 'user', content: question })
  expect(poll.messages.at(-1)?.content).toContain('149 EUR')
  const runs = new Set(poll.messages.flatMap(({ runId }) => runId ?? []))
  expect(runs.size).toBe(1)
  expect(poll.messages.map(({ sequence }) => sequence)).toEqual(poll.messages.map((_, at) => at))
})

test('Ctrl-C in mid-turn ends at once, and the next start goes on', async () => {
  const first = await started()
  const before = await login(first.origin, 'editor')
  const { conversation } = await before.send(question)
  await before.until(conversation.id, ({ activity }) => activity.length > 0)

  expect(await first.stop()).toBe(0)
  const { origin } = await started({ folder: first.folder })

  const poll = await (await login(origin, 'editor')).until(conversation.id, isOver)
  expect([poll.conversation.status, poll.messages.at(-1)?.notice]).toEqual(['idle', 'demo'])
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('with processing by worker nothing is started, and the commands of another terminal do the work', async () => {
  const running = await started({ env: { AI_CHAT_PROCESSING: 'worker' } })
  const editor = await login(running.origin, 'editor')
  expect(await command(running, 'process')).toMatchObject({ code: 3, stdout: '{"ending":"nothingQueued"}\n' })

  const first = await editor.send(question)
  const second = await editor.send(question)
  const { id } = second.conversation

  expect(await command(running, 'process', '--conversation', id)).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify({ conversationId: id, ending: 'done' })}\n`,
  })
  expect((await editor.poll(first.conversation.id)).conversation.status).toBe('processing')
  expect((await command(running, 'process')).code).toBe(0)
  expect((await editor.poll(first.conversation.id)).conversation.status).toBe('idle')

  const third = await editor.send(question)
  // Three messages are in the queue; those of the two that are done are void, which costs the worker nothing.
  expect((await command(running, 'worker', '--max-turns', '1', '--poll-interval', '1000')).code).toBe(0)
  expect((await editor.poll(third.conversation.id)).conversation.status).toBe('idle')
  const { conversationId, runId } = {
    conversationId: third.conversation.id,
    runId: (await editor.poll(third.conversation.id)).messages.at(-1)?.runId,
  }
  const said = { verdict: 'notHelpful', reason: 'wrong', words: 'It costs less.' }
  await editor.post('/ai-chat/conversations/feedback', { conversationId, runId, ...said })
  const explained = JSON.parse(
    (await command(running, 'explain', '--conversation', third.conversation.id)).stdout,
  )
  expect(explained).toMatchObject({
    conversation: { id: third.conversation.id, status: 'idle' },
    run: { conversationId: third.conversation.id },
    feedback: said,
  })
  expect(explained.steps.at(-1)).toMatchObject({ detail: { kind: 'llm', stop: 'end' } })
})

test('a turn that fails shows in the code of the command', async () => {
  const running = await started({
    env: { AI_CHAT_PROCESSING: 'worker' },
    settings: { tasks: [{ uid: 1, active: false }] },
  })
  const editor = await login(running.origin, 'editor')
  const { conversation } = await editor.send(question)

  expect((await command(running, 'process')).code).toBe(1)
  const failed = await editor.poll(conversation.id)
  expect(failed.conversation).toMatchObject({ status: 'failed', errorCode: 'chat.notConfigured' })
  const explained = await command(running, 'explain', '--conversation', conversation.id)
  expect([explained.code, JSON.parse(explained.stdout)]).toMatchObject([
    0,
    { conversation: { id: conversation.id, errorCode: 'chat.notConfigured' }, run: null, steps: [] },
  ])
})

test('cleanup prints what it did, and with --dry-run what it would do', async () => {
  const running = await started()
  const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString()

  const dry = await command(running, 'cleanup', '--dry-run', '--now', inAYear)
  const real = await command(running, 'cleanup', '--now', inAYear)
  const again = await command(running, 'cleanup', '--now', inAYear, '--delete-after-days', '99')

  const none = { requeued: 0, resumed: 0, failed: 0, expired: 0, archived: 0, removed: 0 }
  expect(JSON.parse(dry.stdout)).toEqual({ ...none, archived: 1 })
  expect(JSON.parse(real.stdout)).toEqual({ ...none, archived: 1 })
  expect(JSON.parse(again.stdout)).toEqual(none)
})

test('the data of a user is exported and erased by a command, and the audit says so', async () => {
  const running = await started()
  const editor = await login(running.origin, 'editor')
  const { conversation } = await editor.send(question)
  await editor.until(conversation.id, isOver)
  const out = join(running.folder, 'export')

  const exported = await command(running, 'user-data', 'export', '--user', '2', '--out', out)
  const erased = await command(running, 'user-data', 'erase', '--user', '2')
  const audit = await command(running, 'audit')

  expect([exported.code, erased.code, audit.code]).toEqual([0, 0, 0])
  const answer = await readFile(join(out, 'conversations', `${conversation.id}.md`), 'utf8')
  expect(answer).toContain('149 EUR')
  const { counts: all } = JSON.parse(exported.stdout)
  expect(JSON.parse(erased.stdout)).toMatchObject({ uid: 2, running: 0, counts: all })
  const lines = audit.stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).activity_name)).toEqual(['Logon', 'Read', 'Delete'])
  expect((await editor.get('/backend/session')).status).toBe(401)
  expect((await command(running, 'user-data', 'erase')).code).toBe(2)
})

test('a wrong call is answered with the usage line', async () => {
  const running = await started()

  for (const [name, ...args] of [
    ['process', '--conversation', 'what'],
    ['process', '--all'],
    ['worker', '--concurrency', '0'],
    ['worker', '--max-turns', 'many'],
    ['cleanup', '--now', 'tomorrow'],
    ['explain', '--conversation', 'what'],
    ['cleanup', '--auto-archive-days', '-1'],
  ] as const) {
    const ended = await command(running, name, ...args)
    expect([ended.code, ended.stdout]).toEqual([2, ''])
    expect(ended.stderr).toContain(`Usage: npm run ai-chat:${name} -- `)
  }
})

test('without a stage a command says so', async () => {
  const running = await started()
  await running.stop()

  const ended = await command(running, 'process')

  expect([ended.code, ended.stderr.split('\n')[0]]).toEqual([
    2,
    `No local stage runs on ${running.folder}. Start one with: npm start`,
  ])
})
