import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { McpServer } from '../../core/stage/settings/server.ts'
import { routes } from '../../functions/http/routes.ts'
import { startGranted } from '../support/grants.ts'
import { type Client, isOver, login } from '../support/http.ts'
import { conform, description, operations } from '../support/openapi.ts'
import { type Stage, startStage } from '../support/stage.ts'

const exchangeKey = 'an exchange key of at least 32 bytes'
let stage: Stage
let editor: Client
let granted: Awaited<ReturnType<typeof startGranted>>
let admin: Client

beforeAll(async () => {
  granted = await startGranted()
  const shop = McpServer.parse({ name: 'shop', url: granted.url, auth: 'oauth' })
  const desk = McpServer.parse({ name: 'desk', url: 'http://127.0.0.1:9/mcp', auth: 'token' })
  stage = await startStage({
    env: { AI_CHAT_SECRET_EXCHANGE: exchangeKey },
    settings: {
      maxActiveConversations: null,
      mcpServers: [shop, desk],
      accessTokens: { trustZone: 'internal' },
      exchange: { issuer: 'cms', audience: 'ai-chat', key: 'exchange' },
    },
  })
  editor = await login(stage.origin, 'editor')
  admin = await login(stage.origin, 'admin')
})
afterAll(async () => {
  granted?.stop()
  await stage?.remove()
})

type Ids = Record<string, unknown>

const lamp = 'What does the Aurora lamp cost?'

let shared: Promise<Ids> | undefined

/** One answered conversation for all that leave it as good as it was. */
const known = () => {
  shared ??= answered()
  return shared
}

async function answered(): Promise<Ids> {
  const { conversation, messages } = await editor.ask(lamp)
  return { conversationId: conversation.id, runId: messages.at(-1)?.runId }
}

async function awaiting(): Promise<Ids> {
  const { conversation } = await editor.send('Rename this page to Aurora desk lamp', {
    viewContext: { pageId: 3, module: 'page' },
  })
  const { pendingApproval } = await editor.until(conversation.id, isOver)
  return {
    conversationId: conversation.id,
    digest: pendingApproval?.digest,
    callId: pendingApproval?.calls[0]?.id,
  }
}

async function edited(): Promise<Ids> {
  const { conversationId } = await answered()
  const content = 'And the Borealis desk?'
  await editor.post('/ai-chat/conversations/edit', {
    conversationId,
    sequence: 0,
    content,
    expectedContent: lamp,
  })
  await editor.until(String(conversationId), isOver)
  return { conversationId }
}

async function asking(): Promise<Ids> {
  const { conversation } = await editor.send('Create a page', { viewContext: { pageId: 3, module: 'page' } })
  const { pendingApproval } = await editor.until(conversation.id, isOver)
  return { conversationId: conversation.id, digest: pendingApproval?.digest }
}

async function uploaded(): Promise<Ids> {
  const { body } = await editor.upload<{ fileUid: number }>('prices.txt', 'text/plain', 'Aurora: 149 EUR')
  return { fileUid: body.fileUid }
}

/** What an operation needs before its example can be sent: the ids that replace those of the example. */
const arrange: Record<string, () => Promise<Ids>> = {
  'GET /ai-chat/conversations/messages': known,
  'GET /ai-chat/conversations/export': known,
  'GET /ai-chat/conversations/feedback': known,
  'POST /ai-chat/conversations/feedback': known,
  'POST /ai-chat/conversations/edit': answered,
  'POST /ai-chat/conversations/cancel': known,
  'POST /ai-chat/conversations/system-prompt': known,
  'POST /ai-chat/conversations/rename': known,
  'POST /ai-chat/conversations/version': edited,
  'POST /ai-chat/conversations/pin': known,
  'POST /ai-chat/conversations/next': answered,
  'POST /ai-chat/conversations/archive': answered,
  'POST /ai-chat/conversations/delete': answered,
  'POST /ai-chat/conversations/undo': known,
  'POST /ai-chat/conversations/approve': awaiting,
  'POST /ai-chat/conversations/answer': asking,
  'POST /ai-chat/conversations/amend': awaiting,
  'POST /ai-chat/file-upload/complete': uploaded,
  'GET /ai-chat/file-info': uploaded,
  'POST /ai-chat/connections/token': async () => ({ server: 'desk' }),
  'GET /ai-chat/oauth/authorize': async () => {
    const body = { redirect_uris: ['http://127.0.0.1/callback'] }
    return {
      client_id: (await editor.post<{ client_id: string }>('/ai-chat/oauth/register', body)).body.client_id,
    }
  },
  'GET /ai-chat/oauth/enter': async () => {
    const { body } = await editor.post<{ url: string }>('/ai-chat/oauth/ticket')
    return { ticket: new URL(body.url).searchParams.get('ticket') }
  },
  'POST /backend/exchange': async () => ({ token: await foreignToken() }),
  'POST /backend/exchange/end': async () => ({ token: await foreignToken({ use: 'end', sid: 'session' }) }),
  'POST /backend/records/{table}/{uid}': async () => {
    const { body } = await editor.get<{ record: { version: string } }>('/backend/records/pages/3')
    return { version: body.record.version }
  },
}

function foreignToken(more: Record<string, string> = {}): Promise<string> {
  return new SignJWT({ jti: randomUUID(), ...more })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('cms')
    .setAudience('ai-chat')
    .setSubject('2')
    .setExpirationTime('30s')
    .sign(new TextEncoder().encode(exchangeKey))
}

/** A request of a program with an access token of the editor. */
async function asProgram(path: string, body: Ids): Promise<Response> {
  const { body: made } = await editor.post<{ token: string }>('/ai-chat/access-tokens/create', {
    name: 'Program',
  })
  const headers = {
    authorization: `Bearer ${made.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const answer = await fetch(new URL(path, stage.origin), {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const { status } = answer
  conform('POST', path, {
    status,
    contentType: answer.headers.get('content-type'),
    body: await answer.clone().json(),
  })
  return answer
}

/** The example of an operation, with ids of this stage where it has some of its own. */
function example(name: string, ids: Ids): { path: string; query: Ids; body: Ids } {
  const { parameters, requestBody } = operations[name] as (typeof operations)[string]
  const given = parameters.filter((parameter) => parameter.example !== undefined)
  const put = (known: Ids) =>
    Object.fromEntries(Object.entries(known).map(([field, value]) => [field, ids[field] ?? value]))
  const of = (place: string) =>
    put(
      Object.fromEntries(
        given.filter((parameter) => parameter.in === place).map(({ name, example }) => [name, example]),
      ),
    )
  const path = (name.split(' ')[1] as string).replace(/\{(\w+)\}/g, (_, field) => String(of('path')[field]))
  const body = put(requestBody?.content['application/json']?.example ?? {})
  return { path, query: of('query'), body }
}

test('every route of the card is described, and nothing else', () => {
  const described = routes.map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(operations).sort()).toEqual(described.sort())
})

/** Forms of OAuth need a code, a token or a page: `test/functions/routes/oauth.test.ts` sends them. */
const isForm = (name: string) => /\/oauth\/(?:token|revoke)$|^POST .*\/authorize$/.test(name)

test.each(Object.keys(operations).filter((name) => !/\/(?:retry|logout)$/.test(name) && !isForm(name)))(
  'the example of %s works as it is described',
  async (name) => {
    const ids = await arrange[name]?.()
    const { path, query, body } = example(name, ids ?? {})
    const isGet = name.startsWith('GET')
    const isForAll = routes.some(
      (route) => `${route.method} ${route.path}` === name && route.access !== 'administrator',
    )
    const user = isForAll ? editor : admin

    if (name === 'POST /ai-chat/mcp') return expect((await asProgram(path, body)).status).toBe(200)
    // The client holds every answer against the description.
    const answer = isGet ? await user.get(path, query as Record<string, string>) : await user.post(path, body)

    expect(answer.status).toBeLessThan(300)
  },
)

test('the example of retry is sent to a failed turn', async () => {
  const name = 'POST /ai-chat/conversations/retry'
  const failing = await startStage({ settings: { tasks: [{ uid: 1, active: false }] } })
  try {
    const user = await login(failing.origin, 'editor')
    const { conversation } = await user.ask(lamp)
    const { path, body } = example(name, { conversationId: conversation.id })

    expect((await user.post(path, body)).status).toBe(202)
  } finally {
    await failing.remove()
  }
})

test('the example of logout ends a session', async () => {
  const guest = await login(stage.origin, 'guest')
  const { path, body } = example('POST /backend/logout', {})

  expect((await guest.post(path, body)).status).toBe(204)
  expect((await guest.get(path.replace('logout', 'session'))).status).toBe(401)
})

test('the stage serves the description', async () => {
  const answer = await fetch(`${stage.origin}/backend/openapi.json`)

  expect(await answer.json()).toEqual(description)
})

test.each([
  ['a status that is not described', { status: 418, contentType: 'application/json', body: {} }],
  ['a missing field', { status: 200, contentType: 'application/json', body: { users: [{ username: 'x' }] } }],
  [
    'a field too many',
    { status: 200, contentType: 'application/json', body: { users: [], isElsewhere: false, secret: 'x' } },
  ],
  ['another type', { status: 200, contentType: 'text/html', body: '' }],
])('%s is found', (_, received) => {
  expect(() => conform('GET', '/backend/demo-users', received)).toThrow('against docs/openapi.json')
})

test('a code that the operation does not name is found', () => {
  const body = { error: { code: 'file.limit', message: 'x', requestId: 'x' } }
  const received = { status: 422, contentType: 'application/json', body }
  expect(() => conform('POST', '/ai-chat/conversations/send', received)).not.toThrow()
  expect(() => conform('POST', '/ai-chat/conversations/retry', received)).toThrow('against docs/openapi.json')
})
