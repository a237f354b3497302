import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import * as Queue from '../../../core/conversation/queue.ts'
import * as Quota from '../../../core/conversation/quota.ts'
import * as Day from '../../../core/stage/usage/item.ts'
import * as Usage from '../../../core/stage/usage/usage.ts'
import { consume } from '../../../core/turn/consume.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { startedAt } from '../../support/live.ts'
import { stored, storedWith } from '../../support/seeded.ts'

benched({ maxActiveConversations: null })

const at = new Date(startedAt).toISOString()
const active = async () => Quota.decode(await Table.get(Quota.key(2))).active
const shown = async (id: string) =>
  (await editor.poll(id)).messages.map(
    ({ role, content, notice }) => notice ?? `${role}: ${content.slice(0, 20)}`,
  )

const results = async (id: string) =>
  (await editor.poll(id)).messages.flatMap(({ toolCallId, isError = false }) =>
    toolCallId === undefined ? [] : [`${toolCallId} ${isError}`],
  )

describe('cancel', () => {
  test.each(['idle', 'failed'] as const)('of %s does nothing', async (status) => {
    const { id, version } = await storedWith(['Question', 'Answer'], { status })

    expect(await editor.does('cancel', id)).toMatchObject({ status, version })
    expect(await shown(id)).toHaveLength(2)
  })

  test('before a consumer came: idle at once, and the queue message is void', async () => {
    const { conversation } = await editor.send('Never mind')

    expect(await editor.does('cancel', conversation.id)).toMatchObject({ status: 'idle', messageCount: 2 })

    expect(await active()).toEqual([])
    expect(await bench.settle()).toEqual(['lost'])
    expect(await shown(conversation.id)).toEqual(['user: Never mind', 'cancelled'])
    expect(bench.api.requests).toEqual([])
  })

  test('after a consumer died that had reserved tokens: none is reserved any more', async () => {
    const { conversation } = await editor.send('Never mind')
    const { runId } = await bench.row(conversation.id)
    await Usage.reserve(2, { runId, round: 1, tokens: 100 }, 1_000_000, startedAt)

    await editor.does('cancel', conversation.id)

    expect((await Day.days(2, [at.slice(0, 10)]))[0]?.open).toEqual(new Map())
  })

  test('after a consumer died: the report of an undo from the time of its work follows the stopped turn', async () => {
    const undone = {
      role: 'assistant',
      content: 'Taken back',
      created_at: at,
      notice: 'undone',
      run_id: 'before',
    }
    const waits = { status: 'processing', requestId: 'waits', progressAt: at, queuedAt: at } as const
    const { id } = await storedWith(['Question'], { ...waits, undoRows: [JSON.stringify(undone)] })

    expect(await editor.does('cancel', id)).toMatchObject({ status: 'idle', messageCount: 3 })
    expect(await shown(id)).toEqual(['user: Question', 'cancelled', 'undone'])
  })

  test('of a state of old releases: idle', async () => {
    const { id } = await stored({ status: 'tool_loop' })

    expect(await editor.does('cancel', id)).toMatchObject({ status: 'idle' })
  })

  test('within a model call: aborted within two seconds, its text is dropped', async () => {
    bench.api.reply({ fault: 'hang', where: 'stream' })
    const { conversation } = await editor.send('Tell a long story')
    const { id } = conversation
    const working = bench.consume()
    await bench.api.received(1)

    expect(await editor.does('cancel', id)).toMatchObject({ status: 'locked' })
    await bench.clock.pass(2_000)

    expect(await working).toBe('done')
    expect(await shown(id)).toEqual(['user: Tell a long story', 'cancelled'])
    expect(await bench.row(id)).toMatchObject({
      status: 'idle',
      cancelRequested: false,
      errorCode: undefined,
    })
    expect(await active()).toEqual([])
  })

  test('between the calls of a reply: what was done is kept, the others get a result, and a send goes on', async () => {
    const calls = [
      { id: 'a', name: 'get_page_content', arguments: { page: 3 } },
      { id: 'b', name: 'get_page_content', arguments: { page: 4 } },
    ]
    bench.api.reply({ text: 'I look.', calls })
    const { conversation } = await editor.send('Look')
    const { id } = conversation
    const cms = { ...bench.live.cms }
    const asked = Promise.withResolvers<AbortSignal>()
    const model: typeof bench.live.model = async (resolved) => {
      const real = await bench.live.model(resolved)
      return {
        ...real,
        ask: (request, signal) => {
          asked.resolve(signal)
          return real.ask(request, signal)
        },
      }
    }
    cms.pageContent = async (...given) => {
      await editor.does('cancel', id)
      const content = await bench.live.cms.pageContent(...given)
      // The consumer has looked at its row, and knows, before the next call.
      const stopped = once(await asked.promise, 'abort')
      await bench.clock.pass(2_000)
      await stopped
      return content
    }

    expect(await bench.consume({ cms, model })).toBe('done')

    const { messages } = await editor.poll(id)
    expect(messages.map(({ role, isError, notice }) => notice ?? `${role} ${isError ?? false}`)).toEqual([
      'user false',
      'assistant false',
      'tool false',
      'tool true',
      'cancelled',
    ])
    bench.api.reply({ text: 'Here I am.' })
    await editor.turn('Go on', { conversationId: id })
    const sent = JSON.stringify(bench.api.requests.at(-1)?.body.messages)
    expect(sent).not.toContain('Stopped. What was done')
    expect((await editor.poll(id)).conversation.status).toBe('idle')
  })

  test('of a turn that was handed over within a reply: what was done is kept, the others get a result', async () => {
    const calls = [3, 4].map((page) => ({ id: `p${page}`, name: 'get_page_content', arguments: { page } }))
    bench.api.reply({ text: 'I look.', calls })
    const { conversation } = await editor.send('Look')
    let left = Number.POSITIVE_INFINITY
    const cms = { ...bench.live.cms }
    cms.pageContent = (...given) => {
      left = 1_000
      return bench.live.cms.pageContent(...given)
    }
    const [received] = await Queue.receive(1, 0)
    const job = received?.job as Queue.Job
    expect(await consume({ ...bench.live, cms }, job, { remainingMs: () => left })).toBe('handedOver')

    expect(await editor.does('cancel', conversation.id)).toMatchObject({ status: 'idle' })

    expect(await results(conversation.id)).toEqual(['p3 false', 'p4 true'])
    expect((await shown(conversation.id)).at(-1)).toBe('cancelled')
  })

  test('of an approved proposal that was handed over: a change that was made keeps its one result', async () => {
    const calls = [3, 4].map((uid) => ({
      id: `p${uid}`,
      name: 'update_record',
      arguments: { table: 'pages', uid, fields: { title: `Page ${uid}` } },
    }))
    bench.api.reply({ text: 'I change.', calls })
    const { conversation, pendingApproval } = await editor.turn('Change both')
    await editor.does('approve', conversation.id, { digest: pendingApproval?.digest, approve: true })
    let left = Number.POSITIVE_INFINITY
    const cms = { ...bench.live.cms }
    cms.put = (actor, asked) => {
      if (!('dry' in asked)) left = 1_000
      return bench.live.cms.put(actor, asked)
    }
    const [received] = await Queue.receive(1, 0)
    const job = received?.job as Queue.Job
    expect(await consume({ ...bench.live, cms }, job, { remainingMs: () => left })).toBe('handedOver')

    expect(await editor.does('cancel', conversation.id)).toMatchObject({ status: 'idle' })

    expect(await results(conversation.id)).toEqual(['p3 false', 'p4 true'])
  })

  test.each([
    ['a change', { name: 'update_record', arguments: { table: 'pages', uid: 3, fields: { title: 'New' } } }],
    ['a question', { name: 'ask_user', arguments: { question: 'Which one?', choices: ['A', 'B'] } }],
  ])('before %s is shown: it never waits for the user, and is not run', async (_, asked) => {
    let id = ''
    bench.api.reply(async () => {
      await editor.does('cancel', id)
      return { calls: [{ id: 'late', ...asked }] }
    })
    id = (await editor.send('Change it')).conversation.id

    expect(await bench.settle()).toEqual(['done'])

    const { conversation, pendingApproval, messages } = await editor.poll(id)
    expect([conversation.status, pendingApproval, messages.at(-1)?.notice]).toEqual([
      'idle',
      null,
      'cancelled',
    ])
    expect(await results(id)).toEqual(['late true'])
  })

  test('twice is once', async () => {
    const conversation = await storedWith(['Question'], { ...Claim.begin(startedAt) })
    await Claim.claim({ conversationId: conversation.id, requestId: conversation.requestId }, startedAt)

    const first = await editor.does('cancel', conversation.id)
    expect(await editor.does('cancel', conversation.id)).toEqual(first)
  })

  test('survives a hand-over', async () => {
    const { conversation } = await editor.send('Long')
    const [received] = await Queue.receive(1, 0)
    const live = {
      ...bench.live,
      model: async (resolved: never) => {
        await editor.does('cancel', conversation.id)
        return bench.live.model(resolved)
      },
    } as typeof bench.live

    // Too little time is left: the turn is handed over at its first step.
    const ending = received?.job && (await consume(live, received.job, { remainingMs: () => 1_000 }))

    expect(ending).toBe('handedOver')
    expect(await bench.row(conversation.id)).toMatchObject({
      status: 'processing',
      cancelRequested: true,
      handovers: 1,
    })
    expect(await bench.settle()).toEqual(['done'])
    expect(await shown(conversation.id)).toEqual(['user: Long', 'cancelled'])
  })
})
