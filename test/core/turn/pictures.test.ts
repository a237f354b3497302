import { beforeAll, expect, test } from 'vitest'
import { ToolError } from '../../../core/base/error.ts'
import type { WireRequest } from '../../../core/model/wire/shape.ts'
import { seedPictures } from '../../../infra/local/seed/content.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { model } from '../../support/settings.ts'

benched()
beforeAll(() => seedPictures())

const shade = { kind: 'file', table: 'media', uid: 2 }
const asked = (at: number): WireRequest => {
  const request = bench.api.requests[at]?.body
  if (!request) throw new Error(`There is no request ${at}`)
  return request
}
/** What the last message of a request holds: kinds of blocks, those inside of results too. */
const kinds = (request: WireRequest) =>
  request.messages
    .at(-1)
    ?.content.flatMap((block) =>
      block.type === 'tool_result' ? (block.content ?? []).map(({ type }) => `result: ${type}`) : block.type,
    )

test('pictures without an alternative text get one: found, looked at, proposed together, approved', async () => {
  const texts = ['A round shade of opal glass', 'A bench under tools on the wall', 'Five people at a table']
  const uids = [2, 4, 6]
  bench.api.reply({ calls: [{ name: 'find_media', arguments: { missing_alternative: true } }] })
  bench.api.reply({
    calls: uids.map((uid) => ({ name: 'view_image', arguments: { table: 'media', uid } })),
  })
  const changes = uids.map((uid, at) => ({ uid, fields: { alternative: texts[at] } }))
  bench.api.reply({ calls: [{ name: 'update_records', arguments: { table: 'media', changes } }] })
  bench.api.reply({ text: 'All three have an alternative text.' })

  const { conversation } = await editor.turn('Write alternative texts for the pictures without one')
  expect(kinds(asked(2))).toEqual(uids.flatMap(() => ['result: text', 'result: image']))
  await editor.decide(conversation.id, true)
  await bench.settle()

  expect(await Promise.all(uids.map((uid) => bench.field('media', uid, 'alternative')))).toEqual(texts)
  const { messages } = await editor.poll(conversation.id)
  expect(messages.filter(({ toolName }) => toolName === 'view_image').map(({ records }) => records)).toEqual(
    uids.map((uid) => [{ table: 'media', uid, title: expect.any(String), page: 1 }]),
  )
  expect(JSON.stringify(messages)).not.toContain('base64')
})

test('a picture that a message names goes with it, and with no later message', async () => {
  bench.api.always({ text: 'A shade.' })
  const { conversation } = await editor.turn('What is on it?', { mentions: [shade] })
  await editor.turn('And now?', { conversationId: conversation.id })

  expect(kinds(asked(0))).toEqual(['text', 'text', 'image', 'text'])
  expect(JSON.stringify(asked(0).messages)).toContain('the picture of media [2] follows')
  expect(JSON.stringify(asked(1).messages)).not.toContain('"image"')
})

test('a picture that the provider refuses is left out, and the turn goes on', async () => {
  const refused = { fault: 'status', status: 400, message: 'Could not process image' } as const
  bench.api.reply(refused, { calls: [{ name: 'view_image', arguments: { table: 'media', uid: 1 } }] })
  bench.api.reply(refused, { text: 'I cannot see it.' })
  const { messages } = await editor.turn('Look', { mentions: [shade] })

  expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'I cannot see it.' })
  expect(bench.api.requests.map(({ body }) => JSON.stringify(body).includes('"type":"image"'))).toEqual([
    true,
    false,
    true,
    false,
  ])
})

test('a picture that the CMS refuses is left out, and the turn goes on', async () => {
  bench.api.always({ text: 'I cannot see it.' })
  await editor.send('What is on it?', { mentions: [shade] })
  const picture = () => Promise.reject(new ToolError('It would be larger than 4 MB.'))

  expect(await bench.consume({ cms: { ...bench.live.cms, picture } })).toBe('done')
  expect(kinds(asked(0))).toEqual(['text', 'text'])
})

test('a model without vision gets neither tool nor picture, but the reason', async () => {
  await bench.configure({ models: [model({ modelId: 'claude-sonnet-5-5', capabilities: ['tools'] })] })
  bench.api.always({ text: 'I see no pictures.' })
  await editor.turn('What is on it?', { mentions: [shade] })
  await bench.configure()

  expect(kinds(asked(0))).toEqual(['text', 'text'])
  expect((asked(0).tools ?? []).map(({ name }) => name)).not.toContain('view_image')
  expect(JSON.stringify(asked(0).system)).toContain('The language model in use sees no pictures.')
})

test('what the configuration does not offer as a tool goes with no message', async () => {
  await bench.configure({ tools: { disabled: ['view_image'], groups: {} } })
  bench.api.always({ text: 'Which one?' })
  await editor.turn('What is on it?', { mentions: [shade] })
  await bench.configure()

  expect(kinds(asked(0))).toEqual(['text', 'text'])
})
