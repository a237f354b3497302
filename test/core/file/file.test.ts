import { describe, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import { VisibleError } from '../../../core/base/error.ts'
import { sha256 } from '../../../core/base/hash.ts'
import { loadLanguage } from '../../../core/base/language.ts'
import * as File from '../../../core/file/file.ts'
import { formats, supportedFormats } from '../../../core/file/format.ts'
import { key, pendingKey } from '../../../core/file/item.ts'
import type { UploadAnswer } from '../../../core/file/schema.ts'
import * as Store from '../../../core/file/store.ts'
import { actor } from '../../support/actor.ts'
import { putInto } from '../../support/direct-upload.ts'
import { image, pdf } from '../../support/documents.ts'
import * as Hostile from '../../support/hostile.ts'

await loadLanguage('de')

const now = Date.UTC(2026, 0, 2, 3, 4, 5)
const editor = actor({ uid: 2 })
const upload = { name: 'Preis/../Übersicht.txt', mimeType: 'text/plain', bytes: Buffer.from('149 EUR') }

/** Sends the bytes as a browser sends the form; the status of the store's answer. */
const post = async (upload: UploadAnswer['upload'], bytes: Uint8Array) =>
  (await putInto(upload, new Blob([new Uint8Array(bytes)]))).status

/** Has `act` happen just before the first request of this kind to the store. */
function justBefore(command: string, act: () => Promise<unknown>): void {
  const stack = Store.client().middlewareStack
  stack.add(
    (next, context) => async (args) => {
      if (context.commandName === command && stack.remove('just before')) await act()
      return next(args)
    },
    { step: 'initialize', name: 'just before' },
  )
}

const refusal = async (act: Promise<unknown>) => {
  const error = await act.then(
    () => undefined,
    (error: unknown) => error,
  )
  return error instanceof VisibleError ? { code: error.code, file: error.fields?.file } : error
}

describe('accept', () => {
  test('stores a file under a key of its owner and answers what it is', async () => {
    const info = await File.accept(editor, upload, { formats, maxUnsent: null }, now)

    expect(info).toEqual({
      fileUid: expect.any(Number),
      name: 'Übersicht.txt',
      mimeType: 'text/plain',
      size: 7,
    })
    expect(await File.find(editor, info.fileUid)).toEqual({
      owner: 2,
      fileUid: info.fileUid,
      name: 'Übersicht.txt',
      mimeType: 'text/plain',
      size: 7,
      state: 'stored',
      objectKey: `fileadmin/ai-chat/2/${info.fileUid}/Übersicht.txt`,
      sha256: sha256(upload.bytes),
      checkedEtag: undefined,
      conversations: [],
      createdAt: '2026-01-02T03:04:05.000Z',
      dueAt: '2026-01-03T03:04:05.000Z',
    })
    const object = await Store.get(`fileadmin/ai-chat/2/${info.fileUid}/Übersicht.txt`)
    expect(Buffer.from(object?.bytes ?? []).toString()).toBe('149 EUR')
  })

  test.each([
    ['an empty file', { bytes: Buffer.alloc(0) }, 'file.unreadable', 'The file is empty.'],
    [
      'a file over 20 MB',
      { bytes: Buffer.alloc(20_971_521) },
      'file.tooLarge',
      'The file is larger than 20 MB.',
    ],
    [
      'another extension',
      { name: 'a.exe' },
      'file.unsupported',
      'Files of this type cannot be processed. Possible are: pdf, docx, xlsx, pptx, odt, ods, rtf, eml, txt, md, markdown, csv, tsv, html, htm, json, xml.',
    ],
    [
      'an old format that its program can save in a new one',
      { name: 'a.DOC', mimeType: 'application/msword' },
      'file.unsupported',
      'Files of this type cannot be read. Save it as DOCX.',
    ],
    [
      'an image for a model without vision',
      { name: 'a.png', mimeType: 'image/png' },
      'file.unsupported',
      'Files of this type cannot be processed. Possible are: pdf, docx, xlsx, pptx, odt, ods, rtf, eml, txt, md, markdown, csv, tsv, html, htm, json, xml.',
    ],
    [
      'another type',
      { mimeType: 'application/pdf' },
      'file.mismatch',
      'The declared type does not fit the file name.',
    ],
    [
      'another content',
      { name: 'a.pdf', mimeType: 'application/pdf' },
      'file.mismatch',
      'The content is not what the file name says. Save the file in the right format.',
    ],
  ])('refuses %s', async (_, over, code, file) => {
    const act = File.accept(
      editor,
      { ...upload, ...over },
      { formats: supportedFormats([]), maxUnsent: null },
      now,
    )

    expect(await refusal(act)).toEqual({ code, file })
  })

  test('says why in the language of the user', async () => {
    const bytes = await Hostile.wordMacros()
    const act = File.accept(
      actor({ lang: 'de' }),
      { name: 'a.docx', mimeType: '', bytes },
      { formats, maxUnsent: null },
      now,
    )

    expect(await refusal(act)).toEqual({
      code: 'file.unreadable',
      file: 'Das Dokument enthält Makros. Speichern Sie es ohne Makros.',
    })
  })
})

describe('a direct upload', () => {
  const ask = (over: Partial<{ name: string; mimeType: string; size: number }> = {}) =>
    File.ask(
      editor,
      { name: 'a.pdf', mimeType: 'application/pdf', size: 900, ...over },
      { formats, maxUnsent: null },
      now,
    )

  test('is limited to one key, one type, a size and five minutes', async () => {
    const { fileUid, upload } = await ask()

    const policy = JSON.parse(Buffer.from(upload.fields.Policy ?? '', 'base64').toString())
    expect(policy.conditions).toEqual(
      expect.arrayContaining([
        ['content-length-range', 1, 20_971_520],
        ['eq', '$Content-Type', 'application/pdf'],
        { key: `pending/2/${fileUid}` },
      ]),
    )
    expect(new Date(policy.expiration).getTime() - Date.now()).toBeLessThanOrEqual(300_000)
  })

  test('is of no use before it is complete, and then is where a form puts it', async () => {
    const bytes = await pdf(['Text'])
    const { fileUid, upload } = await ask({ size: bytes.length })

    expect(await refusal(File.complete(editor, { fileUid }, now))).toMatchObject({ code: 'file.notFound' })
    expect(await post(upload, bytes)).toBe(201)
    expect(await refusal(File.find(editor, fileUid))).toMatchObject({ code: 'file.notFound' })

    const info = { fileUid, name: 'a.pdf', mimeType: 'application/pdf', size: bytes.length }
    expect(await File.complete(editor, { fileUid }, now)).toEqual(info)
    expect(await File.complete(editor, { fileUid }, now)).toEqual(info)
    const stored = await Store.get(`fileadmin/ai-chat/2/${fileUid}/a.pdf`)
    expect(Buffer.from(stored?.bytes ?? []).equals(bytes)).toBe(true)
    expect(await Store.head(pendingKey(2, fileUid))).toBeUndefined()
  })

  test('is checked like any other, as often as it is asked for', async () => {
    const { fileUid, upload } = await ask()
    await post(upload, Buffer.from('no PDF'))

    const first = await refusal(File.complete(editor, { fileUid }, now))
    const second = await refusal(File.complete(editor, { fileUid }, now))

    expect([first, second]).toMatchObject([{ code: 'file.mismatch' }, { code: 'file.mismatch' }])
  })

  test('is copied as it was checked, whatever is uploaded with the same form meanwhile', async () => {
    const [checked, late] = [await pdf(['Checked']), await pdf(['Late'])]
    const { fileUid, upload } = await ask()
    await post(upload, checked)
    const etag = (await Store.get(pendingKey(2, fileUid)))?.etag ?? ''
    await post(upload, late)

    const copied = await Store.copy(pendingKey(2, fileUid), etag, 'x', { contentType: 'application/pdf' })

    expect(copied).toBe(false)
    expect(await Store.get('x')).toBeUndefined()
  })

  test('is the version alone that was checked first, even where its copy failed', async () => {
    const { fileUid, upload } = await ask()
    await post(upload, await pdf(['Checked']))
    justBefore('CopyObjectCommand', () => Promise.reject(new Error('The store is down.')))
    await expect(File.complete(editor, { fileUid }, now)).rejects.toThrow('The store is down.')
    await post(upload, await pdf(['Late']))

    expect(await refusal(File.complete(editor, { fileUid }, now))).toMatchObject({ code: 'file.notFound' })
  })

  test('completed twice at once is one file', async () => {
    const { fileUid, upload } = await ask()
    await post(upload, await pdf(['Text']))

    const [one, two] = await Promise.all([
      File.complete(editor, { fileUid }, now),
      File.complete(editor, { fileUid }, now),
    ])

    expect(one).toEqual(two)
  })

  test.each(['HeadObjectCommand', 'GetObjectCommand', 'CopyObjectCommand'])(
    'completed by another call just before %s is that one file',
    async (command) => {
      const { fileUid, upload } = await ask()
      await post(upload, await pdf(['Text']))
      const others: unknown[] = []
      justBefore(command, async () => others.push(await File.complete(editor, { fileUid }, now)))

      const info = await File.complete(editor, { fileUid }, now)

      expect(others).toEqual([info])
    },
  )

  test('that cleanup begins to remove while it is completed is removed all the same', async () => {
    const { fileUid, upload } = await ask()
    await post(upload, await pdf(['Text']))
    const remove = { set: { file_state: 'removing' } }
    justBefore('CopyObjectCommand', () => Table.assign(key(2, fileUid), remove))

    await File.complete(editor, { fileUid }, now)

    expect(await File.load(2, fileUid)).toMatchObject({ state: 'removing' })
  })

  test.each([
    ['a size over the limit', { size: 20_971_521 }, 'file.tooLarge'],
    ['another format', { name: 'a.zip', mimeType: 'application/zip' }, 'file.unsupported'],
    ['another type', { mimeType: 'image/png' }, 'file.mismatch'],
  ])('is refused at once for %s', async (_, over, code) => {
    expect(await refusal(ask(over))).toMatchObject({ code })
  })

  test('of another user does not exist', async () => {
    const { fileUid, upload } = await ask()
    await post(upload, await pdf(['Text']))

    expect(await refusal(File.complete(actor({ uid: 3 }), { fileUid }, now))).toMatchObject({
      code: 'file.notFound',
    })
  })
})

describe('info', () => {
  test.each([
    ['a.txt', 'text/plain', async () => Buffer.from('<script>'), 'application/octet-stream'],
    ['a.png', 'image/png', () => image('png'), 'image/png'],
    ['a.pdf', 'application/pdf', () => pdf(['Text']), 'application/pdf'],
  ])('gives an address that downloads %s and never opens it', async (name, mimeType, make, type) => {
    const { fileUid } = await File.accept(
      editor,
      { name, mimeType, bytes: await make() },
      { formats, maxUnsent: null },
      now,
    )

    const { url, ...info } = await File.info(editor, fileUid)

    const query = new URL(url).searchParams
    expect(info).toMatchObject({ fileUid, name, mimeType })
    expect({
      type: query.get('response-content-type'),
      disposition: query.get('response-content-disposition'),
      seconds: query.get('X-Amz-Expires'),
    }).toEqual({
      type,
      disposition: `attachment; filename="${name}"; filename*=UTF-8''${name}`,
      seconds: '300',
    })
    expect((await fetch(url)).status).toBe(200)
  })

  test.each([
    ['a.pdf', () => pdf(['Text']), 'inline'],
    ['a.txt', async () => Buffer.from('<script>'), 'attachment'],
    ['a.png', () => image('png'), 'attachment'],
  ])('shows %s in the browser only if it is a PDF', async (name, make, kind) => {
    const bytes = await make()
    const { fileUid } = await File.accept(
      editor,
      { name, mimeType: '', bytes },
      { formats, maxUnsent: null },
      now,
    )

    const { url } = await File.info(editor, fileUid, true)

    const disposition = new URL(url).searchParams.get('response-content-disposition')
    expect(disposition).toBe(`${kind}; filename="${name}"; filename*=UTF-8''${name}`)
  })

  test("of another user's file is not found, for administrators too", async () => {
    const { fileUid } = await File.accept(editor, upload, { formats, maxUnsent: null }, now)

    const act = File.info(actor({ uid: 1, isAdmin: true }), fileUid)

    expect(await refusal(act)).toMatchObject({ code: 'file.notFound' })
  })
})
