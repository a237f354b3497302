import * as Session from '../../core/user/session/session.ts'
import { routes as backend } from '../../functions/backend.ts'
import { http } from '../../functions/http/http.ts'
import type { Definition, Event } from '../../functions/http/route.ts'
import { type Route, routes } from '../../functions/http/routes.ts'
import { type Answered, answered, type Call, call, event } from '../support/call.ts'
import { chatRoutes } from '../support/chat-routes.ts'
import { type Bench, startBench } from '../support/live.ts'

/** The whole service in one handler, for tests that go through every route of the card. */
export type Service = Awaited<ReturnType<typeof startService>>

/** How each route of the card is answered. */
export const definitions: Record<string, Definition> = { ...backend, ...chatRoutes }

/** The body of an error. */
export type Refusal = { error: { code: string; message: string; requestId: string } }

/** The body of an error where a program calls by JSON-RPC. */
export type RpcRefusal = { error: { code: number; message: string; data: { code: string } } }

/** The code of the contract, from either body. */
export const codeOf = (error: (Refusal | RpcRefusal)['error']): string =>
  'data' in error ? error.data.code : error.code

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`

/** The routes of the card by name, for tables of tests. */
export const named = routes.map((route) => ({ name: nameOf(route), route }))

/** Starts the service over the seeded site; sessions of its users are made at once. */
export async function startService(bench?: Bench) {
  const own = bench ?? (await startBench({ accessTokens: { trustZone: 'internal' } }))
  const handler = http(definitions, () => own.live)
  return {
    bench: own,
    /** A token and its CSRF token, of a session that began so many milliseconds ago. */
    session: (uid: number, agoMs = 0) => Session.start(uid, own.clock.now() - agoMs),
    ask: <T = Refusal>(
      route: Route,
      options: Call & { path?: string; query?: object } = {},
    ): Promise<Answered<T>> => {
      const { path = route.path, query, ...rest } = options
      const search = query ? `?${new URLSearchParams(query as Record<string, string>)}` : ''
      const body = route.method === 'POST' && !rest.form ? { body: rest.body ?? {} } : {}
      return call<T>(handler, `${path}${search}`, { method: route.method, ...rest, ...body })
    },
    /** Sends an event with parts that no browser would make. */
    raw: async (route: Route, options: Call & { path: string }, over: Partial<Event>) => {
      const { path, ...rest } = options
      const plain = event(path, { method: route.method, ...rest })
      return answered<unknown>(await handler({ ...plain, ...over }, {} as never))
    },
  }
}

/** A right request of each route for a conversation, a file and a run: what remains to be refused is who asks. */
export function rightRequest(
  { method, path }: Route,
  { conversationId, fileUid }: { conversationId: string; fileUid: number },
): Call & { path?: string; query?: object } {
  const digest = 'a digest'
  const inputs: Record<string, object> = {
    'GET /ai-chat/status': {},
    'GET /ai-chat/conversations': {},
    'GET /ai-chat/mentions': {},
    'GET /ai-chat/prompts': {},
    'GET /ai-chat/instructions': {},
    'POST /ai-chat/instructions': { text: 'Be brief.' },
    'POST /ai-chat/prompts/save': { title: 'A title', text: 'A text' },
    'POST /ai-chat/prompts/delete': { id: '01kag8zq4c9w3v5n7x1r2s6t8y' },
    'GET /ai-chat/conversations/messages': { conversationId },
    'GET /ai-chat/conversations/export': { conversationId },
    'GET /ai-chat/file-info': { fileUid: String(fileUid) },
    'GET /ai-chat/picture': { table: 'media', uid: '1' },
    'POST /ai-chat/conversations/create': {},
    'POST /ai-chat/conversations/send': { conversationId, content: 'Hello' },
    'POST /ai-chat/conversations/next': { act: 'add', conversationId, content: 'Hello' },
    'POST /ai-chat/conversations/edit': { conversationId, sequence: 0, content: 'B', expectedContent: 'A' },
    'POST /ai-chat/conversations/retry': { conversationId },
    'POST /ai-chat/conversations/approve': { conversationId, digest, approve: true },
    'POST /ai-chat/conversations/answer': { conversationId, digest, choices: [0], text: 'Blue' },
    'POST /ai-chat/conversations/amend': {
      conversationId,
      digest,
      callId: 'a call',
      field: 'title',
      value: 'A title',
    },
    'POST /ai-chat/conversations/cancel': { conversationId },
    'POST /ai-chat/conversations/system-prompt': { conversationId, systemPrompt: 'Be brief.' },
    'POST /ai-chat/conversations/rename': { conversationId, title: 'A title' },
    'POST /ai-chat/conversations/version': { conversationId, sequence: 0, version: 1 },
    'POST /ai-chat/conversations/pin': { conversationId, pinned: true },
    'POST /ai-chat/conversations/archive': { conversationId, archived: false },
    'POST /ai-chat/conversations/delete': { conversationId, deleted: false },
    'POST /ai-chat/conversations/undo': { conversationId, runId: 'no-run' },
    'GET /ai-chat/conversations/feedback': { conversationId, runId: 'no-run' },
    'POST /ai-chat/conversations/feedback': { conversationId, runId: 'no-run', verdict: 'helpful' },
    'GET /ai-chat/connections': {},
    'POST /ai-chat/connections/begin': { server: 'shop' },
    'GET /ai-chat/connections/callback': { state: `1.${'a'.repeat(32)}`, code: 'a-code' },
    'POST /ai-chat/connections/token': { server: 'shop', token: 'a-token' },
    'POST /ai-chat/connections/disconnect': { server: 'shop' },
    'GET /ai-chat/access-tokens': {},
    'POST /ai-chat/access-tokens/create': { name: 'Laptop' },
    'POST /ai-chat/access-tokens/revoke': { id: '0123456789abcdef' },
    'GET /ai-chat/oauth/authorize': { client_id: 'v1.a-client', redirect_uri: 'http://127.0.0.1/' },
    'POST /ai-chat/oauth/authorize': { client_id: 'v1.a-client', decision: 'deny' },
    'POST /ai-chat/oauth/ticket': {},
    'GET /ai-chat/oauth/enter': { ticket: `2.${'a'.repeat(32)}` },
    'POST /ai-chat/oauth/token': { grant_type: 'refresh_token', client_id: 'a', refresh_token: 'b' },
    'POST /ai-chat/oauth/register': { redirect_uris: ['http://127.0.0.1/callback'] },
    'POST /ai-chat/oauth/revoke': { token: 'a', client_id: 'b' },
    'GET /.well-known/oauth-protected-resource': {},
    'GET /.well-known/oauth-protected-resource/ai-chat/mcp': {},
    'GET /.well-known/oauth-authorization-server': {},
    'POST /ai-chat/mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    'POST /ai-chat/file-upload': { name: 'a.txt', mimeType: 'text/plain', size: 5 },
    'POST /ai-chat/file-upload/complete': { fileUid },
    'GET /backend/demo-users': {},
    'GET /backend/session': {},
    'GET /backend/pages': {},
    'GET /backend/records': {},
    'GET /backend/log': {},
    'GET /ai-chat/usage': { from: '2026-11-01', to: '2026-11-30' },
    'GET /ai-chat/usage/export': { from: '2026-11-01', to: '2026-11-30' },
    'GET /backend/usage': { from: '2026-11-01', to: '2026-11-30' },
    'GET /backend/usage/export': { from: '2026-11-01', to: '2026-11-30' },
    'POST /backend/login': { username: 'editor', password: 'demo' },
    'POST /backend/exchange': { token: 'a.b.c' },
    'POST /backend/exchange/end': { token: 'a.b.c' },
    'POST /backend/logout': {},
    'POST /backend/records/{table}': { pid: 3, fields: { title: 'A title' } },
    'POST /backend/records/{table}/{uid}': { fields: { title: 'A title' }, version: '1' },
  }
  const address = path.replace('{table}', 'news').replace('{uid}', '3')
  const known = inputs[`${method} ${path}`]
  if (!known && address === path) throw new Error(`No request of ${method} ${path} is known here`)
  const input = known ?? {}
  return { path: address, ...(method === 'GET' ? { query: input } : { body: input }) }
}
