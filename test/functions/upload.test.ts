import { beforeAll, describe, expect, test } from 'vitest'
import { config } from '../../core/base/config.ts'
import * as Store from '../../core/file/store.ts'
import { apply } from '../../core/stage/settings/settings.ts'
import type { SessionAnswer } from '../../core/user/session/schema.ts'
import { handler as backend } from '../../functions/backend.ts'
import { handler } from '../../functions/upload.ts'
import { seedPictures } from '../../infra/local/seed/content.ts'
import { seed } from '../../infra/local/seed/seed.ts'
import { type Answered, type Call, call } from '../support/call.ts'
import { image, pdf } from '../support/documents.ts'
import { model, settings } from '../support/settings.ts'

type Failure = { error: { code: string; fields?: Record<string, string> } }
type Info = { fileUid: number; name: string; mimeType: string; size: number }

type Session = Pick<Call, 'cookies' | 'headers'>

const sessions: Record<string, Session> = {}
const as = (username: string): Session => sessions[username] as Session

beforeAll(async () => {
  await seed({ table: config().cmsTable as string }, Date.now())
  await apply(settings({ allowedGroups: [1, 2], models: [model({ capabilities: ['vision'] })] }))
  for (const username of ['admin', 'editor', 'guest']) {
    const { body, cookies } = await call<SessionAnswer>(backend, '/backend/login', {
      body: { username, password: 'demo' },
    })
    sessions[username] = { cookies, headers: { 'x-csrf-token': body.csrfToken } }
  }
})

function form(name: string, type: string, bytes: Uint8Array, field = 'file'): FormData {
  const data = new FormData()
  data.set(field, new Blob([new Uint8Array(bytes)], { type }), name)
  return data
}

const told = ({ status, body }: Answered<unknown>) => ({ status, code: (body as Failure).error.code })

describe('POST /ai-chat/file-upload', () => {
  const upload = <T>(options: Call, username = 'editor') => {
    const { cookies, headers } = as(username)
    const sent = { ...options, cookies: cookies ?? [], headers: { ...headers, ...options.headers } }
    return call<T>(handler, '/ai-chat/file-upload', sent)
  }

  test('takes a file in a form', async () => {
    const bytes = await image('png')

    const { status, body } = await upload<Info>({ form: form('Küche 1.png', 'image/png', bytes) })

    expect({ status, body }).toEqual({
      status: 201,
      body: { fileUid: expect.any(Number), name: 'Küche 1.png', mimeType: 'image/png', size: bytes.length },
    })
    const stored = await Store.get(`fileadmin/ai-chat/2/${body.fileUid}/Küche 1.png`)
    expect(Buffer.from(stored?.bytes ?? []).equals(bytes)).toBe(true)
  })

  test('gives an address for a direct upload, which is then completed', async () => {
    const bytes = await pdf(['Text'])
    const wish = { name: 'a.pdf', mimeType: 'application/pdf', size: bytes.length }
    const asked = await upload<{ fileUid: number; upload: { url: string; fields: Record<string, string> } }>({
      body: wish,
    })
    const { fileUid, upload: address } = asked.body
    await Store.put(address.fields.key ?? '', bytes, { contentType: 'application/pdf' })

    const completed = await call<Info>(handler, '/ai-chat/file-upload/complete', {
      ...as('editor'),
      body: { fileUid },
    })

    expect(asked).toMatchObject({
      status: 200,
      body: { fileUid: expect.any(Number), upload: { fields: { key: `pending/2/${fileUid}` } } },
    })
    expect(completed).toMatchObject({ status: 200, body: { fileUid, ...wish } })
  })

  const textFile = form('a.txt', 'text/plain', Buffer.from('Text'))
  const twoFiles = form('a.txt', 'text/plain', Buffer.from('Text'))
  twoFiles.append('file', new Blob(['More']), 'b.txt')

  test.each<[string, Call, number, string]>([
    [
      'another field',
      { form: form('a.txt', 'text/plain', Buffer.from('x'), 'data') },
      400,
      'request.invalid',
    ],
    ['two files', { form: twoFiles }, 400, 'request.invalid'],
    ['a field without a file', { form: new FormData() }, 400, 'request.invalid'],
    [
      'half a form',
      { body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      400,
      'request.invalid',
    ],
    ['no body', { body: {} }, 400, 'request.invalid'],
    [
      'a size of nothing',
      { body: { name: 'a.txt', mimeType: 'text/plain', size: 0 } },
      400,
      'request.invalid',
    ],
    ['an unknown field', { body: { name: 'a.txt', mimeType: '', size: 1, uid: 1 } }, 400, 'request.invalid'],
    [
      'a size over the limit',
      { body: { name: 'a.txt', mimeType: '', size: 20_971_521 } },
      413,
      'file.tooLarge',
    ],
    ['another format', { body: { name: 'a.exe', mimeType: '', size: 1 } }, 415, 'file.unsupported'],
    ['another content', { form: form('a.png', 'image/png', Buffer.from('Text')) }, 422, 'file.mismatch'],
    ['an empty file', { form: form('a.txt', 'text/plain', Buffer.alloc(0)) }, 422, 'file.unreadable'],
  ])('refuses %s', async (_, options, status, code) => {
    expect(told(await upload(options))).toEqual({ status, code })
  })

  const boundary = 'boundary-of-the-test'
  const part = (name: string, more = '; filename="a.txt"') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\nContent-Type: text/plain\r\n\r\n`
  const whole = `${part('file')}Text\r\n--${boundary}--\r\n`

  test.each([
    ['nothing', ''],
    ['no closing boundary', `${part('file')}Text`],
    ['half of the closing boundary', `${part('file')}Text\r\n--${boundary.slice(0, 5)}`],
    ['a closing boundary without its end', `${part('file')}Text\r\n--${boundary}`],
    ['another boundary', whole.replaceAll(boundary, 'another')],
    ['a part that is empty up to the next boundary', `--${boundary}\r\n${whole}`],
    ['a part without headers', `--${boundary}\r\n\r\nText\r\n${whole}`],
    ['parts that are all empty', `--${boundary}\r\n`.repeat(20_000)],
    ['a header without an end', `--${boundary}\r\nContent-Disposition: form-data; name="file`],
    ['a thousand fields', `${part('x', '').repeat(1_000)}--${boundary}--`],
  ])('a form with %s is refused, and the next one is taken', async (_, body) => {
    const send = (text: string) =>
      upload<Failure & Info>({
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        text,
      })

    expect(told(await send(body))).toEqual({ status: 400, code: 'request.invalid' })
    expect((await send(whole)).body).toMatchObject({ name: 'a.txt', size: 4 })
  })

  test('a form that is cut at any place is refused', async () => {
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    for (let length = 0; length < whole.length - '--\r\n'.length; length += 7) {
      const answer = await upload<Failure>({ headers, text: whole.slice(0, length) })
      expect([length, told(answer)]).toEqual([length, { status: 400, code: 'request.invalid' }])
    }
  })

  test('says which field of a JSON request is wrong', async () => {
    const { body } = await upload<Failure>({ body: { name: 'a.txt', size: 1.5 } })

    expect(Object.keys(body.error.fields ?? {})).toEqual(['size'])
  })

  test('is closed to users who may not chat, and to requests without the token', async () => {
    const { cookies } = as('editor')

    expect(told(await upload({ form: textFile }, 'guest'))).toEqual({ status: 403, code: 'access.denied' })
    expect(
      told(await call(handler, '/ai-chat/file-upload', { form: textFile, cookies: cookies ?? [] })),
    ).toEqual({
      status: 403,
      code: 'csrf.invalid',
    })
    expect(told(await call(handler, '/ai-chat/file-upload', { form: textFile }))).toEqual({
      status: 401,
      code: 'session.missing',
    })
  })
})

describe('GET /ai-chat/file-info', () => {
  test('says what and where a file is to its uploader alone', async () => {
    const [editor, admin] = [as('editor'), as('admin')]
    const bytes = Buffer.from('Text')
    const { body } = await call<Info>(handler, '/ai-chat/file-upload', {
      ...editor,
      form: form('a.txt', 'text/plain', bytes),
    })
    const address = `/ai-chat/file-info?fileUid=${body.fileUid}`

    const own = await call<Info & { url: string }>(handler, address, editor)
    const others = await call(handler, address, admin)

    expect(own).toMatchObject({ status: 200, body: { ...body, url: expect.any(String) } })
    expect(await (await fetch(own.body.url)).text()).toBe('Text')
    expect(told(others)).toEqual({ status: 404, code: 'file.notFound' })
  })

  test.each([
    ['', 400, 'request.invalid'],
    ['?fileUid=x', 400, 'request.invalid'],
    ['?fileUid=0', 400, 'request.invalid'],
    ['?fileUid=1&more=1', 400, 'request.invalid'],
    ['?fileUid=1', 404, 'file.notFound'],
  ])('answers %j with %i', async (query, status, code) => {
    const answer = await call(handler, `/ai-chat/file-info${query}`, as('editor'))

    expect(told(answer)).toEqual({ status, code })
  })
})

describe('GET /ai-chat/picture', () => {
  const asked = (query: string, who = 'editor') => call(handler, `/ai-chat/picture${query}`, as(who))

  test('is the picture of a record that the user may see', async () => {
    await seedPictures()

    expect(await asked('?table=media&uid=1')).toMatchObject({
      status: 200,
      body: { mimeType: 'image/jpeg', base64: expect.stringMatching(/^\/9j\//), width: 640, height: 480 },
    })
  })

  test.each([
    ['?table=media', 400, 'request.invalid'],
    ['?table=media&uid=1&more=1', 400, 'request.invalid'],
    ['?table=pages&uid=3', 404, 'record.notFound'],
    ['?table=media&uid=999', 404, 'record.notFound'],
    ['?table=be_users&uid=1', 404, 'record.notFound'],
  ])('answers %j with %i', async (query, status, code) => {
    expect(told(await asked(query))).toEqual({ status, code })
  })
})

test('a direct upload that has not arrived cannot be completed', async () => {
  const session = as('editor')
  const wish = { name: 'a.txt', mimeType: '', size: 4 }
  const { body } = await call<Info>(handler, '/ai-chat/file-upload', { ...session, body: wish })

  const answer = await call(handler, '/ai-chat/file-upload/complete', {
    ...session,
    body: { fileUid: body.fileUid },
  })

  expect(told(answer)).toEqual({ status: 404, code: 'file.notFound' })
})
