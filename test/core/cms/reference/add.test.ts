import { expect, test } from 'vitest'
import { loadLanguage } from '../../../../core/base/language.ts'
import { add } from '../../../../core/cms/reference/put.ts'
import { seededCms } from '../../../support/cms.ts'

await loadLanguage('de')

const now = Date.parse('2026-05-01T12:00:00Z')
const { table, cms, editor, autorin } = await seededCms(now)

test('a record made by hand is hidden, comes last on its page, and has an entry in its history', async () => {
  const before = (await cms.pageContent(editor, { uid: 3 })) ?? []

  const made = await add(table, editor, { table: 'content', pid: 3, fields: { type: 'text' } }, now)

  const uid = made.state === 'done' ? made.uid : 0
  expect(await cms.record(editor, { table: 'content', uid })).toMatchObject({
    pid: 3,
    hidden: true,
    fields: { type: 'text' },
  })
  expect(
    (await cms.pageContent(editor, { uid: 3 }))?.filter(({ language }) => language === 0).at(-1)?.uid,
  ).toBe(uid)
  expect(before.map((element) => element.uid)).not.toContain(uid)
  expect(await cms.history(editor, { table: 'content', uid, limit: 5 })).toMatchObject([
    { user: 'editor', action: 'add', correlationId: null },
  ])
})

test('no user makes one without the right, and the refusal is in their language', async () => {
  await expect(
    add(table, autorin, { table: 'content', pid: 3, fields: { type: 'text' } }, now),
  ).rejects.toMatchObject({
    code: 'record.notAllowed',
    fields: { record: expect.stringContaining('Gruppen') },
  })
})

test('a value that does not hold is named', async () => {
  await expect(
    add(table, editor, { table: 'content', pid: 3, fields: { type: 'video' } }, now),
  ).rejects.toMatchObject({ code: 'request.invalid', fields: { type: expect.any(String) } })
})
