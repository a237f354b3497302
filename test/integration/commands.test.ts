import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocks, commands, root } from '../support/docs.ts'
import { type Client, login } from '../support/http.ts'
import { type Ended, ready, watch } from '../support/stage.ts'

/** Runs as a person would, in a shell, with nothing of the tests' own environment. */
function shell(command: string, cwd = root, env: Record<string, string> = {}) {
  const { PATH = '', HOME = '', CHROMIUM_PATH } = process.env
  const own = { PATH, HOME, NO_COLOR: '1', ...(CHROMIUM_PATH && { CHROMIUM_PATH }) }
  return watch(spawn('sh', ['-c', command], { cwd, env: { ...own, ...env } }))
}

/** A copy of the repository after `npm ci`: what is built in it disturbs no other test. */
async function copy(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ai-chat-copy-'))
  const isSource = (path: string) =>
    !/\/(node_modules|dist|\.git|\.sst|\.local)(\/|$)/.test(path.slice(root.length - 1))
  await cp(root, folder, { recursive: true, filter: isSource })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Commands that `.ci/run` runs as they are, or that are made of such. */
const byCi = [
  'npm ci',
  'npm run check',
  'npm run infra:check',
  'npm ci && npm test',
  'npm test -- test/infra',
]
/** The stage below is started by these. */
const byStart = ['npm ci && npm start', 'AI_CHAT_SETTINGS=my-settings.json npm start']
/** The stage of the WordPress story in `packages/wordpress/test`. */
const byStory = ['npm start -- --cms wordpress']
const withStage = [
  'npm run ai-chat:process',
  'npm run ai-chat:worker -- --max-turns 1',
  'npm run ai-chat:cleanup -- --dry-run',
  'npm run upgrade -- aiChat_migrateMessagesToTable',
  'npm run doctor',
  'npm run feedback',
  'npm run usage',
]
/** These build or write results, hence in the copy; those of crashes are only written where it is asked for. */
const measuring = [
  'npm run chaos -- --runs 20',
  'npm run bench -- units',
  'npm run eval -- --repeats 1 --only ask',
]
const alone = [
  'npm run cost',
  'npm run manifest -- --check',
  'npm run openapi -- --check',
  'npm test -- test/core/base/safety/fence.test.ts',
  'npm test -- test/core/stage/settings -t overlay',
]

test('every command of the pages is tried here or by CI, or says what it needs', () => {
  const tried = [...byCi, ...byStart, ...byStory, ...withStage, ...measuring, ...alone]
  const unmarked = commands.filter(({ comment }) => !/^needs /.test(comment)).map(({ command }) => command)

  expect([...new Set(unmarked)].sort()).toEqual(tried.sort())
})

test('CI installs, checks and tests', async () => {
  const ci = await readFile(join(root, '.ci/run'), 'utf8')
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))

  for (const command of ['npm ci', 'npm run lint', 'npm run types', 'npm run infra:check', 'npm test'])
    expect(ci).toContain(`\n${command}`)
  // A skipped test fails CI.
  expect(ci).toMatch(/^npm test .*--complete/m)
  expect(scripts.check).toContain('npm run lint && npm run types')
})

describe('beside a stage that npm start has started with the settings of docs/local.md', () => {
  let folder: string
  let stage: ReturnType<typeof shell>
  let editor: Client
  const env = { AI_CHAT_SETTINGS: 'my-settings.json', AI_CHAT_PROCESSING: 'worker', PORT: '0' }

  beforeAll(async () => {
    folder = await copy()
    await writeFile(
      join(folder, 'my-settings.json'),
      blocks('docs/local.md', 'json').find((block) => block.includes('maxActive')) ?? '',
    )
    stage = shell('exec npm start', folder, env)
    editor = await login(await ready(stage.output, stage.exited), 'editor')
  })
  afterAll(async () => {
    stage?.child.kill('SIGINT')
    await stage?.exited
    await rm(folder, { recursive: true, force: true })
  })

  test('the settings hold', async () => {
    const { body } = await editor.get('/ai-chat/status')
    expect(body).toMatchObject({ maxActiveConversations: 5, usage: { dailyTokens: 500_000 } })
  })

  test.each(withStage)('%s', async (command) => {
    // Process and worker find a turn of their own; the turn of doctor finds a worker.
    if (/process|worker/.test(command)) await editor.send('What does the Aurora lamp cost?')
    const worker = command.endsWith('doctor') ? shell('exec npm run ai-chat:worker', folder, env) : undefined

    expect(await shell(command, folder, env).exited).toMatchObject({ code: 0 } satisfies Partial<Ended>)
    worker?.child.kill('SIGTERM')
    expect((await worker?.exited)?.code ?? 0).toBe(0)
  })
})

test.each(measuring)('%s', { timeout: 300_000 }, async (command) => {
  const folder = await copy()
  try {
    const crashes = () => readFile(join(folder, 'test/chaos/results.json'), 'utf8')
    const before = await crashes()
    expect(await shell(command, folder).exited).toMatchObject({ code: 0 } satisfies Partial<Ended>)
    expect(await crashes()).toBe(before)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test.each(alone)('%s', async (command) => {
  expect(await shell(command).exited).toMatchObject({ code: 0 } satisfies Partial<Ended>)
})
