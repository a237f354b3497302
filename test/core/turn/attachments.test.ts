import { ImageRun, TextRun } from 'docx'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { docx, image, pdf, xlsx } from '../../support/documents.ts'
import { type Bench, startBench, type User } from '../../support/live.ts'
import { model } from '../../support/settings.ts'

/** One row tells the user, in their language, what became of a file. */

let bench: Bench
let editor: User
beforeAll(async () => {
  bench = await startBench({ models: [model({ modelId: 'claude-sonnet-5-5', capabilities: ['tools'] })] })
  editor = await bench.login('editor')
  bench.api.always({ text: 'Seen.' })
})
afterAll(() => bench.stop())

async function uploaded(user: User, name: string, bytes: Buffer): Promise<number> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), name)
  return (await user.ask<{ fileUid: number }>('/ai-chat/file-upload', { form })).body.fileUid
}

const told = (messages: Awaited<ReturnType<User['turn']>>['messages']) =>
  messages
    .filter(({ notice }) => notice === 'notUsed')
    .map(({ content, notUsed }) => ({ content, notUsed: notUsed?.map(({ fileUid: _, ...rest }) => rest) }))

test('a file that the model does not get is named above the answer, once, and the model is not sent the row', async () => {
  const fileUid = await uploaded(editor, 'scan.pdf', await pdf(['']))

  const first = await editor.turn('What does it say?', { fileUid })
  const { messages } = await editor.turn('Are you sure?', { conversationId: first.conversation.id })

  const content =
    'The file “scan.pdf” was not used: it has no text: it is empty, or a scan, and text in pictures is not recognised.'
  expect(messages.map(({ role, notice }) => [role, notice])).toEqual([
    ['user', undefined],
    ['assistant', 'notUsed'],
    ['assistant', undefined],
    ['user', undefined],
    ['assistant', undefined],
  ])
  expect(told(messages)).toEqual([{ content, notUsed: [{ name: 'scan.pdf', state: 'noText', leftOut: [] }] }])
  expect(JSON.stringify(bench.api.requests.at(-1)?.body.messages)).not.toContain('was not used')
})

test('what a document lost when it was read is named in the language of its user', async () => {
  const autorin = await bench.login('autorin')
  const picture = new ImageRun({
    type: 'png',
    data: await image('png'),
    transformation: { width: 8, height: 8 },
  })
  const letter = await docx([{ children: [new TextRun('Text'), picture] }])
  const fileUid = await uploaded(autorin, 'brief.docx', letter)

  const { messages } = await autorin.turn('Was steht darin?', { fileUid })

  expect(told(messages)).toEqual([
    {
      content: 'Von der Datei „brief.docx“ wurde nicht gelesen: Bilder.',
      notUsed: [{ name: 'brief.docx', state: 'whole', leftOut: ['pictures'] }],
    },
  ])
})

test('the last page of a long PDF can be asked about', async () => {
  const pages = Array.from({ length: 230 }, (_, at) => `The code of page ${at + 1} is ${7 * (at + 1)}.`)
  const fileUid = await uploaded(editor, 'codes.pdf', await pdf(pages))
  bench.api.reply({ calls: [{ id: 'r1', name: 'read_file', arguments: { file: fileUid, from: 230 } }] })

  const { messages } = await editor.turn('Which code is on the last page?', { fileUid })

  const asked = JSON.stringify(bench.api.requests.at(-2)?.body.messages)
  expect(asked).toContain(
    `pages 1 to 200 of 230. Read on with read_file: file ${fileUid}, from 201 or any other.`,
  )
  expect(messages.find(({ toolName }) => toolName === 'read_file')).toMatchObject({ outcome: 'done' })
  expect(told(messages)).toEqual([
    {
      content: 'The assistant got the pages 1 to 200 of 230 of the file “codes.pdf”; it can read on.',
      notUsed: [
        {
          name: 'codes.pdf',
          state: 'truncated',
          leftOut: [],
          part: { unit: 'page', from: 1, to: 200, total: 230 },
        },
      ],
    },
  ])
  expect(JSON.stringify(bench.api.requests.at(-1)?.body.messages)).toContain('The code of page 230 is 1610.')
})

test('what was read of each file stands at the file itself, also when nothing is missing', async () => {
  const [whole, book] = [
    await uploaded(editor, 'two.pdf', await pdf(['One', 'Two'])),
    await uploaded(editor, 'book.xlsx', await xlsx({ A: [['1'], ['2']], B: [['3']] })),
  ]
  const { conversation } = await editor.turn('Read it', { fileUid: whole })
  await editor.turn('And this', { fileUid: book, conversationId: conversation.id })

  const read = async (fileUid: number) =>
    (await editor.get<{ read?: string }>('/file-info', { fileUid })).body.read
  expect([await read(whole), await read(book)]).toEqual([
    'Read whole: 2 pages.',
    'Read whole: 2 sheets, 3 rows.',
  ])
})

test('a file that is used as a whole is not worth a row', async () => {
  const fileUid = await uploaded(editor, 'a.txt', Buffer.from('All of it.'))

  expect(told((await editor.turn('Read it', { fileUid })).messages)).toEqual([])
})

test('a file that the provider refuses in the middle of a turn is named with the answer that came without it', async () => {
  await bench.configure({
    models: [model({ modelId: 'claude-sonnet-5-5', capabilities: ['vision', 'tools'] })],
  })
  const fileUid = await uploaded(editor, 'a.png', await image('png'))
  const refusal = 'messages.0.content.0.image.source.base64.data: Could not process image'
  bench.api.reply({ fault: 'status', status: 400, message: refusal })

  const { messages } = await editor.turn('Look', { fileUid })

  expect(told(messages)).toEqual([
    {
      content: 'The file “a.png” was not used: the model provider refused it.',
      notUsed: [{ name: 'a.png', state: 'refused', leftOut: [] }],
    },
  ])
})

const tooLong = { fault: 'status', status: 400, message: 'prompt is too long: 5 tokens > 4 maximum' } as const

test('an old picture is not blamed for a conversation that is too long, and stays in later turns', async () => {
  await bench.configure({
    summaries: false,
    models: [model({ modelId: 'claude-sonnet-5-5', capabilities: ['tools', 'vision'] })],
  })
  const { conversation } = await editor.turn('Look', {
    fileUid: await uploaded(editor, 'a.png', await image('png')),
  })
  const conversationId = conversation.id
  for (let count = 0; count < 3; count++)
    await editor.turn(`Go on. ${'And on. '.repeat(200)}`, { conversationId })
  bench.api.reset()
  bench.api.reply(tooLong, { text: 'The end.' }, { text: 'A picture.' })

  await editor.turn('And the end?', { conversationId })
  await editor.turn('And the picture?', { conversationId })

  const seen = bench.api.requests.map(({ body }) => JSON.stringify(body.messages).includes('"type":"image"'))
  expect(seen).toEqual([true, false, true])
})

test('a file that fills the window alone is sent in another form', async () => {
  await bench.configure({ models: [model({ modelId: 'claude-sonnet-5-5', capabilities: ['tools', 'pdf'] })] })
  bench.api.reset()
  bench.api.reply(tooLong, { text: 'Seen.' })

  const fileUid = await uploaded(editor, 'lamps.pdf', await pdf(['All about lamps']))
  const { conversation } = await editor.turn('Look', { fileUid })

  const sent = bench.api.requests.map(({ body }) => JSON.stringify(body.messages).includes('All about lamps'))
  expect([conversation.status, ...sent]).toEqual(['idle', false, true])
})
