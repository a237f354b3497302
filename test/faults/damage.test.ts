import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as Table from '../../core/aws/table.ts'
import { damages, makeScene, nouns, placed, type Scene } from '../support/damage.ts'
import { type Bench, startBench, type User } from '../support/live.ts'
import { emptyQueue, scan } from '../support/scan.ts'

/** Rows that are damaged, where each route, the consumer and cleanup read them. */

const dayMs = 86_400_000

let bench: Bench
let scene: Scene
let editor: User
let other: User

beforeAll(async () => {
  bench = await startBench({ dailyTokensPerUser: 1_000_000, retainRunDays: null })
  scene = await makeScene(bench)
})
afterAll(() => bench.stop())

/** Puts the scene back, with the rows of one noun changed. */
async function put(sk: RegExp, change: (row: Table.Row) => Table.Row): Promise<void> {
  await Table.removeAll((await scan()) as Table.Key[])
  const spoilt = new Set(placed(scene, sk))
  for (const row of scene.rows)
    await Table.put({ ...(spoilt.has(row) ? change(row) : row), pk: row.pk, sk: row.sk })
}

beforeEach(async () => {
  await emptyQueue()
  bench.api.always({ text: 'Answer.' })
})

const broken = nouns.flatMap(({ codec, sk }) =>
  damages.map(([how, of]) => ({ codec, sk, how, of, noun: codec.noun })),
)

describe('a row takes down no more than itself', () => {
  test.each(broken)('$noun with every attribute $how', async ({ codec, sk, of }) => {
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

    await bench.cleanup()
    await other.turn('Something else')
    expect((await editor.turn('Three', { conversationId: scene.healthy })).messages).toHaveLength(4)

    await editor.does('delete', scene.damaged, { deleted: true })
    await bench.cleanup({ now: bench.clock.now() + 2 * dayMs })
    expect((await scan()).filter(({ pk }) => pk.endsWith(scene.damaged))).toEqual([])
  })
})
