import { expect, test } from 'vitest'
import * as File from '../../../core/file/file.ts'
import { formats } from '../../../core/file/format.ts'
import { list } from '../../../core/file/site-files.ts'
import * as Store from '../../../core/file/store.ts'
import { actor } from '../../support/actor.ts'

const editor = actor({ uid: 2 })

test('a user finds their own files, newest first, and no others', async () => {
  const add = (uid: number, name: string, at: number) =>
    File.accept(
      actor({ uid }),
      { name, mimeType: '', bytes: Buffer.from('Text') },
      { formats, maxUnsent: null },
      at,
    )
  const [old, young] = [await add(2, 'old.txt', 1_000), await add(2, 'young.txt', 2_000)]
  await add(3, 'other.txt', 3_000)
  await File.ask(editor, { name: 'pending.txt', mimeType: '', size: 1 }, { formats, maxUnsent: null }, 4_000)

  const files = [young, old].map(({ fileUid, name }) => ({
    uid: fileUid,
    name,
    mimeType: 'text/plain',
    size: 4,
    folder: 'fileadmin/ai-chat/2/',
  }))
  expect(await list(editor, undefined)).toEqual(files)
  expect(await list(editor, '/fileadmin/ai-chat/2')).toEqual(files)
})

test('public folders are open to everybody', async () => {
  await Store.put('fileadmin/public/press/logo.png', 'x', { contentType: 'image/png' })

  expect(await list(editor, 'fileadmin/public/press')).toEqual([
    { uid: 0, name: 'logo.png', mimeType: 'image/png', size: 1, folder: 'fileadmin/public/press/' },
  ])
})

test.each([
  'fileadmin/ai-chat/3',
  'fileadmin',
  'pending/2',
  'fileadmin/public/../ai-chat/3',
  'cache/extract',
])('folder %s is not there for a user', async (folder) => {
  expect(await list(editor, folder)).toBeUndefined()
})
