import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import { firstGiven, userIdIn } from '../../../../core/cms/user-number/schema.ts'
import * as UserNumber from '../../../../core/cms/user-number/user-number.ts'
import { codec, firstChoice, key, nextChoice } from '../../../../core/cms/user-number/user-number.ts'

const store = (uid: number, row: Table.Row) => Table.put({ ...key(uid), ...row })

test('a text has one number for ever, and the number has the text', async () => {
  const id = randomUUID()
  expect(await UserNumber.known(id)).toBeUndefined()

  const uid = await UserNumber.numberOf(id)

  expect([await UserNumber.numberOf(id), await UserNumber.known(id)]).toEqual([uid, uid])
  expect(await UserNumber.textOf(Number(uid))).toBe(id)
  expect([Number.isSafeInteger(uid), Number(uid) >= firstGiven]).toEqual([true, true])
})

test('logins at the same time give one text one number', async () => {
  const id = randomUUID()

  const uids = await Promise.all(Array.from({ length: 8 }, () => UserNumber.numberOf(id)))

  expect(new Set(uids)).toEqual(new Set([firstChoice(id)]))
})

test('a text whose number another one has gets the next', async () => {
  const [id, taker] = [randomUUID(), randomUUID()]
  const first = firstChoice(id)
  await store(first, codec.encode({ id: taker }))

  expect(await UserNumber.numberOf(id)).toBe(nextChoice(first))
  expect(await UserNumber.textOf(first)).toBe(taker)
  expect(await UserNumber.numbered([{ uid: id, name: 'One' }])).toEqual([
    { uid: nextChoice(first), name: 'One' },
  ])
})

test('a number is not given again after its text was forgotten', async () => {
  const id = randomUUID()
  const before = Number(await UserNumber.numberOf(id))

  expect([await UserNumber.forget(before), await UserNumber.forget(before)]).toEqual([true, false])

  expect([await UserNumber.textOf(before), await UserNumber.known(id)]).toEqual([undefined, undefined])
  expect(await UserNumber.numberOf(id)).toBe(nextChoice(before))
})

test('a number that the CMS has itself is forgotten by none, and stays as it is', async () => {
  expect(await UserNumber.forget(7)).toBe(false)
  expect(await UserNumber.textOf(7)).toBeUndefined()
  expect(await UserNumber.numbered([{ uid: 7 }, { uid: randomUUID() }])).toEqual([{ uid: 7 }])
})

test('a row that cannot be read is no user, and gives the text no other number', async () => {
  const id = randomUUID()
  const uid = Number(await UserNumber.numberOf(id))
  await store(uid, { cms_user: null })

  expect([await UserNumber.numberOf(id), await UserNumber.textOf(uid)]).toEqual([undefined, undefined])
})

test('the last number is followed by the first', () => {
  expect(nextChoice(Number.MAX_SAFE_INTEGER)).toBe(firstGiven)
})

test.each<[text: string, id: string | number | undefined]>([
  ['7', 7],
  ['8999999999999999', 8_999_999_999_999_999],
  [String(firstGiven), undefined],
  ['9007199254740993', undefined],
  ['0', undefined],
  ['007', undefined],
  ['', undefined],
  ['a b', undefined],
  ['anna\n7', undefined],
  ['anna@example.com', undefined],
  ['.hidden', undefined],
  ['x'.repeat(129), undefined],
  ['12345678901234567', '12345678901234567'],
  ['507199254740993125071992', '507199254740993125071992'],
  ['7d1fa3c0-0000-4000-8000-000000000007', '7d1fa3c0-0000-4000-8000-000000000007'],
  ['7e0', '7e0'],
  ['-7', '-7'],
  ['x'.repeat(128), 'x'.repeat(128)],
])('%j names the user %j', (text, id) => {
  expect(userIdIn(text)).toBe(id)
})
