import { describe, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import * as Row from '../../../core/conversation/row.ts'
import * as Activity from '../../../core/conversation/transcript/activity.ts'
import { stuckMs } from '../../../core/conversation/turn-failure.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { startedAt } from '../../support/live.ts'
import { stored, storedWith } from '../../support/seeded.ts'

benched()

/** The requests to the table that something makes, by command. */
async function requests(act: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = []
  const stack = Table.documents().middlewareStack
  stack.add(
    (next, context) => (args) => {
      seen.push(String(context.commandName))
      return next(args)
    },
    { step: 'initialize', name: 'counted', override: true },
  )
  await act()
  stack.remove('counted')
  return seen
}

const texts = (count: number) => Array.from({ length: count }, (_, at) => `Message ${at}`)
const sequences = (messages: { sequence: number }[]) => messages.map(({ sequence }) => sequence)

describe('the fast path', () => {
  test('answers a client that has seen everything with one request, and reads no message', async () => {
    const { id, version } = await storedWith(['Question', 'Answer'])
    await editor.poll(id)

    const made = await requests(async () => {
      expect(await editor.poll(id, { after: 2, version })).toEqual({
        conversation: expect.objectContaining({ id, version, messageCount: 2 }),
        messages: [],
        activity: [],
        progress: null,
        usage: { tokens: 0, dollars: null },
        windowPercent: 0,
        deferredUntil: null,
        pollAfterMs: null,
        pendingApproval: null,
        systemPrompt: '',
        unchanged: true,
        reset: false,
        more: false,
        versions: [],
        next: [],
      })
    })

    expect(made).toEqual(['BatchGetItemCommand'])
  })

  test('carries the steps of the turn, whose every change is a new version', async () => {
    const conversation = await storedWith(['Question'], { ...Claim.begin(startedAt) })
    const hold = await Claim.claim(
      { conversationId: conversation.id, requestId: conversation.requestId },
      startedAt,
    )
    if (!hold) throw new Error('not claimed')
    const before = await editor.poll(conversation.id)
    const step = { kind: 'llm' as const, round: 1, ms: 5 }

    await Activity.write(hold.conversation, [step], 0)

    const after = await editor.poll(conversation.id, { after: 1, version: before.conversation.version })
    expect([after.unchanged, after.activity]).toEqual([false, [step]])
    expect(after.conversation.version).toBe(before.conversation.version + 1)
    const again = await editor.poll(conversation.id, { after: 1, version: after.conversation.version })
    expect([again.unchanged, again.activity]).toEqual([true, [step]])
  })

  test.each([
    ['not at first', 9_000, null],
    ['by a fifth of what the turn has waited', 30_000, 6_000],
    ['up to ten seconds', 240_000, 10_000],
  ])('asks for fewer polls of a turn that waits for a consumer: %s', async (_, waitedMs, pollAfterMs) => {
    const conversation = await storedWith(['Question'], { ...Claim.begin(startedAt - waitedMs) })

    expect(await editor.poll(conversation.id)).toMatchObject({ pollAfterMs })
    await Claim.claim({ conversationId: conversation.id, requestId: conversation.requestId }, startedAt)
    expect(await editor.poll(conversation.id)).toMatchObject({ pollAfterMs: null })
  })

  test('asks for another poll while the next message is due, and for none while the queue is held', async () => {
    const next: [string, number][] = [['01k', 0]]
    const due = await storedWith(['Question', 'Answer'], { next })
    const held = await storedWith(['Question', 'Answer'], { next, nextHeld: true })

    expect(await editor.poll(due.id)).toMatchObject({ pollAfterMs: 1_000 })
    expect(await editor.poll(held.id)).toMatchObject({ pollAfterMs: null })
  })

  test('a heartbeat is no new version', async () => {
    const it = await storedWith(['Question'], { ...Claim.begin(startedAt) })
    const hold = await Claim.claim({ conversationId: it.id, requestId: it.requestId }, startedAt)
    const { conversation } = await editor.poll(it.id)

    if (hold) await Claim.heartbeat(hold, startedAt + 20_000)

    expect((await editor.poll(it.id, { after: 1, version: conversation.version })).unchanged).toBe(true)
  })
})

describe('parts of the transcript', () => {
  test('what the client lacks, at most 200 at a time', async () => {
    const { id } = await storedWith(texts(230))

    const first = await editor.poll(id)
    expect([first.messages.length, first.more, first.reset]).toEqual([200, true, false])
    const rest = await editor.poll(id, { after: 200, version: 0 })
    expect([sequences(rest.messages)[0], rest.messages.length, rest.more]).toEqual([200, 30, false])
  })

  test.each([
    [{ after: 3 }, [3, 4, 5], false],
    [{ after: 6 }, [], false],
    [{ limit: 2 }, [0, 1], true],
    [{ after: 1, limit: 2 }, [1, 2], true],
    [{ tail: 2 }, [4, 5], false],
    [{ tail: 200 }, [0, 1, 2, 3, 4, 5], false],
    [{ tail: 4, limit: 2 }, [2, 3], true],
    [{ before: 4 }, [0, 1, 2, 3], false],
    [{ before: 4, limit: 2 }, [2, 3], false],
    [{ before: 0 }, [], false],
    [{ before: 99, limit: 1 }, [5], false],
  ])('%j are %j, more: %s', async (query, wanted, more) => {
    const { id } = await storedWith(texts(6))

    const seen = await editor.poll(id, query)

    expect([sequences(seen.messages), seen.more, seen.reset]).toEqual([wanted, more, false])
  })

  test('one answer holds at most 2 MB, and never nothing', async () => {
    const { id } = await storedWith(Array.from({ length: 8 }, () => 'x'.repeat(390_000)))

    const first = await editor.poll(id)
    expect([sequences(first.messages), first.more]).toEqual([[0, 1, 2, 3, 4], true])
    const rest = await editor.poll(id, { after: 5 })
    expect([sequences(rest.messages), rest.more]).toEqual([[5, 6, 7], false])
    const earlier = await editor.poll(id, { before: 7 })
    expect(sequences(earlier.messages)).toEqual([2, 3, 4, 5, 6])
  })

  test('pending calls and instructions come along whatever part is asked for', async () => {
    const { id } = await storedWith(texts(6))
    await editor.does('system-prompt', id, { systemPrompt: 'Be brief.' })

    for (const query of [{}, { after: 6 }, { limit: 1 }, { before: 2 }, { tail: 1 }]) {
      expect((await editor.poll(id, query)).systemPrompt).toBe('Be brief.')
    }
  })

  test('of a transcript in the old column', async () => {
    const { id } = await stored({
      legacy: [
        { role: 'user', content: 'Old question' },
        { role: 'assistant', content: 'Old answer' },
      ],
    })

    const seen = await editor.poll(id, { after: 1 })

    expect(seen.conversation.messageCount).toBe(2)
    expect(seen.messages).toEqual([
      { sequence: 1, role: 'assistant', content: 'Old answer', createdAt: '2026-11-20T12:00:00.000Z' },
    ])
  })
})

describe('starting over', () => {
  test('a transcript that is shorter than what the client has', async () => {
    const { id } = await storedWith(texts(2))

    const seen = await editor.poll(id, { after: 5 })

    expect([seen.reset, sequences(seen.messages)]).toEqual([true, [0, 1]])
  })

  test('an edit after the version that the client names, although the transcript is as long again', async () => {
    bench.api.always({ text: 'Answer.' })
    const { conversation } = await editor.turn('First')
    const { id } = conversation
    await editor.post('edit', {
      conversationId: id,
      sequence: 0,
      content: 'Second',
      expectedContent: 'First',
    })
    await bench.settle()

    const seen = await editor.poll(id, { after: 2, version: conversation.version })

    expect([seen.reset, seen.messages.map(({ content }) => content)]).toEqual([true, ['Second', 'Answer.']])
    const next = await editor.poll(id, { after: 2, version: seen.conversation.version - 1 })
    expect(next.reset).toBe(false)
  })

  test('an edit of a turn whose steps were ahead of its row when it was given up', async () => {
    const it = await storedWith(['First', 'Answer'], { ...Claim.begin(startedAt), runId: 'run' })
    const hold = await Claim.claim({ conversationId: it.id, requestId: it.requestId }, startedAt)
    if (!hold) throw new Error('not claimed')
    const steps = [1, 2, 3].map((round) => ({ kind: 'llm' as const, round, ms: 1 }))
    for (const [at] of steps.entries()) await Activity.write(hold.conversation, steps.slice(0, at + 1), at)
    await bench.cleanup({ now: startedAt + stuckMs + 1 })
    const { conversation } = await editor.poll(it.id)
    expect(conversation.status).toBe('failed')

    await editor.post('edit', {
      conversationId: it.id,
      sequence: 0,
      content: 'Other',
      expectedContent: 'First',
    })

    const seen = await editor.poll(it.id, { after: 1, version: conversation.version })
    expect([seen.reset, seen.messages.map(({ content }) => content)]).toEqual([true, ['Other']])
    expect(seen.conversation.version).toBeGreaterThan(conversation.version)
  })
})

test('a version never goes back over a whole turn', async () => {
  bench.api.reply(
    { calls: [{ name: 'get_page_tree', arguments: {} }] },
    { calls: [{ name: 'get_page_content', arguments: { page: 3 } }] },
    { text: 'Done.' },
  )
  const { conversation } = await editor.send('Look around')
  const seen = [conversation.version]
  const working = bench.consume()
  let isOver = false
  void working.finally(() => {
    isOver = true
  })
  while (!isOver) seen.push((await editor.poll(conversation.id)).conversation.version)
  await working
  seen.push((await editor.poll(conversation.id)).conversation.version)

  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  expect((await Row.read(conversation.id))?.version).toBe(seen.at(-1))
})

test.each([
  ['another user', 'autorin'],
  ['an administrator', 'admin'],
] as const)('%s does not find it', async (_, username) => {
  const { id } = await storedWith(['Mine'])
  const other = await bench.login(username)

  const { status, body } = await other.get('/conversations/messages', { conversationId: id })

  expect([status, body]).toMatchObject([404, { error: { code: 'conversation.notFound' } }])
})
