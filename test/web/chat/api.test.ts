import { afterEach, expect, test, vi } from 'vitest'
import { Api } from '../../../web/chat/api.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('only a request that changes something carries the CSRF token, so a redirected download needs no preflight', async () => {
  const sent: [string, string, string | null][] = []
  vi.stubGlobal('fetch', async (url: string, { method, headers }: RequestInit) => {
    sent.push([`${method}`, new URL(url).pathname, new Headers(headers).get('x-csrf-token')])
    return Response.json({ user: { uid: 2 }, csrfToken: 'token' })
  })
  const api = new Api('https://chat.example', false)

  await api.session()
  await api.get('/status')
  await api.post('/conversations/create', {})
  await api.download('/conversations/export', {})

  expect(sent).toEqual([
    ['GET', '/backend/session', null],
    ['GET', '/ai-chat/status', null],
    ['POST', '/ai-chat/conversations/create', 'token'],
    ['GET', '/ai-chat/conversations/export', null],
  ])
})
