import { beforeAll, describe, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import { maxPictureBytes, type Picture } from '../../../core/cms/cms.ts'
import { look } from '../../../core/cms/picture.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import { encode } from '../../../core/cms/reference/item.ts'
import * as Store from '../../../core/file/store.ts'
import { seedPictures } from '../../../infra/local/seed/content.ts'
import { seededCms } from '../../support/cms.ts'
import { image, noise } from '../../support/documents.ts'

const now = Date.UTC(2026, 10, 20)
const { cms, table, editor, autorin, admin } = await seededCms(now)
/** The page of the board, which only administrators see. */
const board = 11

beforeAll(async () => {
  await seedPictures()
  const put = async (uid: number, pid: number, fields: Record<string, string>, bytes?: Uint8Array) => {
    await Table.put(encode(seedRow('media', uid, { pid, at: now }, { title: 'It', ...fields })), {}, table)
    if (bytes)
      await Store.put(`fileadmin/media/${fields.folder}/${fields.file}`, bytes, { contentType: 'image/png' })
  }
  const png = await image('png', 40, 20)
  await put(50, board, { file: 'secret.png', folder: 'board' }, png)
  await put(51, 1, { file: 'page.png', folder: 'odd' }, Buffer.from('<script>alert(1)</script>'))
  await put(52, 1, { file: 'huge.png', folder: 'odd' }, Buffer.alloc(maxPictureBytes + 1))
  await put(53, 1, { file: 'never-uploaded.png', folder: 'odd' })
  await put(54, 1, { file: 'named-wrongly.jpg', folder: 'odd' }, png)
})

describe('a picture of the reference CMS', () => {
  test('is seen with what its content says of it', async () => {
    const seen = { mimeType: 'image/jpeg', bytes: expect.any(Uint8Array), width: 640, height: 480 }

    expect(await look(cms, editor, 'media', 1)).toEqual(seen)
    expect(await look(cms, editor, 'media', 54)).toMatchObject({ mimeType: 'image/png', width: 40 })
  })

  test.each([
    ['of a page that the user may not see', 'media', 50, 'gone'],
    ['that is not there', 'media', 999, 'gone'],
    ['of a table that the user may not read', 'be_users', 1, 'gone'],
    ['of a record that is none', 'pages', 3, 'none'],
    ['whose content is none', 'media', 51, 'none'],
    ['of more bytes than may be sent', 'media', 52, 'tooLarge'],
    ['whose file is not there', 'media', 53, 'none'],
  ])('%s is %s [%i]: %s', async (_what, name, uid, reason) => {
    expect(await look(cms, editor, name, uid)).toBe(reason)
  })

  test('follows the rights of the page at the moment of the act', async () => {
    expect(await look(cms, admin, 'media', 50)).toMatchObject({ width: 40, height: 20 })
    expect(await look(cms, autorin, 'media', 50)).toBe('gone')
  })
})

describe('what a CMS answers as a picture', () => {
  const told = (picture: Picture | undefined) => look({ picture: async () => picture }, editor, 'media', 1)
  const there = (bytes: Uint8Array) => told({ state: 'there', base64: Buffer.from(bytes).toString('base64') })

  test.each(['png', 'jpeg', 'gif', 'webp'] as const)('is one where it is %s', async (format) => {
    expect(await there(await image(format, 30, 10))).toMatchObject({
      mimeType: `image/${format}`,
      width: 30,
      height: 10,
    })
  })

  test.each<[string, Uint8Array]>([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a page', Buffer.from('<!doctype html><title>Log in</title>')],
    ['a document', Buffer.from('%PDF-1.7\n')],
    ['nothing', Buffer.alloc(0)],
    ['the beginning of one', Buffer.from('89504e470d0a1a0a', 'hex')],
  ])('is none where it is %s', async (_what, bytes) => {
    expect(await there(bytes)).toBe('none')
  })

  test('is measured before it is looked at', async () => {
    const bytes = Buffer.concat([await noise('png', 8, 8), Buffer.alloc(maxPictureBytes)])

    expect(await there(bytes)).toBe('tooLarge')
  })
})
