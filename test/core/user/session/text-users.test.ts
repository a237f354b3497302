import { expect, test } from 'vitest'
import { CmsFailure } from '../../../../core/cms/cms.ts'
import { firstGiven } from '../../../../core/cms/user-number/schema.ts'
import * as UserNumber from '../../../../core/cms/user-number/user-number.ts'
import { endExchanged, exchange } from '../../../../core/user/session/exchange.ts'
import { bridged } from '../../../support/bridge.ts'
import { seededCms } from '../../../support/cms.ts'
import { exchanging, statement } from '../../../support/statement.ts'
import { textUser, withTextUsers } from '../../../support/text-users.ts'

/** Statements and sessions of a CMS elsewhere whose ids of users are texts. */

const now = Date.now()
const { cms } = await seededCms(now)
const texts = withTextUsers(cms)
const editor = textUser(2)

/** What the CMS says of the user. */
const said = (sub: string, more?: { sid?: string; use?: string }) => statement(sub, now, more)
const refused = { code: 'login.failed' }

test('first logins at the same time, in two processes, are one user with one number for ever', async () => {
  const processes = [bridged(texts).cms, bridged(texts).cms, bridged(texts).cms]
  const started = await Promise.all(
    processes.map(async (over) => exchange(over, exchanging, await said(editor), now)),
  )

  const uid = Number(await UserNumber.known(editor))
  expect(uid).toBeGreaterThanOrEqual(firstGiven)
  expect(started.map(({ user }) => user)).toEqual(
    processes.map(() => expect.objectContaining({ uid, username: 'editor' })),
  )
  // A process that starts later knows the user by the number alone.
  expect(await bridged(texts).cms.user(uid)).toMatchObject({ uid, username: 'editor' })
})

test('a text that reads as a number is never the user with that number, whatever the CMS answers', async () => {
  const { user } = cms
  for (const behind of [texts, { ...texts, user, userNamed: user as never }])
    for (const sub of ['2', '02', String(firstGiven), '0'])
      await expect(exchange(bridged(behind).cms, exchanging, await said(sub), now)).rejects.toMatchObject(
        refused,
      )
})

test('a CMS with numbers is asked for no text, and refuses the statement', async () => {
  const { cms: over, served } = bridged(cms)

  await expect(exchange(over, exchanging, await said(editor), now)).rejects.toMatchObject(refused)
  await expect(exchange(over, exchanging, await said(String(firstGiven)), now)).rejects.toMatchObject(refused)
  expect(served).toEqual(['capabilities'])
  expect((await exchange(over, exchanging, await said('2'), now)).user.uid).toBe(2)
})

test('a CMS whose ids became texts knows no user of an earlier number', async () => {
  const { cms: over } = bridged(texts)

  expect([await over.user(2), await over.opening(2, 0)]).toEqual([undefined, undefined])
})

test('a text without a user gets no number, and a number without a text is no user', async () => {
  const { cms: over, served } = bridged(texts)

  await expect(exchange(over, exchanging, await said('person-99'), now)).rejects.toMatchObject(refused)
  expect(await UserNumber.known('person-99')).toBeUndefined()
  const before = served.length
  expect([await over.user(firstGiven), await over.opening(firstGiven, 3)]).toEqual([undefined, undefined])
  expect(served.length).toBe(before)
})

test('an id in another form than the CMS has is a fault with a sentence, and logs no user in', async () => {
  const admin = await cms.user(1)
  const other = bridged({ ...texts, userNamed: async () => admin }, (answer) =>
    answer.replace('person-1', 'Person-1'),
  )

  const failure = await exchange(other.cms, exchanging, await said('person-1'), now).catch((it) => it)

  expect(failure).toBeInstanceOf(CmsFailure)
  expect(failure.message).toContain('answers for another user than person-1')
})

test('a logout ends what began in it, also before the user had a number', async () => {
  const early = await said(textUser(3), { sid: 'one' })
  expect(await UserNumber.known(textUser(3))).toBeUndefined()

  await endExchanged(exchanging, await said(textUser(3), { sid: 'one', use: 'end' }), now)

  expect(await UserNumber.known(textUser(3))).toBeUndefined()
  const { cms: over } = bridged(texts)
  await expect(exchange(over, exchanging, early, now)).rejects.toMatchObject(refused)
  const other = await exchange(over, exchanging, await said(textUser(3), { sid: 'two' }), now)
  expect(other.user.uid).toBe(await UserNumber.known(textUser(3)))
})
