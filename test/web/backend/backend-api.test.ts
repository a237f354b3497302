import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Api } from '../../../web/backend/backend-api.ts'

/** The user who is logged in in this browser; a new login brings a new token. */
let uid: number
let token: string
/** What the backend did, by path. */
let done: string[]
let api: Api
/** What the user does when a new login is asked for. */
let logInAgain: () => Promise<void>

const refused = (code: string) => Response.json({ error: { code, message: code } }, { status: 403 })

beforeEach(async () => {
  ;[uid, token, done] = [2, 'first', []]
  logInAgain = () => Promise.reject(new Error('Later'))
  vi.stubGlobal('fetch', async (path: string, { method, headers }: RequestInit) => {
    if (path === '/backend/session' || path === '/backend/login')
      return Response.json({ user: { uid }, csrfToken: token, mayChat: true })
    if (method === 'POST' && new Headers(headers).get('x-csrf-token') !== token)
      return refused('csrf.invalid')
    done.push(path)
    return Response.json({ path })
  })
  api = new Api(() => logInAgain())
  await api.session()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

function logIn(user: number): void {
  ;[uid, token] = [user, 'second']
}

test('after a new login in another tab, a record is saved', async () => {
  logIn(2)

  expect(await api.post('/records/content/1', {})).toEqual({ path: '/backend/records/content/1' })
})

test('after a new login in another tab, the user can log out', async () => {
  logIn(2)
  await api.logout()

  expect(done).toEqual(['/backend/logout'])
})

test('nothing is saved as another user who logged in in another tab', async () => {
  logIn(1)

  await expect(api.post('/records/content/1', {})).rejects.toThrow('csrf.invalid')
  expect(done).toEqual([])
})

test('what another login held up is saved once its user has logged in again', async () => {
  logIn(1)
  logInAgain = async () => {
    ;[uid, token] = [2, 'third']
    await api.login('editor', 'demo')
  }
  await api.post('/records/content/1', {})

  expect(done).toEqual(['/backend/records/content/1'])
})

test('a logout does not end the session of another user', async () => {
  logIn(1)
  await api.logout()

  expect(done).toEqual([])
})
