import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import * as Run from '../../core/agent/run-record.ts'
import * as Table from '../../core/base/aws/table.ts'
import * as UserData from '../../core/chat/user-data/work-record.ts'
import * as UserNumber from '../../core/cms/user-number/user-number.ts'
import * as Changes from '../../core/conversation/transcript/changes.ts'
import { McpServer } from '../../core/stage/settings/server.ts'
import * as Servers from '../../core/tool/remote/review.ts'
import * as Audit from '../../core/user/audit.ts'
import { damages, makeScene, nouns, placed, type Scene } from '../support/damage.ts'
import { type Bench, startBench, startedAt, type User } from '../support/live.ts'
import { emptyQueue, scan } from '../support/scan.ts'
import { provider } from '../support/settings.ts'
import { textUser } from '../support/text-users.ts'

/** Rows that are damaged, where each route, the consumer and cleanup read them. */

const dayMs = 86_400_000

let bench: Bench
let scene: Scene
let editor: User
let other: User
const lines: Record<string, unknown>[] = []

beforeAll(async () => {
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'WARN')
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(JSON.parse(String(line)))
    return true
  })
  bench = await startBench({
    dailyTokensPerUser: 1_000_000,
    retainRunDays: null,
    mcpServers: [McpServer.parse({ name: 'shop', url: 'http://127.0.0.1:9/mcp', auth: 'token' })],
    accessTokens: { trustZone: 'internal' },
  })
  const limits = { requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000 }
  await bench.configure({
    providers: [provider({ adapter: 'anthropic', baseUrl: bench.api.url, ...limits })],
  })
  scene = await makeScene(bench)
})
afterAll(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await bench.stop()
})

/** Puts the scene back, with the rows of one noun changed. */
async function put(sk: RegExp, change: (row: Table.Row) => Table.Row): Promise<void> {
  await Table.removeAll((await scan()) as Table.Key[])
  const spoilt = new Set(placed(scene, sk))
  for (const row of scene.rows)
    await Table.put({ ...(spoilt.has(row) ? change(row) : row), pk: row.pk, sk: row.sk })
}

beforeEach(async () => {
  lines.length = 0
  await emptyQueue()
  bench.api.always({ text: 'Answer.' })
})

/** Asks what reads the nouns that no conversation shows: no answer is a failure of the service. */
async function expectAnswered(): Promise<void> {
  const { damaged, runId, fileUid } = scene
  const answers = [
    await scene.editor.get('/status'),
    await editor.post('create', {}, { key: 'known' }),
    await editor.post('undo', { conversationId: damaged, runId }),
    await editor.get('/file-info', { fileUid }),
    await editor.get('/connections'),
    await editor.get('/access-tokens'),
    await editor.get('/prompts'),
    await editor.get('/instructions'),
    await editor.get('/conversations/feedback', { conversationId: damaged, runId }),
    await editor.ask('/ai-chat/prompts/save', { body: { title: 'Short', text: 'In a word.' } }),
  ]
  expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
  await Promise.all([Run.find(2, runId, bench.clock.now()), Run.steps({ owner: 2, runId })])
  await Promise.all([
    Run.intents({ owner: 2, runId }),
    Servers.seenServers(),
    UserNumber.numberOf(textUser(2)),
    Changes.behind({ id: damaged, path: [] }, 0),
  ])
  const day = new Date(startedAt).toISOString().slice(0, 10)
  await UserData.records(2)
  for await (const entry of Audit.entries(day)) expect(entry).toBeDefined()
}

const broken = nouns.flatMap(({ codec, sk }) =>
  damages.map(([how, of]) => ({ codec, sk, how, of, noun: codec.noun })),
)

describe('a row takes down no more than itself', () => {
  test.each(broken)(
    '$noun with every attribute $how, and is named in the log',
    async ({ codec, sk, of, how }) => {
      const names = Object.values(codec.fields).map(({ attribute }) => attribute)
      // An index takes keys of its own type alone: those can be missing, but not wrong.
      const spoilt = names.filter((name) => !/_(pk|sk)$/.test(name))
      await put(sk, (row) => spoilt.reduce((it, name) => of(it, name), row))
      editor = await bench.login('editor')
      other = await bench.login('admin')

      const list = await editor.get<{ conversations: { id: string }[] }>('/conversations')
      const status = await editor.get('/status')
      const exported = await editor.get('/conversations/export', {
        conversationId: scene.damaged,
        format: 'json',
      })
      const { messages } = await editor.poll(scene.healthy)
      const seen = await editor.poll(scene.damaged)
      expect({
        list: [list.status, list.body.conversations.map(({ id }) => id).toSorted()],
        status: status.status,
        exported: exported.status,
        healthy: messages.length,
        damaged: seen.conversation.id,
      }).toEqual({
        list: [200, [scene.damaged, scene.healthy].toSorted()],
        status: 200,
        exported: 200,
        healthy: 2,
        damaged: scene.damaged,
      })

      await other.turn('First')
      await expectAnswered()
      await bench.cleanup()
      await other.turn('Something else')
      expect((await editor.turn('Three', { conversationId: scene.healthy })).messages).toHaveLength(4)

      await editor.does('delete', scene.damaged, { deleted: true })
      await bench.cleanup({ now: bench.clock.now() + 2 * dayMs })
      expect((await scan()).filter(({ pk }) => pk.endsWith(scene.damaged))).toEqual([])
      // What a noun may lack is no damage; a file without any attribute is what a release leaves of one; the id of a
      // dropped run is its sort key.
      const isDamage = how !== 'missing' || Object.values(codec.fields).some(({ isRequired }) => isRequired)
      if (!isDamage || codec.noun === 'dropped run' || (codec.noun === 'file' && how === 'missing')) return
      const named = lines.filter(({ message }) => message === 'A stored item is damaged')
      expect(named.map(({ noun }) => noun)).toContain(codec.noun)
    },
  )
})

test('a row that was never stored is no damage', async () => {
  await put(/^none$/, (row) => row)
  other = await bench.login('admin')

  expect(await other.get('/prompts')).toMatchObject({ status: 200, body: { own: [] } })
  expect(lines.filter(({ message }) => message === 'A stored item is damaged')).toEqual([])
})
