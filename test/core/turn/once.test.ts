import { beforeEach, describe, expect, test } from 'vitest'
import type { Cms, Done } from '../../../core/cms/cms.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import * as Written from '../../../core/conversation/transcript/changes.ts'
import { stuckMs } from '../../../core/conversation/turn-failure.ts'
import * as Cleanup from '../../../core/watch/cleanup/cleanup.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { gate, never } from '../../support/live.ts'
import { making } from '../../support/put.ts'
import { scan } from '../../support/scan.ts'

/** A write happens at most once, at whichever effect a consumer dies, and no row says what did not happen. */

let uid = 0
let calls = 0

benched()
beforeEach(() => {
  uid += 2
})

const rename = (title: string, record = uid) => ({
  id: `call_${++calls}`,
  name: 'update_record',
  arguments: { table: 'news', uid: record, fields: { title } },
})
const title = (record = uid) => bench.field('news', record)

/** An approved proposal that waits for its consumer. */
async function approved(...calls: { id: string; name: string; arguments: object }[]): Promise<string> {
  bench.api.reply({ calls })
  const { conversation } = await editor.turn('Rename it')
  await editor.decide(conversation.id, true)
  bench.api.reply({ text: 'That is how it is.' })
  return conversation.id
}

/** How often a title was given to the record. */
async function given(wanted: string): Promise<number> {
  const history = await bench.site.cms.history(bench.site.admin, { table: 'news', uid, limit: 50 })
  return history?.filter((entry) => JSON.stringify(entry).includes(wanted)).length ?? 0
}

/** The texts of the tool results, and which are errors. */
async function results(id: string): Promise<[isError: boolean, text: string][]> {
  const { messages } = await editor.poll(id)
  return messages
    .filter(({ role }) => role === 'tool')
    .map(({ isError, content }) => [isError ?? false, content.split('\n').slice(1, -1).join('\n')])
}

/** How many changes the audit has of the conversation's turn. */
async function changesAudited(id: string): Promise<number> {
  const { runId } = await bench.row(id)
  const rows = await scan()
  return rows.filter(({ pk, entry }) => pk.startsWith('audit#') && isChangeOf(String(entry), runId)).length
}

const isChangeOf = (entry: string, runId: string) =>
  entry.includes(`"correlation_uid":"${runId}"`) && entry.includes('"activity_name":"Update"')

/** Has the lease run out and the turn taken up by another consumer. */
async function takenUp(): Promise<void> {
  await bench.clock.pass(Claim.leaseMs + 1_000)
  expect(await bench.cleanup()).toMatchObject({ resumed: 1 })
  expect(await bench.settle()).toEqual(['done'])
}

type Death = (reached: () => void) => Partial<Cms>

/** Where a consumer dies, by the port it is calling then. */
const deaths: Record<string, Death> = {
  'before the intent': (reached) => ({
    put: async () => {
      reached()
      return never()
    },
  }),
  'with the intent stored and nothing written': (reached) =>
    making(bench.live.cms, async () => {
      reached()
      return never()
    }),
  'with the record written and no outcome stored': (reached) =>
    making(bench.live.cms, async (...given) => {
      await bench.live.cms.put(...given)
      reached()
      return never()
    }),
  'with the outcome stored and no result': (reached) => ({
    ...making(bench.live.cms, async (...given) => {
      const { labels: _, ...answer } = (await bench.live.cms.put(...given)) as Done
      // Of an answer without the names of its fields, the record is read again.
      return answer as Done
    }),
    record: async () => {
      reached()
      return never()
    },
  }),
}

/** Has a consumer die there. */
async function dies(where: Death): Promise<void> {
  const point = gate()
  void bench.die(where(() => void point.reach()))
  await point.reached
}

describe('a consumer that dies', () => {
  test.each([
    ['before the intent', 1, false, 'now says'],
    ['with the intent stored and nothing written', 0, true, 'Not stored: the work was interrupted'],
    ['with the record written and no outcome stored', 1, false, 'now says'],
    ['with the outcome stored and no result', 1, false, 'now says'],
  ])('%s: written %i times', async (where, times, isError, words) => {
    const id = await approved(rename(`Written ${where}`))

    await dies(deaths[where] as Death)
    await takenUp()

    expect(await given(`Written ${where}`)).toBe(times)
    expect(await results(id)).toEqual([[isError, expect.stringContaining(words)]])
    const { conversation, messages } = await editor.poll(id)
    expect([conversation.status, messages.at(-1)?.content]).toEqual(['idle', 'That is how it is.'])
    expect(await bench.row(id)).toMatchObject({ writing: undefined, lapses: 1 })
    expect(await changesAudited(id)).toBe(times)
  })

  test('between two writes of one record: the second builds on the first', async () => {
    const id = await approved(rename('The first'), rename('The second'))

    await dies(deaths['with the record written and no outcome stored'] as Death)
    await takenUp()

    expect((await results(id)).map(([isError]) => isError)).toEqual([false, false])
    expect([await given('The first'), await title()]).toEqual([2, 'The second'])
    const { activity } = await editor.poll(id)
    expect(activity.filter(({ kind }) => kind === 'approval')).toHaveLength(1)
  })

  test('before the first of two writes was made: the second does not run either', async () => {
    const before = await title(uid - 1)
    const id = await approved(rename('The first'), rename('Behind it', uid - 1))

    await dies(deaths['with the intent stored and nothing written'] as Death)
    await takenUp()

    expect((await results(id)).map(([isError]) => isError)).toEqual([true, true])
    expect(await title(uid - 1)).toBe(before)
  })

  test('and comes back late writes nothing: its key is void, its claim lost', async () => {
    const id = await approved(rename('Too late'))
    const point = gate()
    const { ending } = await bench.die(
      making(bench.live.cms, async (...given) => {
        await point.reach()
        return bench.live.cms.put(...given)
      }),
    )
    await point.reached
    await takenUp()
    const seen = await editor.poll(id)

    point.open()

    expect(await ending).toBe('lost')
    expect(await given('Too late')).toBe(0)
    expect(await editor.poll(id)).toEqual(seen)
  })

  test.each([
    ['with the intent stored and nothing written', 0, true, 'Not stored: the work was interrupted'],
    ['with the record written and no outcome stored', 1, false, 'now says'],
    ['with the outcome stored and no result', 1, false, 'now says'],
  ])(
    'for the third time %s: the turn fails as stuck and says at once what was written',
    async (where, times, isError, words) => {
      const id = await approved(rename(`In doubt ${where}`))

      await dies(deaths[where] as Death)
      await bench.clock.pass(stuckMs + 1_000)
      expect(await bench.cleanup()).toMatchObject({ resumed: 0, failed: 1 })

      expect(await editor.poll(id)).toMatchObject({
        conversation: { status: 'failed', errorCode: 'turn.stuck' },
        pendingApproval: null,
      })
      expect(await results(id)).toEqual([[isError, expect.stringContaining(words)]])
      expect((await bench.row(id)).writing).toBeUndefined()
      expect(await changesAudited(id)).toBe(times)

      await editor.send('And now?', { conversationId: id })
      await bench.settle()

      expect([await given(`In doubt ${where}`), (await results(id)).length]).toEqual([times, 1])
      const sent = JSON.stringify(bench.api.requests.at(-1)?.body.messages)
      expect(sent).toContain(words)
      expect(sent).not.toContain('the turn ended before it')
    },
  )

  test('for the third time while the CMS does not answer: the next turn settles the write', async () => {
    const id = await approved(rename('Settled later'))
    await dies(deaths['with the record written and no outcome stored'] as Death)
    await bench.clock.pass(stuckMs + 1_000)
    const settle = async () => {
      throw new Error('The CMS does not answer')
    }
    const live = { ...bench.live, cms: { ...bench.live.cms, settle } }
    expect(await Cleanup.run(live, { now: bench.clock.now() })).toMatchObject({ failed: 1 })
    expect(await results(id)).toEqual([])
    expect((await bench.row(id)).writing).toBeDefined()

    await editor.send('And now?', { conversationId: id })
    await bench.settle()

    expect(await results(id)).toEqual([[false, expect.stringContaining('now says')]])
    expect((await bench.row(id)).writing).toBeUndefined()
  })

  test('for the third time in a batch: each record that was written is told, and no other', async () => {
    const id = await approved(rename('The first of two'), rename('The second of two', uid - 1))
    let puts = 0
    const second = (reached: () => void): Partial<Cms> =>
      making(bench.live.cms, async (...given) => {
        const answer = await bench.live.cms.put(...given)
        if (++puts === 1) return answer
        reached()
        return never()
      })

    await dies(second)
    await bench.clock.pass(stuckMs + 1_000)
    await bench.cleanup()

    expect([await title(), await title(uid - 1)]).toEqual(['The first of two', 'The second of two'])
    expect(await results(id)).toEqual([
      [false, expect.stringContaining('The first of two')],
      [false, expect.stringContaining('The second of two')],
    ])
  })

  test('and is cancelled: marked only, a consumer settles the write and ends the turn', async () => {
    const id = await approved(rename('Cancelled in doubt'))
    await dies(deaths['with the record written and no outcome stored'] as Death)
    await bench.clock.pass(Claim.leaseMs + 1_000)
    await bench.cleanup()

    expect(await editor.does('cancel', id)).toMatchObject({ status: 'processing' })
    const asked = bench.api.requests.length
    expect(await bench.settle()).toEqual(['done'])

    expect(bench.api.requests).toHaveLength(asked)
    expect(await results(id)).toEqual([[false, expect.stringContaining('now says')]])
    const { conversation, messages } = await editor.poll(id)
    expect([conversation.status, messages.at(-1)?.notice]).toEqual(['idle', 'cancelled'])
    bench.api.reset()
  })
})

test('a CMS that does not answer: the row says that the outcome is unknown, audit and notes count a change', async () => {
  const id = await approved(rename('Who knows'), rename('Not after that', uid - 1))
  const before = await title(uid - 1)
  const down = async () => {
    throw new Error('The CMS does not answer')
  }

  expect(
    await bench.consume({ cms: { ...bench.live.cms, ...making(bench.live.cms, down), settle: down } }),
  ).toBe('done')

  expect(await results(id)).toEqual([
    [true, expect.stringContaining('It is unknown whether this change was stored')],
    [true, expect.stringContaining('an earlier change of the same approval failed')],
  ])
  expect(await title(uid - 1)).toBe(before)
  const row = await bench.row(id)
  expect([row.status, await changesAudited(id), await Written.behind(row, 0)]).toEqual([
    'idle',
    1,
    [row.runId],
  ])
})

test('a write that the CMS did although it gave no answer is reported as done', async () => {
  const id = await approved(rename('Done all the same'))
  const lost = making(bench.live.cms, async (...given) => {
    await bench.live.cms.put(...given)
    throw new Error('The answer was lost')
  })

  await bench.consume({ cms: { ...bench.live.cms, ...lost } })

  expect(await results(id)).toEqual([[false, expect.stringContaining('now says')]])
  expect(await given('Done all the same')).toBe(1)
})
