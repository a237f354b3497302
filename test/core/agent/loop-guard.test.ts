import { beforeEach, expect, test } from 'vitest'
import type { Cms } from '../../../core/cms/cms.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { gate, never } from '../../support/live.ts'

benched({ maxConversationsPerUser: null })
beforeEach(() => {
  bench.api.always({ text: 'Answer.' })
})

const call = (name: string, args: object) => ({ name, arguments: args })

const results = (messages: Message[]) => messages.filter(({ role }) => role === 'tool')

test('the same call runs twice, be it in one reply or over several', async () => {
  const twins = Array.from({ length: 5 }, () => call('get_page_tree', {}))
  bench.api.reply(
    { calls: twins },
    { calls: [call('get_page_tree', {}), call('get_page_tree', { root: 2 })] },
  )

  const { messages } = await editor.turn('Look')

  const told = results(messages)
  expect(told.map(({ isError }) => isError ?? false)).toEqual([false, false, true, true, true, true, false])
  expect(told[2]?.content).toContain('made twice already')
})

test('a consumer that takes the turn up counts the calls that an earlier one has made', async () => {
  bench.api.reply({ calls: Array.from({ length: 22 }, () => call('get_page_tree', {})) })
  const { conversation } = await editor.send('Look')
  const third = gate()
  let asked = 0
  const pageTree: Cms['pageTree'] = async (...given) => {
    if (++asked === 2) await third.reach().then(never)
    return bench.live.cms.pageTree(...given)
  }
  await bench.die({ pageTree })
  await third.reached
  await bench.clock.pass(95_000)
  await bench.cleanup()
  await bench.settle()

  const { messages } = await editor.poll(conversation.id)
  expect(results(messages).map(({ isError }) => isError ?? false)).toEqual([
    ...Array.from({ length: 2 }, () => true),
    false,
    false,
    ...Array.from({ length: 18 }, () => true),
  ])
})

test('the same change proposed a third time is stopped before anybody is asked to decide', async () => {
  const change = call('update_record', { table: 'pages', uid: 4, fields: { title: 'Round and round' } })
  bench.api.reply({ calls: [change] }, { calls: [change] }, { calls: [change] })

  const { conversation } = await editor.turn('Change it')
  for (const _ of [1, 2]) {
    await editor.decide(conversation.id, false)
    await bench.settle()
  }

  const after = await editor.poll(conversation.id)
  const results = after.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
  expect([after.conversation.status, after.pendingApproval]).toEqual(['idle', null])
  expect(results).toEqual([
    expect.stringContaining('Denied by the user'),
    expect.stringContaining('Denied by the user'),
    expect.stringContaining('made twice already'),
  ])
})

test('a record is read again as often as a change of it was proposed meanwhile', async () => {
  const read = call('get_record', { table: 'pages', uid: 4 })
  const change = (title: string) => call('update_record', { table: 'pages', uid: 4, fields: { title } })
  bench.api.reply(
    ...['One', 'Two', 'Three'].flatMap((title) => [{ calls: [read] }, { calls: [change(title)] }]),
    { calls: [read] },
  )

  const { conversation } = await editor.turn('Try three titles, one after the other')
  for (const _ of [1, 2, 3]) {
    await editor.decide(conversation.id, true)
    await bench.settle()
  }

  const { messages } = await editor.poll(conversation.id)
  const titles = results(messages)
    .filter(({ toolName }) => toolName === 'get_record')
    .map(({ content }) => /^- title.*: (.*)$/m.exec(content)?.[1])
  expect(titles).toEqual(['Borealis desk', 'One', 'Two', 'Three'])
})
