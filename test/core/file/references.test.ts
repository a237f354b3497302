import { expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import * as File from '../../../core/file/file.ts'
import { formats } from '../../../core/file/format.ts'
import { extractKey, key } from '../../../core/file/item.ts'
import { claimWrites, releaseWrites } from '../../../core/file/references.ts'
import { due, remove } from '../../../core/file/removal.ts'
import * as Store from '../../../core/file/store.ts'
import { actor } from '../../support/actor.ts'

const start = Date.UTC(2026, 0, 1)
const hours = (count: number) => start + count * 3_600_000
let uid = 100

/** A file of a user who has no other, uploaded at the start. */
async function uploaded() {
  const owner = actor({ uid: ++uid })
  const bytes = Buffer.from(`Text of ${uid}`)
  const { fileUid } = await File.accept(
    owner,
    { name: 'a.txt', mimeType: '', bytes },
    { formats, maxUnsent: null },
    start,
  )
  const own = key(owner.uid, fileUid)
  const isDue = async (at: number) =>
    (await due(at, 100)).some(({ pk, sk }) => pk === own.pk && sk === own.sk)
  return { owner, fileUid, own, isDue }
}

test('a file that is never sent is due after a day', async () => {
  const { isDue } = await uploaded()

  expect([await isDue(hours(23)), await isDue(hours(24))]).toEqual([false, true])
})

test('an upload that is never completed is due after a day', async () => {
  const owner = actor({ uid: ++uid })
  const { fileUid } = await File.ask(
    owner,
    { name: 'a.txt', mimeType: '', size: 9 },
    { formats, maxUnsent: null },
    start,
  )

  expect(await due(hours(24), 100)).toContainEqual(key(owner.uid, fileUid))
})

test('a file that a conversation names is never due, until the last one lets it go', async () => {
  const { owner, fileUid, isDue } = await uploaded()
  const file = { fileUid }

  await Table.transact(claimWrites(owner, file, 'c1'))
  await Table.transact(claimWrites(owner, file, 'c2'))
  await Table.transact(claimWrites(owner, file, 'c2'))
  const named = await isDue(hours(999))
  await Table.transact(releaseWrites(owner.uid, [fileUid, fileUid], 'c1', hours(30)))
  const stillNamed = await isDue(hours(999))
  await Table.transact(releaseWrites(owner.uid, [fileUid], 'c2', hours(40)))

  expect([named, stillNamed, await isDue(hours(39)), await isDue(hours(40))]).toEqual([
    false,
    false,
    false,
    true,
  ])
})

test('a file named again by one conversation after another let it go is kept', async () => {
  const { owner, fileUid, own } = await uploaded()
  await Table.transact(claimWrites(owner, { fileUid }, 'c1'))
  await Table.transact(releaseWrites(owner.uid, [fileUid], 'c1', hours(1)))
  const waiting = await due(hours(2), 100)
  await Table.transact(claimWrites(owner, { fileUid }, 'c2'))

  expect(waiting).toContainEqual(own)
  expect(await remove(own, hours(2))).toBe(false)
  expect((await File.find(owner, fileUid)).conversations).toEqual(['c2'])
})

test('removal takes the object, the extracted text and the item, and only once', async () => {
  const { owner, fileUid, own } = await uploaded()
  const { objectKey, sha256 = '' } = await File.find(owner, fileUid)
  await Store.put(extractKey(sha256), '{}', { contentType: 'application/json' })

  const results = [await remove(own, hours(24)), await remove(own, hours(24))]

  expect(results).toEqual([true, false])
  expect([
    await Store.get(objectKey),
    await Store.get(extractKey(sha256)),
    await File.load(owner.uid, fileUid),
  ]).toEqual([undefined, undefined, undefined])
})

test('a removal that broke off is found and ended by the next', async () => {
  const { own } = await uploaded()
  await Table.assign(own, { set: { file_state: 'removing' } })

  expect(await due(hours(24), 100)).toContainEqual(own)
  expect(await remove(own, hours(24))).toBe(true)
})

test('a file on its way out can no longer be named', async () => {
  const { owner, fileUid, own } = await uploaded()
  await remove(own, hours(24))

  expect(await Table.transact(claimWrites(owner, { fileUid }, 'c1'))).toEqual({ done: false, failed: [0] })
})

test("no user can name another user's file", async () => {
  const { fileUid } = await uploaded()

  const result = await Table.transact(claimWrites(actor({ uid: ++uid }), { fileUid }, 'c1'))

  expect(result).toEqual({ done: false, failed: [0] })
})

test('letting go of a file that is gone leaves nothing behind after cleanup', async () => {
  await Table.transact(releaseWrites(++uid, [77], 'c1', start))
  const own = key(uid, 77)

  expect(await File.load(uid, 77)).toBeUndefined()
  expect(await due(start, 100)).toContainEqual(own)
  expect(await remove(own, start)).toBe(true)
  expect(await Table.get(own)).toBeUndefined()
})
