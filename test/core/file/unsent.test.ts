import { expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import * as File from '../../../core/file/file.ts'
import { formats } from '../../../core/file/format.ts'
import { key } from '../../../core/file/item.ts'
import { claimWrites } from '../../../core/file/references.ts'
import { remove } from '../../../core/file/removal.ts'
import { actor } from '../../support/actor.ts'

/** How many files a user may have that no message names. */

const now = Date.UTC(2026, 0, 1)
const rules = { formats, maxUnsent: 3 }
let uid = 900

const text = { name: 'a.txt', mimeType: 'text/plain', bytes: Buffer.from('Text') }
const someone = () => actor({ uid: ++uid })
const accept = (owner: ReturnType<typeof someone>) => File.accept(owner, text, rules, now)
const ask = (owner: ReturnType<typeof someone>) =>
  File.ask(owner, { name: 'a.txt', mimeType: 'text/plain', size: 4 }, rules, now)
const codeOf = (act: Promise<unknown>) =>
  act.then(
    () => 'taken',
    (error: { code?: string }) => error.code,
  )

test('the limit counts files from a form and announced ones alike, of each user apart', async () => {
  const owner = someone()
  await accept(owner)
  await ask(owner)
  await accept(owner)

  expect(await codeOf(accept(owner))).toBe('file.tooMany')
  expect(await codeOf(ask(owner))).toBe('file.tooMany')
  expect(await codeOf(accept(someone()))).toBe('taken')
})

test('of many uploads at once no more are taken than the limit says', async () => {
  const owner = someone()

  const codes = await Promise.all(Array.from({ length: 12 }, () => codeOf(accept(owner))))

  expect(codes.filter((code) => code === 'taken')).toHaveLength(3)
  expect(new Set(codes)).toEqual(new Set(['taken', 'file.tooMany']))
})

test('a message that names a file gives its place back, once', async () => {
  const owner = someone()
  const [first] = await Promise.all([accept(owner), accept(owner), accept(owner)])

  await Table.transact(claimWrites(owner, first, 'c1'))
  await Table.transact(claimWrites(owner, first, 'c2'))

  expect([await codeOf(accept(owner)), await codeOf(accept(owner))]).toEqual(['taken', 'file.tooMany'])
})

test('a file that cleanup removes gives its place back, whether it was stored or not', async () => {
  const owner = someone()
  const [stored, pending] = await Promise.all([accept(owner), ask(owner), ask(owner)])
  const tomorrow = now + 86_400_000

  expect(await remove(key(owner.uid, stored.fileUid), tomorrow)).toBe(true)
  expect(await remove(key(owner.uid, pending.fileUid), tomorrow)).toBe(true)

  const codes = [await codeOf(ask(owner)), await codeOf(ask(owner)), await codeOf(ask(owner))]
  expect(codes).toEqual(['taken', 'taken', 'file.tooMany'])
})

test('a file that is refused takes no place', async () => {
  const owner = someone()
  for (let n = 0; n < 5; n++)
    expect(await codeOf(File.accept(owner, { ...text, bytes: Buffer.alloc(0) }, rules, now))).toBe(
      'file.unreadable',
    )

  expect(await codeOf(accept(owner))).toBe('taken')
})

test('without a limit any number is taken', async () => {
  const owner = someone()
  const codes = await Promise.all(
    Array.from({ length: 5 }, () => codeOf(File.accept(owner, text, { formats, maxUnsent: null }, now))),
  )

  expect(codes).toEqual(Array(5).fill('taken'))
})
