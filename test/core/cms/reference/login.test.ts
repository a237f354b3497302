import { describe, expect, test } from 'vitest'
import { authenticate, hashPassword, verifyPassword } from '../../../../core/cms/reference/login.ts'
import { seededCms } from '../../../support/cms.ts'
import { makeChange } from '../../../support/put.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const { table, cms, admin, editor } = await seededCms(now)

const newest = async () =>
  (await cms.log(admin, { level: 'debug', limit: 1 })).map(({ level, component, message, user }) => [
    level,
    component,
    message,
    user,
  ])

describe('a password', () => {
  test('is known by its hash, and no other is', async () => {
    const stored = await hashPassword('correct horse')

    expect(stored).not.toContain('correct')
    expect(
      await Promise.all(['correct horse', 'correct hors', ''].map((word) => verifyPassword(word, stored))),
    ).toEqual([true, false, false])
  })

  test('has another hash each time', async () => {
    expect(await hashPassword('a')).not.toBe(await hashPassword('a'))
  })

  test.each([undefined, '', 'demo', 'md5$1$2$3$abc$def'])('is wrong for %s', async (stored) => {
    expect(await verifyPassword('demo', stored)).toBe(false)
  })
})

describe('a login', () => {
  test('tells who it is, whatever the case of the name, and is remembered', async () => {
    const before = await cms.record(admin, { table: 'be_users', uid: 2 })

    expect(await authenticate(table, ' Editor ', 'demo', now)).toEqual(editor)
    expect(await newest()).toEqual([['info', 'login', 'User editor logged in', 'editor']])
    const after = await cms.record(admin, { table: 'be_users', uid: 2 })
    expect(after?.fields.lastlogin).toBe(new Date(now).toISOString())
    expect(after?.version).toBe(before?.version)
  })

  test('with a wrong password is refused and logged', async () => {
    expect(await authenticate(table, 'editor', 'Demo', now)).toBeUndefined()
    expect(await newest()).toEqual([['warning', 'login', 'Failed login of editor', 'editor']])
  })

  test('of an unknown name is refused, and the name is not logged', async () => {
    expect(await authenticate(table, 'my-secret-password', 'demo', now)).toBeUndefined()
    expect(await newest()).toEqual([['warning', 'login', 'Failed login of an unknown user', null]])
  })

  test('of a disabled user is refused with the right password', async () => {
    const options = { key: 'k', correlationId: 'r', versions: [], now }
    await makeChange(cms, admin, { table: 'be_users', uid: 4, fields: { disable: true } }, options)

    expect(await authenticate(table, 'guest', 'demo', now)).toBeUndefined()
    expect(await newest()).toEqual([
      ['warning', 'login', 'Failed login of guest, who is not active', 'guest'],
    ])
  })
})
