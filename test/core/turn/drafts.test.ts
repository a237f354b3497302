import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Bench, startBench, type User } from '../../support/live.ts'

let bench: Bench
let editor: User

beforeAll(async () => {
  bench = await startBench()
  editor = await bench.login('editor')
})
beforeEach(async () => {
  await bench.settle()
  bench.api.reset()
  await bench.edit('news', 1, { title: 'Live', hidden: false })
  await bench.edit('news', 2, { title: 'Draft', hidden: true })
})
afterAll(() => bench.stop())

const change = (uid: number, fields: object) => ({
  name: 'update_record',
  arguments: { table: 'news', uid, fields },
})
const publish = (uid: number, state = 'visible') => ({
  name: 'set_state',
  arguments: { table: 'news', uid, state },
})
const news = async (uid: number) => [await bench.field('news', uid), await bench.field('news', uid, 'hidden')]
const configured = (mode: 'first' | 'only') => bench.configure({ drafts: { mode, groups: {} } })
const results = () => JSON.stringify(bench.api.requests.at(-1)?.body.messages)

test('drafts first: what is live stays, what is hidden changes, and publishing is a decision of its own', async () => {
  await configured('first')
  bench.api.reply({ calls: [change(1, { title: 'Hacked' }), change(2, { title: 'Better' }), publish(2)] })
  bench.api.reply({ calls: [publish(2)] })
  bench.api.reply({ text: 'Done.' })

  const { conversation, pendingApproval } = await editor.turn('Write and publish')
  const shown = pendingApproval?.calls.map(({ tool, effect, preview }) => [tool, effect, preview?.uid])
  expect(shown).toEqual([['update_record', 'hidden', 2]])
  await editor.decide(conversation.id, true)
  await bench.settle()

  const next = await editor.poll(conversation.id)
  expect(next.pendingApproval?.calls.map(({ tool, effect }) => [tool, effect])).toEqual([
    ['set_state', 'publish'],
  ])
  expect(await news(2)).toEqual(['Better', true])
  expect(results()).toContain('visitors see this record: it was not changed')
  expect(results()).toContain('publishing is a proposal of its own')
  await editor.decide(conversation.id, true)
  await bench.settle()

  expect([await news(1), await news(2)]).toEqual([
    ['Live', false],
    ['Better', false],
  ])
})

test('drafts alone: publishing is not offered, and refused in every dress', async () => {
  await configured('only')
  bench.api.reply({
    calls: [
      publish(2),
      change(2, { hidden: false }),
      change(2, { title: 'Shown', hidden: false }),
      change(1, { hidden: true }),
      change(1, { title: 'Hacked' }),
    ],
  })
  bench.api.reply({ text: 'I may not.' })

  const { conversation, pendingApproval } = await editor.turn('Publish it')

  expect([conversation.status, pendingApproval]).toEqual(['idle', null])
  const { tools = [], system } = bench.api.requests[0]?.body ?? {}
  expect(tools.map(({ name }) => name)).not.toContain('set_state')
  expect(JSON.stringify(system)).toContain('# Drafts first')
  expect([await news(1), await news(2)]).toEqual([
    ['Live', false],
    ['Draft', true],
  ])
})

test('a rule that came after the decision holds: what was approved before it is not written', async () => {
  await bench.configure()
  bench.api.reply({ calls: [change(1, { title: 'Approved' })] })
  bench.api.reply({ text: 'Not possible.' })
  const { conversation, pendingApproval } = await editor.turn('Rename it')
  expect(pendingApproval?.calls[0]).not.toHaveProperty('effect')
  await editor.post('approve', {
    conversationId: conversation.id,
    digest: pendingApproval?.digest,
    approve: true,
  })

  await configured('first')
  await bench.settle()

  expect((await editor.poll(conversation.id)).conversation.status).toBe('idle')
  expect(await news(1)).toEqual(['Live', false])
})

test('a group has a mode of its own', async () => {
  await bench.configure({ drafts: { mode: 'only', groups: { 1: 'off' } } })
  bench.api.reply({ calls: [change(1, { title: 'Free' })] })

  const { conversation, pendingApproval } = await editor.turn('Rename it')

  expect(pendingApproval?.calls.map(({ tool }) => tool)).toEqual(['update_record'])
  await editor.decide(conversation.id, false)
})
