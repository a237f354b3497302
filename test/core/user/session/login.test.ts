import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import type { Clock } from '../../../../core/base/clock.ts'
import { VisibleError } from '../../../../core/base/error.ts'
import { type Authenticate, login, loginLimits, windowMs } from '../../../../core/user/session/login.ts'
import * as Session from '../../../../core/user/session/session.ts'
import * as Token from '../../../../core/user/session/token.ts'

const now = Date.UTC(2026, 0, 15, 12)
const editor = { uid: 2, username: 'editor', name: 'Edda', isAdmin: false, groups: [1], lang: 'en' }
const authenticate: Authenticate = async (_, password) => (password === 'demo' ? editor : undefined)

test('the right password starts a session that its token names', async () => {
  const { user, token, csrfToken } = await attempt('demo')

  const name = Token.verify(token)
  const row = name && (await Table.get(Session.key(name)))
  expect(user).toEqual(editor)
  expect(Session.check(row, token, now)).toMatchObject({ uid: 2, createdAt: now })
  expect(csrfToken).toBe(Token.csrf(name?.sid ?? ''))
})

test('a wrong password says that the log-in failed, and no more', async () => {
  await expect(attempt('wrong')).rejects.toMatchObject({ code: 'login.failed', fields: undefined })
})

test('after ten failures from one address the right password is refused too, until the window ends', async () => {
  const address = randomUUID()
  for (let n = 0; n < loginLimits.user; n++) expect(await outcome('wrong', { address })).toBe('login.failed')

  await expect(attempt('demo', { address, at: now + 1_000 })).rejects.toMatchObject({
    code: 'login.throttled',
    retryAfterMs: windowMs - 1_000,
  })
  expect(await outcome('demo', { address: randomUUID() })).toBe('in')
  expect(await outcome('demo', { address, username: 'admin' })).toBe('in')
  expect(await outcome('demo', { address, at: now + windowMs })).toBe('in')
})

test.each([
  ['the addresses of one /64 count as one', '2001:db8:1:2::%', '2001:db8:1:2:ffff::1', 'login.throttled'],
  ['another /64 is another source', '2001:db8:1:3::%', '2001:db8:1:4::1', 'in'],
  [
    'an address counts as one in every form of it',
    '2001:0DB8:0:5::%',
    '2001:db8:0:5:0:0:0:1%eth0',
    'login.throttled',
  ],
  ['an IPv4 address counts as itself within IPv6', '::ffff:192.0.2.1', '192.0.2.1', 'login.throttled'],
  ['another IPv4 address within IPv6 is another source', '::ffff:192.0.2.2', '::ffff:192.0.2.3', 'in'],
])('%s', async (_, failing, address, expected) => {
  for (let n = 0; n < loginLimits.user; n++)
    await outcome('wrong', { address: failing.replace('%', String(n + 2)) })

  expect(await outcome('demo', { address })).toBe(expected)
})

test('the name counts as one however it is typed', async () => {
  const address = randomUUID()
  for (let n = 0; n < loginLimits.user; n++)
    await outcome('wrong', { address, username: ['editor', 'Editor ', 'ｅｄｉｔｏｒ'][n % 3] as string })

  expect(await outcome('demo', { address })).toBe('login.throttled')
})

test('a success resets the count of the user', async () => {
  const address = randomUUID()
  for (let n = 1; n < loginLimits.user; n++) await outcome('wrong', { address })
  expect(await outcome('demo', { address })).toBe('in')

  expect(await outcome('wrong', { address })).toBe('login.failed')
  expect(await outcome('demo', { address })).toBe('in')
})

test('after fifty failures of anybody the address is refused', async () => {
  const address = randomUUID()
  for (let n = 0; n < loginLimits.address; n++)
    expect(await outcome('wrong', { address, username: `user-${n}` })).toBe('login.failed')

  expect(await outcome('demo', { address })).toBe('login.throttled')
})

test('a try that is refused for its address alone does not count for the user', async () => {
  const address = randomUUID()
  for (let n = 0; n < loginLimits.address; n++) await outcome('wrong', { address, username: `user-${n}` })
  const at = now + windowMs - 1
  for (let n = 0; n < loginLimits.user; n++)
    expect(await outcome('demo', { address, at })).toBe('login.throttled')

  expect(await outcome('demo', { address, at: now + windowMs })).toBe('in')
})

test('guesses made at once get no more tries than guesses one by one', async () => {
  const address = randomUUID()
  let looks = 0
  const slow: Authenticate = async (username, password, at) => {
    looks++
    return authenticate(username, password, at)
  }

  const ends = await Promise.all(
    Array.from({ length: 30 }, () => outcome('wrong', { address, authenticate: slow })),
  )

  expect(looks).toBe(loginLimits.user)
  expect(ends.filter((end) => end === 'login.throttled')).toHaveLength(20)
})

test('many right log-ins at once are all let in', async () => {
  const address = randomUUID()

  const ends = await Promise.all(Array.from({ length: 25 }, () => outcome('demo', { address })))

  expect(new Set(ends)).toEqual(new Set(['in']))
})

test('right log-ins one after the other are all let in, more of them than an address has failures', async () => {
  const address = randomUUID()
  let at = now
  const sleep = async (ms: number) => {
    at += ms
  }
  const clock: Clock = { now: () => at, sleep }
  const ends: string[] = []

  for (let n = 0; n <= loginLimits.address; n++) ends.push(await outcome('demo', { address, clock }))

  expect(new Set(ends)).toEqual(new Set(['in']))
})

test('an attempt waits five seconds for others that are under way, then it is refused', async () => {
  const address = randomUUID()
  const looking = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<undefined>()
  let looks = 0
  const silent: Authenticate = () => {
    looks += 1
    if (looks === loginLimits.user) looking.resolve()
    return answered.promise
  }
  const others = Array.from({ length: loginLimits.user }, () =>
    outcome('wrong', { address, authenticate: silent }),
  )
  await looking.promise
  let slept = 0
  const sleep = async (ms: number) => {
    slept += ms
  }
  const clock: Clock = { now: () => now + slept, sleep }

  expect(await outcome('demo', { address, clock })).toBe('login.throttled')

  expect(slept).toBeGreaterThanOrEqual(5_000)
  answered.resolve(undefined)
  expect(new Set(await Promise.all(others))).toEqual(new Set(['login.failed']))
})

test('an attempt that the CMS could not answer does not count', async () => {
  const address = randomUUID()
  const broken: Authenticate = () => Promise.reject(new VisibleError('service.unavailable'))
  for (let n = 0; n < loginLimits.user; n++)
    expect(await outcome('demo', { address, authenticate: broken })).toBe('service.unavailable')

  expect(await outcome('demo', { address })).toBe('in')
})

type Options = {
  address?: string
  username?: string
  at?: number
  clock?: Clock
  authenticate?: Authenticate
}

function attempt(password: string, options: Options = {}) {
  const credentials = { username: options.username ?? 'editor', password }
  return login(
    options.authenticate ?? authenticate,
    credentials,
    options.address ?? randomUUID(),
    options.clock ?? standing(options.at),
  )
}

/** A clock that stands: who sleeps lets the others go on. */
const standing = (at = now): Clock => ({ now: () => at, sleep: () => setImmediate() })

async function outcome(password: string, options: Options): Promise<string> {
  try {
    await attempt(password, options)
    return 'in'
  } catch (error) {
    if (error instanceof VisibleError) return error.code
    throw error
  }
}
