import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Queue from '../../../core/conversation/queue.ts'
import { tenant, tenantOf, weightOf } from '../../../core/conversation/queue.ts'
import { actor } from '../../support/actor.ts'
import { type Bench, startBench } from '../../support/live.ts'

let bench: Bench
/** The groups under which messages were sent. */
let sent: (string | undefined)[] = []

beforeAll(async () => {
  bench = await startBench()
  const note = (next: (args: { input: object }) => Promise<unknown>) => (args: { input: object }) => {
    const { MessageBody, MessageGroupId } = args.input as Record<string, string | undefined>
    if (MessageBody) sent.push(MessageGroupId)
    return next(args)
  }
  Queue.client().middlewareStack.add(note as never, { step: 'initialize', name: 'note' })
})
afterAll(() => bench.stop())

test('users with the same first group are one tenant, and a user without a group is one alone', () => {
  const [first, second, other] = [[1, 2], [1], [2, 1]].map((groups) => tenantOf(actor({ groups })))

  expect(second).toBe(first)
  expect(other).not.toBe(first)
  expect(tenantOf(actor({ uid: 7, groups: [] }))).toBe('user-7')
  expect(tenant({ tenant: '', owner: 7 })).toBe('user-7')
})

test('a tenant has the weight of its group, by uid or name, and 1 where none is named', () => {
  const weights = { 2: 3, 'Editors & co': 5 }
  const of = (groups: (number | string)[]) => weightOf(tenantOf(actor({ uid: 2, groups })), weights)

  expect([of([2]), of(['Editors & co']), of([1, 2]), of([])]).toEqual([3, 5, 1, 1])
})

test('a group of any name gives what a queue takes: at most 128 letters, digits and hyphens', () => {
  expect(tenantOf(actor({ groups: ['Redaktion & Übersetzung '.repeat(8)] }))).toMatch(/^[a-z0-9-]{1,128}$/)
})

test('the start of a turn and its message that cleanup sends again are of the group of their user', async () => {
  sent = []
  const editor = await bench.login('editor')
  const mine = tenantOf((await bench.live.cms.user(2)) ?? actor())
  await editor.send('Hello')
  await bench.clock.pass(70_000)
  await bench.cleanup()

  expect(sent).toEqual([mine, mine])
  await bench.settle()
})
