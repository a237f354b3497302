import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import { endExchanged, exchange } from '../../../../core/user/session/exchange.ts'
import { embeddedMs } from '../../../../core/user/session/exchanged.ts'
import * as Session from '../../../../core/user/session/session.ts'
import * as Token from '../../../../core/user/session/token.ts'
import { userKey, userKeyId } from '../../../../core/user/session/user-key.ts'

const key = 'an exchange key of at least 32 bytes'
process.env.AI_CHAT_SECRET_CMS_KEY = key

const now = Date.UTC(2026, 0, 15, 12)
const settings = { issuer: 'cms', audience: 'chat', key: 'cms_key' }
const editor = { uid: 2, username: 'editor', name: 'Edda', isAdmin: false, groups: [1], lang: 'en' }
const cms = { userNamed: async (id: string) => (id === '2' ? editor : undefined) }

test('a token of the CMS starts a session with the rights that the CMS tells', async () => {
  const { user, token } = await exchange(cms, settings, await foreign(), now)

  expect(user).toEqual(editor)
  expect(Token.verify(token)).toMatchObject({ uid: 2 })
})

test('a token is good for one session', async () => {
  const token = await foreign()
  await exchange(cms, settings, token, now)

  await expect(exchange(cms, settings, token, now)).rejects.toMatchObject({
    code: 'login.failed',
    cause: 'its jti came before: a statement is good for once',
  })
})

test.each<[string, Parameters<typeof foreign>[0], string]>([
  [
    'signed with another key',
    { key: 'another key that is just as long as it' },
    'another key signed it than the exchange key of the stage',
  ],
  [
    'of another issuer',
    { issuer: 'elsewhere' },
    'iss is not the issuer in the settings of the stage; with a pairing it is the id of the key',
  ],
  [
    'for another audience',
    { audience: 'elsewhere' },
    'aud is not the audience in the settings of the stage; with a pairing it is ai-chat',
  ],
  ['without an end', { exp: undefined }, 'exp is not a number of seconds'],
  ['without an id', { jti: undefined }, 'jti is not a text of 1 to 255 characters'],
  ['of an unknown user', { sub: '99' }, 'sub is no user of the CMS, or one who may not log in now'],
  ['of another kind of user', { sub: 'editor' }, 'sub is no user of the CMS, or one who may not log in now'],
  ['whose subject is no id', { sub: 'an editor' }, 'sub is not the id of a user, as a text or a number'],
])('a token %s is refused, and the operator can read why', async (_, options, cause) => {
  await expect(exchange(cms, settings, await foreign(options), now)).rejects.toMatchObject({
    code: 'login.failed',
    cause,
  })
})

test('a token without signature is refused', async () => {
  const [, payload] = (await foreign()).split('.')
  const header = Buffer.from('{"alg":"none"}').toString('base64url')

  await expect(exchange(cms, settings, `${header}.${payload}.`, now)).rejects.toMatchObject({
    code: 'login.failed',
    cause: 'its algorithm is not HS256',
  })
  await expect(exchange(cms, settings, 'no token', now)).rejects.toMatchObject({ cause: 'it is no JWT' })
})

test('a stage that trusts no other CMS refuses every token', async () => {
  await expect(exchange(cms, null, await foreign(), now)).rejects.toMatchObject({ code: 'login.failed' })
})

const anHour = 60 * 60_000
const lives = async (token: string, at = now) => {
  const name = Token.verify(token)
  if (!name) return false
  return Session.check(await Table.get(Session.key(name)), token, at) !== undefined
}

test('a session of a page elsewhere lasts as long as such a page has it', async () => {
  const { token } = await exchange(cms, settings, await foreign(), now, true)

  expect(await lives(token, now + embeddedMs - 1)).toBe(true)
  expect(await lives(token, now + embeddedMs)).toBe(false)
})

test('the end of a session of the CMS ends those that began in it, and no other', async () => {
  const [mine, again, other, unnamed] = await Promise.all(
    ['one', 'one', 'two', undefined].map(async (sid) => exchange(cms, settings, await foreign({ sid }), now)),
  )

  await endExchanged(settings, await foreign({ sid: 'one', use: 'end' }), now)

  const alive = await Promise.all([mine, again, other, unnamed].map((started) => lives(started?.token ?? '')))
  expect(alive).toEqual([false, false, true, true])
})

test.each([
  ['behind', -119],
  ['ahead', 180],
])('a statement of a CMS whose clock is %s by up to two minutes is taken, once', async (_, exp) => {
  const token = await foreign({ exp })

  expect((await exchange(cms, settings, token, now)).user.uid).toBe(2)
  await expect(exchange(cms, settings, token, now)).rejects.toMatchObject({ code: 'login.failed' })
})

test.each([
  [-121, 'exp was 121 s ago by the clock of the stage: compare it with that of the CMS'],
  [181, 'exp is 181 s ahead, at most 60 s are allowed, and 120 s for clocks that differ'],
])('where the clocks differ by more, with exp at %i s, user and operator are told so', async (exp, cause) => {
  await expect(exchange(cms, settings, await foreign({ exp }), now)).rejects.toMatchObject({
    code: 'login.clock',
    cause,
  })
})

test('the subject may be a number', async () => {
  const { user } = await exchange(cms, settings, await foreign({ sub: 2 }), now)

  expect(user.uid).toBe(2)
})

test('a statement that was made before the end begins nothing after it', async () => {
  const early = await foreign({ sid: 'ended' })
  await endExchanged(settings, await foreign({ sid: 'ended', use: 'end' }), now)

  await expect(exchange(cms, settings, early, now + 1)).rejects.toMatchObject({
    code: 'login.failed',
    cause: 'its sid is of a session that the CMS has ended',
  })
})

test('an end that names no session ends all that began by exchange, and a login by password goes on', async () => {
  const [first, second] = await Promise.all(
    ['a', undefined].map(async (sid) => exchange(cms, settings, await foreign({ sid }), now)),
  )
  const byPassword = await Session.start(2, now, anHour)

  await endExchanged(settings, await foreign({ use: 'end' }), now)

  const alive = await Promise.all([first, second, byPassword].map((one) => lives(one?.token ?? '')))
  expect(alive).toEqual([false, false, true])
})

test('a statement is good for the use that it names alone', async () => {
  const ending = await foreign({ use: 'end' })
  const beginning = await foreign()

  await expect(exchange(cms, settings, ending, now)).rejects.toMatchObject({
    code: 'login.failed',
    cause: 'its use is end, which begins no session',
  })
  await expect(endExchanged(settings, beginning, now)).rejects.toMatchObject({
    code: 'login.failed',
    cause: 'it has no use: end',
  })
})

type Options = {
  kid?: string
  sid?: string | undefined
  use?: string
  key?: string
  issuer?: string
  audience?: string
  exp?: number | undefined
  sub?: string | number
  jti?: string | undefined
}

function foreign(options: Options = {}): Promise<string> {
  const { issuer = 'cms', audience = 'chat', sub = '2' } = options
  const exp = 'exp' in options ? options.exp : 60
  const jti = 'jti' in options ? options.jti : randomUUID()
  const { sid, use } = options
  const ends = exp === undefined ? {} : { exp: now / 1000 + exp }
  const claims = { iss: issuer, aud: audience, sub: sub as string, ...ends }
  return new SignJWT({ ...claims, ...(jti && { jti }), ...(sid && { sid }), ...(use && { use }) })
    .setProtectedHeader({ alg: 'HS256', ...(options.kid && { kid: options.kid }) })
    .sign(new TextEncoder().encode(options.key ?? key))
}

describe('the key of one user', () => {
  const own = { key: userKey(key, '2'), kid: userKeyId }

  test('starts a session of that user', async () => {
    const { user } = await exchange(cms, settings, await foreign(own), now)

    expect(user).toEqual(editor)
  })

  test.each([
    ['of another user', { ...own, sub: '1' }],
    ['without its name', { key: own.key }],
    ['that has the exchange key, under its name', { kid: userKeyId }],
  ])('opens no statement %s', async (_, options) => {
    await expect(exchange(cms, settings, await foreign(options), now)).rejects.toMatchObject({
      code: 'login.failed',
      cause: 'another key signed it than the exchange key of the stage',
    })
  })
})

test('a key of less than 32 bytes verifies nothing, and the error names the secret alone', async () => {
  process.env.AI_CHAT_SECRET_SHORT_KEY = 'abc'
  const token = await foreign({ key: 'abc' })

  await expect(exchange(cms, { ...settings, key: 'short_key' }, token, now)).rejects.toThrow(
    'The exchange key short_key is shorter than 32 bytes',
  )
})
