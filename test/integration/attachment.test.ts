import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { UploadAnswer } from '../../core/file/schema.ts'
import { putInto } from '../support/direct-upload.ts'
import { docx, image, pdf } from '../support/documents.ts'
import { type Client, login } from '../support/http.ts'
import { type MessagesApi, startMessagesApi } from '../support/messages-api.ts'
import { command, type Stage, startStage } from '../support/stage.ts'

type Uploaded = { fileUid: number; name: string; mimeType: string; size: number }

let api: MessagesApi
beforeAll(async () => {
  api = await startMessagesApi()
})
afterAll(() => api.stop())
beforeEach(() => {
  api.reset()
  api.always({ text: 'Seen.' })
})

/** A stage whose model is a server of the test, with these capabilities. */
function stageFor(capabilities: string[]): Promise<Stage> {
  return startStage({
    env: { ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url },
    settings: { models: [{ uid: 1, capabilities }] },
  })
}

async function uploaded(editor: Client, name: string, type: string, bytes: Buffer): Promise<Uploaded> {
  const { status, body } = await editor.upload<Uploaded>(name, type, new Uint8Array(bytes))
  expect(status).toBe(201)
  return body
}

/** What the provider got as the content of the user's newest message, in which the fence's nonce is always `N`. */
function received(): unknown {
  const { messages } = api.requests.at(-1)?.body ?? { messages: [] }
  const content = JSON.stringify(messages.at(-1)?.content)
  return JSON.parse(
    content.replace(/data-[0-9a-f]{24}/g, 'data-N').replace(/,"cache_control":\{[^}]*\}/g, ''),
  )
}

describe('a provider that looks at images and takes PDF', () => {
  let stage: Stage
  let editor: Client
  beforeAll(async () => {
    stage = await stageFor(['vision', 'pdf', 'tools'])
    editor = await login(stage.origin, 'editor')
  })
  afterAll(() => stage.remove())

  test('gets an image byte for byte', async () => {
    const bytes = await image('png')
    const { fileUid } = await uploaded(editor, 'a.png', 'image/png', bytes)

    await editor.ask('Look', { fileUid })

    expect(received()).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') } },
      { type: 'text', text: 'Look' },
    ])
  })

  test('gets a PDF byte for byte that went past the function', async () => {
    const bytes = await pdf(['Text'], { info: { Title: 'x'.repeat(5_000_000) } })
    const wish = { name: 'a.pdf', mimeType: 'application/pdf', size: bytes.length }
    const tooLarge = await editor.upload<{ error: { code: string } }>(
      wish.name,
      wish.mimeType,
      new Uint8Array(bytes),
    )
    const { body: asked } = await editor.post<UploadAnswer>('/ai-chat/file-upload', wish)
    const file = new Blob([new Uint8Array(bytes)], { type: wish.mimeType })
    const stored = await putInto(asked.upload, file)
    const completed = await editor.post('/ai-chat/file-upload/complete', { fileUid: asked.fileUid })

    await editor.ask('', { fileUid: asked.fileUid })

    expect({ tooLarge: tooLarge.status, code: tooLarge.body.error.code }).toEqual({
      tooLarge: 413,
      code: 'request.tooLarge',
    })
    expect({ stored: stored.status, completed: completed.status }).toEqual({ stored: 201, completed: 200 })
    expect(received()).toEqual([
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') },
        title: 'a.pdf',
      },
    ])
  })

  test('refuses a file once, and the turn goes on without it', async () => {
    const { fileUid } = await uploaded(editor, 'a.png', 'image/png', await image('png'))
    const refusal = 'messages.0.content.0.image.source.base64.data: Could not process image'
    api.reply({ fault: 'status', status: 400, message: refusal })

    const first = await editor.ask('Look', { fileUid })
    const again = await editor.ask('And now?', { conversationId: first.conversation.id })

    expect([first.conversation.status, again.conversation.status]).toEqual(['idle', 'idle'])
    const sent = api.requests.map(({ body }) => JSON.stringify(body.messages).includes('"type":"image"'))
    expect(sent).toEqual([true, false, false])
  })
})

describe('a provider that takes text alone', () => {
  let stage: Stage
  let editor: Client
  beforeAll(async () => {
    stage = await stageFor(['tools'])
    editor = await login(stage.origin, 'editor')
  })
  afterAll(() => stage.remove())

  test.each<[string, string, () => Promise<Buffer>, string]>([
    ['a.pdf', 'application/pdf', () => pdf(['Text of a PDF']), '## Page 1\n\nText of a PDF'],
    [
      'a.docx',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      () => docx(['Text of Word']),
      'Text of Word',
    ],
    ['a.txt', 'text/plain', async () => Buffer.from('Text'), 'Text'],
  ])('gets the text of %s', async (name, type, make, content) => {
    const { fileUid } = await uploaded(editor, name, type, await make())

    await editor.ask('Read', { fileUid })

    expect(received()).toEqual([
      {
        type: 'text',
        text: `[Note of the system: The user attached this file here; its text was extracted and is complete.]\n<data-N source="${name}">\n${content}\n</data-N>`,
      },
      { type: 'text', text: 'Read' },
    ])
  })

  test('is never offered an image', async () => {
    const answer = await editor.upload<{ error: { code: string } }>(
      'a.png',
      'image/png',
      new Uint8Array(await image('png')),
    )

    expect([answer.status, answer.body.error.code]).toEqual([415, 'file.unsupported'])
  })

  test('a conversation takes five files, and an edit that drops messages gives places back', async () => {
    const file = async (n: number) => uploaded(editor, `${n}.txt`, 'text/plain', Buffer.from(`File ${n}`))
    const first = await file(1)
    const { conversation } = await editor.ask('1', { fileUid: first.fileUid })
    const conversationId = conversation.id
    for (const n of [2, 3, 4, 5])
      await editor.ask(String(n), { conversationId, fileUid: (await file(n)).fileUid })
    const sixth = await file(6)
    const more = { conversationId, content: '6', fileUid: sixth.fileUid }

    const refused = await editor.post<{ error: { code: string } }>('/ai-chat/conversations/send', more)
    await editor.post('/ai-chat/conversations/edit', {
      conversationId,
      sequence: 2,
      content: 'two',
      expectedContent: '2',
    })
    await editor.until(conversationId, ({ conversation }) => conversation.status === 'idle')
    const taken = await editor.post('/ai-chat/conversations/send', more)

    expect([refused.status, refused.body.error.code, taken.status]).toEqual([422, 'file.limit', 202])
  })

  test('a deleted conversation takes its files along, after a day', async () => {
    const autorin = await login(stage.origin, 'autorin')
    const { fileUid } = await uploaded(autorin, 'a.txt', 'text/plain', Buffer.from('Only for autorin'))
    const { conversation } = await autorin.ask('Read', { fileUid })
    const { body: info } = await autorin.get<{ url: string }>('/ai-chat/file-info', { fileUid })
    const download = async () => (await fetch(info.url)).status
    const before = await download()

    await autorin.post('/ai-chat/conversations/delete', { conversationId: conversation.id, deleted: true })
    const tomorrow = new Date(Date.now() + 25 * 3_600_000).toISOString()
    const { code } = await command(stage, 'cleanup', '--now', tomorrow)

    expect([before, code, await download()]).toEqual([200, 0, 404])
    expect((await autorin.get('/ai-chat/file-info', { fileUid })).status).toBe(404)
  })
})
