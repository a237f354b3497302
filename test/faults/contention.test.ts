import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as Queue from '../../core/conversation/queue.ts'
import { journeys } from '../chaos/journey.ts'
import { play, startStage } from '../chaos/scene.ts'
import { remains, transcript, violations } from '../chaos/verdict.ts'
import type { Bench } from '../support/live.ts'
import { type Attempt, conflict, type Fault, passing, slowDown, throttled, timeout, under } from './inject.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startStage()
})
afterAll(() => bench.stop())

const demanding = journeys.filter(({ name }) =>
  /two writes|taken back|cancel while|attachment|hand-over|edit|pace/.test(name),
)

/** Every second request of a kind meets the fault: each one is asked again, and then goes through. */
const everySecond = (fault: (attempt: Attempt) => Fault) => (attempt: Attempt) =>
  attempt.count % 2 === 1 && attempt.command !== 'ReceiveMessage' ? fault(attempt) : undefined

const faults: [name: string, fault: (attempt: Attempt) => Fault][] = [
  [
    'conflicts and throttling',
    (attempt) => ({ when: 'before', error: attempt.service === 'dynamodb' ? conflict(attempt) : slowDown() }),
  ],
  [
    'a lack of capacity',
    ({ service }) => ({ when: 'before', error: service === 'dynamodb' ? throttled() : slowDown() }),
  ],
  ['requests that never arrive', () => ({ when: 'before', error: timeout() })],
  ['answers that never arrive', () => ({ when: 'after', error: timeout() })],
]

describe.each(faults)('under %s', (_, fault) => {
  test.each(demanding)('$name ends as ever, at once', async (journey) => {
    const calm = await play(bench, journey)
    const expected = transcript(await remains(bench, calm), calm.tag)
    const before = bench.clock.now()

    const scene = await under(everySecond(fault), () => play(bench, journey))

    const left = await remains(bench, scene)
    expect(await violations(bench, left)).toEqual([])
    expect(scene.refusals).toEqual([])
    expect(transcript(left, scene.tag)).toEqual(expected)
    // No turn waited for a lease to run out.
    expect(bench.clock.now() - before).toBeLessThan(60_000)
  })
})

describe('while the table does not answer', () => {
  const down = ({ service }: Attempt): Fault | undefined =>
    service === 'dynamodb' ? { when: 'before', error: throttled() } : undefined

  test('requests are answered 503, with the time to wait, and nothing is done', async () => {
    const editor = await bench.login('editor')
    const key = 'the-same-request'
    const send = () =>
      editor.post<{ error: { code: string; retryAfterMs: number } }>('send', { content: 'Hello' }, { key })

    const refused = await under(down, send)

    expect([refused.status, refused.body.error]).toEqual([
      503,
      expect.objectContaining({ code: 'service.unavailable', retryAfterMs: 1_000 }),
    ])
    expect((await send()).status).toBe(202)
    await bench.settle()
  })

  test('for longer than a request waits, a turn goes on as soon as it answers', async () => {
    const editor = await bench.login('editor')
    bench.api.reply({ text: 'Here I am.' })
    const { conversation } = await editor.send('Are you there?')
    // With the pauses between the attempts, more than the two seconds of a request.
    const rule = (attempt: Attempt): Fault | undefined =>
      attempt.command === 'TransactWriteItems' && attempt.count <= 25 ? down(attempt) : undefined

    expect(await under(rule, () => bench.consume())).toBe('done')

    expect((await bench.row(conversation.id)).status).toBe('idle')
  })

  test('until shortly before the lease ends, a turn fails with a code of its own, and a retry goes on', async () => {
    const editor = await bench.login('editor')
    bench.api.reply({ text: 'Not stored.' })
    const { conversation } = await editor.send('Are you there?')
    let first: unknown
    // The token is the same for all attempts at one transaction.
    const rule = (attempt: Attempt): Fault | undefined => {
      if (attempt.command !== 'TransactWriteItems') return undefined
      first ??= attempt.input.ClientRequestToken
      return attempt.input.ClientRequestToken === first ? down(attempt) : undefined
    }

    expect(await under(rule, () => passing(bench.clock, bench.consume()))).toBe('failed')

    expect(await bench.row(conversation.id)).toMatchObject({
      status: 'failed',
      errorCode: 'table.unavailable',
    })
    bench.api.reply({ text: 'Here I am.' })
    await editor.does('retry', conversation.id)
    await bench.settle()
    expect((await editor.poll(conversation.id)).messages.at(-1)?.content).toBe('Here I am.')
  })

  test('a turn stops where it is, and goes on when its lease has run out', async () => {
    const editor = await bench.login('editor')
    bench.api.reply({ text: 'Here I am.' })
    const { conversation } = await editor.send('Are you there?')
    const isStored = ({ service, command }: Attempt) =>
      service === 'dynamodb' && command === 'TransactWriteItems'
    const rule = (attempt: Attempt): Fault | undefined =>
      isStored(attempt) ? { when: 'before', error: throttled() } : undefined

    await expect(under(rule, () => passing(bench.clock, bench.consume()))).rejects.toThrow(
      'service.unavailable',
    )
    expect((await bench.row(conversation.id)).status).toBe('locked')

    bench.api.reply({ text: 'Here I am.' })
    await bench.clock.pass(95_000)
    expect(await bench.cleanup()).toMatchObject({ resumed: 1 })
    await bench.settle()
    const { messages } = await editor.poll(conversation.id)
    expect(messages.map(({ content }) => content)).toEqual(['Are you there?', 'Here I am.'])
  })
})

describe('while the queue does not answer', () => {
  const down = ({ service }: Attempt): Fault | undefined =>
    service === 'sqs' ? { when: 'before', error: slowDown() } : undefined

  test('a message is taken all the same, and queued by cleanup within a minute', async () => {
    const editor = await bench.login('editor')
    bench.api.reply({ text: 'Late, but here.' })

    const { conversation } = await under(down, () => editor.send('Hello?'))

    expect(await Queue.receive(1, 0)).toEqual([])
    await bench.clock.pass(60_000)
    expect(await bench.cleanup()).toMatchObject({ requeued: 1 })
    expect(await bench.settle()).toEqual(['done'])
    expect((await bench.row(conversation.id)).status).toBe('idle')
  })

  test('cleanup still fails what is stuck', async () => {
    const editor = await bench.login('editor')
    const waiting = await under(down, () => editor.send('One'))
    await bench.clock.pass(301_000)
    const fresh = await under(down, () => editor.send('Two'))
    await bench.clock.pass(61_000)

    const report = await under(down, () => bench.cleanup())

    expect(report).toMatchObject({ requeued: 0, failed: 1 })
    expect((await bench.row(waiting.conversation.id)).errorCode).toBe('turn.notStarted')
    expect((await bench.row(fresh.conversation.id)).status).toBe('processing')
  })
})
