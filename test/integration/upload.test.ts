import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UploadAnswer } from '../../core/file/schema.ts'
import { putInto } from '../support/direct-upload.ts'
import { type Client, login } from '../support/http.ts'
import { type Stage, startStage } from '../support/stage.ts'

type File = { fileUid: number; name: string; mimeType: string; size: number }
type Info = File & { url: string }

let stage: Stage
let editor: Client

beforeAll(async () => {
  stage = await startStage()
  editor = await login(stage.origin, 'editor')
})

afterAll(() => stage.remove())

const line = 'The Aurora lamp has a shade of linen.\n'
const text = (bytes: number) => line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes)

async function ask(size: number): Promise<UploadAnswer> {
  const asked = await editor.post<UploadAnswer>('/ai-chat/file-upload', {
    name: 'notes.txt',
    mimeType: 'text/plain',
    size,
  })
  expect(asked.status).toBe(200)
  return asked.body
}

test('a file that no function can take goes to the store directly, and comes back as it was', async () => {
  const content = text(12_000_000)
  const form = await editor.upload('notes.txt', 'text/plain', content)
  expect([form.status, form.body]).toMatchObject([413, { error: { code: 'request.tooLarge' } }])

  const asked = await ask(content.length)
  expect(new URL(asked.upload.url).origin).toBe(stage.origin)
  expect((await putInto(asked.upload, new Blob([content]))).status).toBe(201)
  const completed = await editor.post<File>('/ai-chat/file-upload/complete', { fileUid: asked.fileUid })
  const info = await editor.get<Info>('/ai-chat/file-info', { fileUid: asked.fileUid })
  const download = await fetch(info.body.url)

  const file = { fileUid: asked.fileUid, name: 'notes.txt', mimeType: 'text/plain', size: content.length }
  expect([completed.status, completed.body]).toEqual([200, file])
  expect(info.body).toMatchObject(file)
  expect(download.headers.get('content-disposition')).toMatch(/^attachment/)
  expect(download.headers.get('content-type')).toBe('application/octet-stream')
  expect(download.headers.get('x-content-type-options')).toBe('nosniff')
  expect((await download.text()) === content).toBe(true)
})

test('a form without its end is refused, and the stage goes on', async () => {
  const boundary = 'boundary-of-the-test'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText`
  for (const body of [head, `${head}\r\n--bound`, `--${boundary}\r\n${head}\r\n--${boundary}--`]) {
    const answered = await fetch(`${stage.origin}/ai-chat/file-upload`, {
      method: 'POST',
      headers: {
        cookie: editor.cookie,
        'x-csrf-token': editor.csrfToken,
        origin: stage.origin,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body,
    })
    expect([answered.status, await answered.json()]).toMatchObject([
      400,
      { error: { code: 'request.invalid' } },
    ])
  }
  expect((await editor.upload('notes.txt', 'text/plain', 'Text')).status).toBe(201)
  expect(stage.process.exitCode).toBeNull()
})

test('the form of a direct upload is good for its own key alone', async () => {
  const { fileUid, upload } = await ask(100)
  const elsewhere = { ...upload, fields: { ...upload.fields, key: 'pending/1/1' } }

  expect((await putInto(elsewhere, new Blob([text(100)]))).status).toBe(403)
  const completed = await editor.post('/ai-chat/file-upload/complete', { fileUid })
  expect(completed.status).toBe(404)
})

test('an address of a download cannot be led to another file', async () => {
  const stored = await editor.upload<File>('notes.txt', 'text/plain', text(100))
  expect(stored.status).toBe(201)
  const info = await editor.get<Info>('/ai-chat/file-info', { fileUid: stored.body.fileUid })

  const url = new URL(info.body.url)
  expect((await fetch(url)).status).toBe(200)
  url.pathname = url.pathname.replace('/2/', '/1/')
  expect((await fetch(url)).status).toBe(403)
})
