import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import { eraseUser } from '../../../../core/chat/user-data/erase.ts'
import { exportUser } from '../../../../core/chat/user-data/export.ts'
import { forgetListings } from '../../../../core/tool/remote/listing.ts'
import { openServers } from '../../../../core/tool/remote/servers.ts'
import type { ToolContext } from '../../../../core/tool/tool.ts'
import {
  codec,
  endGrant,
  grantContext,
  type PersonalServer,
  putGrant,
  putRenewedGrant,
} from '../../../../core/user/connection/grant.ts'
import type { ConnectionsAnswer } from '../../../../core/user/connection/schema.ts'
import { seal } from '../../../../core/user/connection/seal.ts'
import { tokenOf } from '../../../../core/user/connection/user-token.ts'
import { bench, benched, editor } from '../../../support/benched.ts'
import { call } from '../../../support/call.ts'
import {
  begin,
  callback,
  comeBack,
  connect,
  consent,
  shop,
  startGranted,
  tokenSeconds,
} from '../../../support/grants.ts'
import { startedAt, type User } from '../../../support/live.ts'
import { listen } from '../../../support/mcp.ts'

let granted: Awaited<ReturnType<typeof startGranted>>
let server: PersonalServer

benched()
beforeAll(async () => {
  granted = await startGranted()
  server = shop(granted.url)
})
beforeEach(async () => {
  forgetListings()
  granted.called.splice(0)
  await bench.configure({ mcpServers: [server] })
  await editor.ask('/ai-chat/connections/disconnect', { body: { server: 'shop' } })
})
afterAll(() => granted.stop())

const states = async (user: User) =>
  (await user.get<ConnectionsAnswer>('/connections')).body.connections.map(({ server, state }) => [
    server,
    state,
  ])

const price = { name: 'mcp__shop__price', arguments: { item: 'lamp' } }

async function asks(user: User) {
  bench.api.reply({ calls: [price] }, { text: 'Read.' })
  const { messages } = await user.turn('What is the price?')
  const tools = bench.api.requests[0]?.body.tools?.filter(({ name }) => name.startsWith('mcp__')) ?? []
  const results = messages.filter(({ role }) => role === 'tool').map(({ outcome }) => outcome)
  return { results, offered: tools.map(({ name }) => name) }
}

const row = () => Table.get({ pk: 'user#2', sk: 'connection#shop' })

describe('a server that wants a grant of each user', () => {
  test('is offered to connect, and until then none of its tools is offered to the model', async () => {
    expect((await editor.get<ConnectionsAnswer>('/connections')).body).toEqual({
      connections: [
        { server: 'shop', title: 'shop', auth: 'oauth', state: 'none', since: null, issue: null },
      ],
    })
    const { offered } = await asks(editor)
    expect(offered).toEqual([])
    expect(JSON.stringify(bench.api.requests[0]?.body.system)).toContain(
      'All tools of the server \\"shop\\": The user has not connected this server.',
    )
  })

  test('works, once for each call, with the rights of the user who has consented, and of no other', async () => {
    expect(await connect(bench, editor, 'erika')).toContain('“shop” is connected.')
    expect(await states(editor)).toEqual([['shop', 'connected']])
    expect(await asks(editor)).toEqual({
      results: ['done'],
      offered: ['mcp__shop__price', 'mcp__shop__order'],
    })
    expect(granted.called).toEqual([{ tool: 'price', account: 'erika' }])

    const other = await bench.login('autorin')
    expect(await states(other)).toEqual([['shop', 'none']])
    bench.api.reset()
    expect((await asks(other)).offered).toEqual([])
  })

  test('is asked by PKCE and for itself alone, and registers the stage once', async () => {
    const before = granted.asked.filter((line) => line === 'POST /reg').length
    const [one, other] = [await begin(editor), await begin(await bench.login('autorin'))]
    const query = new URL(one.url).searchParams
    expect(query.get('code_challenge_method')).toBe('S256')
    expect(query.get('resource')).toBe(granted.url)
    expect(query.get('redirect_uri')).toBe(callback)
    expect(new URL(other.url).searchParams.get('client_id')).toBe(query.get('client_id'))
    expect(granted.asked.filter((line) => line === 'POST /reg').length).toBe(before === 0 ? 1 : before)
  })

  test('is connected by the browser alone that began, and once', async () => {
    const { url, cookies } = await begin(editor)
    const back = await consent(url, callback)
    expect((await comeBack(bench, back)).body).toContain('not valid')
    expect((await comeBack(bench, back, ['ai_chat_connecting=another'])).body).toContain('not valid')
    expect((await comeBack(bench, back, cookies)).body).toContain('is connected')
    expect((await comeBack(bench, back, cookies)).body).toContain('not valid')
  })

  test('waits ten minutes for the browser', async () => {
    const { url, cookies } = await begin(editor)
    const back = await consent(url, callback)
    await bench.clock.pass(10 * 60_000)
    expect((await comeBack(bench, back, cookies)).body).toContain('not valid')
    expect(await states(editor)).toEqual([['shop', 'none']])
  })

  test('is connected from a page of another site after the person has read for whom', async () => {
    const { body, cookies } = await call<{ url: string }>(bench.handler, '/ai-chat/connections/begin', {
      body: { server: 'shop' },
      headers: { authorization: `Bearer ${editor.token}` },
    })
    expect(cookies).toEqual([])
    const back = await consent(body.url, callback)
    const asked = await comeBack(bench, back)
    expect(asked.body).toContain('The account “editor” of the AI chat wants to work on “shop”')
    expect(asked.headers['content-security-policy']).toContain("default-src 'none'")
    expect(await states(editor)).toEqual([['shop', 'none']])
    expect((await comeBack(bench, `${back}&confirmed=yes`)).body).toContain('is connected')
  })

  test('is not connected when the user refuses there', async () => {
    const { url, cookies } = await begin(editor)
    const state = new URL(url).searchParams.get('state')
    const page = await comeBack(bench, `${callback}?state=${state}&error=access_denied`, cookies)
    expect(page.body).toContain('was not connected')
    expect(await states(editor)).toEqual([['shop', 'none']])
  })
})

describe('a grant', () => {
  test('is stored encrypted, opens for its user and address alone, and no export shows it', async () => {
    await connect(bench, editor)
    const stored = (await row()) as Record<string, string>
    const token = await tokenOf(2, server, bench.clock.now())
    expect(JSON.stringify(stored)).not.toContain(token)
    await Table.put({ ...stored, pk: 'user#3', sk: 'connection#shop' })
    await expect(tokenOf(3, server, bench.clock.now())).rejects.toThrow('has ended')
    await Table.remove({ pk: 'user#3', sk: 'connection#shop' })
    const moved = { ...server, url: 'https://shop.example/mcp' }
    await expect(tokenOf(2, moved, bench.clock.now())).rejects.toThrow('has not connected')
    // The row says the other address, but what it holds was sealed to the first.
    await Table.put({ ...stored, pk: 'user#2', sk: 'connection#shop', url: moved.url })
    await expect(tokenOf(2, moved, bench.clock.now())).rejects.toThrow('has ended')

    const files: Record<string, string> = {}
    const write = async (path: string, content: Uint8Array | string) => {
      files[path] = String(content)
    }
    await exportUser(2, 'en', { has: async () => false, write }, bench.clock)
    expect(files['user/2.json']).toContain('connection#shop')
    expect(Object.values(files).join()).not.toContain(stored.sealed)
    await eraseUser(2, bench.clock)
    expect(await row()).toBeUndefined()
  })

  test.each([
    ['of a kind that is not known', { kind: 'certificate' }],
    [
      'without its tokens',
      { kind: 'oauth', issuer: { url: 'https://a.example' }, client: { client_id: 'a' } },
    ],
    ['with tokens of another form', { kind: 'oauth', tokens: { access_token: 5 }, issuer: {}, client: {} }],
  ])('%s, as another release may have stored it, counts as ended', async (_, grant) => {
    await connect(bench, editor)
    const sealed = seal(JSON.stringify(grant), grantContext(2, 'shop', server.url))
    await Table.put({ ...(await row()), pk: 'user#2', sk: 'connection#shop', sealed })

    await expect(tokenOf(2, server, bench.clock.now())).rejects.toThrow('has ended')
    const { status } = await editor.ask('/ai-chat/connections/disconnect', { body: { server: 'shop' } })
    expect([status, await row()]).toEqual([200, undefined])
  })

  test('is renewed when it has ended, once for all who ask at the same time', async () => {
    await connect(bench, editor)
    const first = await tokenOf(2, server, bench.clock.now())
    await bench.clock.pass(tokenSeconds * 1000)
    const before = granted.asked.length
    const tokens = await Promise.all([1, 2, 3].map(() => tokenOf(2, server, bench.clock.now())))
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]).not.toBe(first)
    expect(granted.asked.slice(before)).toEqual(['POST /token'])
    expect((await asks(editor)).results).toEqual(['done'])
  })

  test('that is renewed while its user connects again does not replace the new one', async () => {
    await connect(bench, editor)
    const before = codec.decode((await row()) ?? {})
    await editor.ask('/ai-chat/connections/disconnect', { body: { server: 'shop' } })
    await bench.clock.pass(1)
    await connect(bench, editor)
    const token = await tokenOf(2, server, bench.clock.now())

    const late = { kind: 'token', token: 'of the grant before' } as const
    expect(await putRenewedGrant(2, server, before, late, bench.clock.now())).toBe(false)
    await endGrant(2, before)
    expect(await tokenOf(2, server, bench.clock.now())).toBe(token)
  })

  test('is renewed when it has ended while a turn runs, before the next call of the turn', async () => {
    await connect(bench, editor)
    const [who, settings] = [{ uid: 2, groups: [1], isAdmin: false }, { mcpServers: [server] }]
    const turn = await openServers(who, settings, { now: bench.clock.now, isLocal: true })
    await bench.clock.pass(tokenSeconds * 1000)
    const before = granted.asked.length

    const [read] = turn.tools(who, settings)
    const context = { signal: new AbortController().signal } as ToolContext
    if (read && 'run' in read) await read.run({ item: 'lamp' }, context)
    await turn.close()

    expect(granted.asked.slice(before)).toEqual(['POST /token'])
    expect(granted.called.map(({ tool }) => tool)).toEqual(['price'])
  })

  test('that was revoked costs the call, not the turn, and says what to do', async () => {
    await connect(bench, editor)
    const stored = (await row()) as Table.Row & Table.Key
    await editor.ask('/ai-chat/connections/disconnect', { body: { server: 'shop' } })
    expect(granted.asked.at(-1)).toBe('POST /token/revocation')
    await Table.put(stored)
    expect((await asks(editor)).results).toEqual(['notKnown'])
    expect(await states(editor)).toEqual([['shop', 'ended']])
  })

  test('is gone after the user disconnects', async () => {
    await connect(bench, editor)
    await editor.ask('/ai-chat/connections/disconnect', { body: { server: 'shop' } })
    expect(await states(editor)).toEqual([['shop', 'none']])
    expect(await row()).toBeUndefined()
    expect((await asks(editor)).offered).toEqual([])
  })
})

describe('a token that the user makes at the server', () => {
  const personal = () => ({ ...server, auth: 'token' as const })
  const put = (token: string) =>
    editor.ask<ConnectionsAnswer & { error: { code: string } }>('/ai-chat/connections/token', {
      body: { server: 'shop', token },
    })

  test('is kept when the server takes it, and not when it refuses it', async () => {
    await connect(bench, editor)
    const token = await tokenOf(2, server, bench.clock.now())
    await bench.configure({ mcpServers: [personal()] })
    expect((await put('wrong')).body.error.code).toBe('connection.tokenRefused')
    expect((await put(token)).body.connections).toMatchObject([{ server: 'shop', state: 'connected' }])
    expect((await asks(editor)).results).toEqual(['done'])
  })

  test('is put nowhere else: not at an unknown server, nor at one of another kind', async () => {
    expect((await put('a-token')).body.error.code).toBe('connection.notFound')
    await bench.configure({ mcpServers: [{ ...personal(), groups: [99] }] })
    expect((await put('a-token')).body.error.code).toBe('connection.notFound')
  })
})

/** A server of tools that is its own authorization server; `lie` is what its metadata says in place of the truth. */
async function startLiar({ resource, ...lie }: Record<string, string> = {}) {
  const scopes: (string | undefined)[] = []
  const posted: string[] = []
  let asked = 0
  const liar = await listen(async (request, response) => {
    const { origin } = new URL(liar.url)
    if (request.method === 'POST') posted.push(`${request.url}`)
    response.setHeader('content-type', 'application/json')
    if (request.url?.includes('oauth-protected-resource')) {
      const scopes_supported = [`scope-${asked++}`]
      return response.end(
        JSON.stringify({ resource: resource ?? liar.url, authorization_servers: [origin], scopes_supported }),
      )
    }
    if (request.url?.startsWith('/.well-known'))
      return response.end(
        JSON.stringify({
          issuer: origin,
          authorization_endpoint: `${origin}/auth`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/reg`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          ...lie,
        }),
      )
    if (request.url === '/reg') {
      const registration = await parsed(request)
      scopes.push(registration.scope)
      return response
        .writeHead(201)
        .end(JSON.stringify({ ...registration, client_id: 'c', redirect_uris: [callback] }))
    }
    response.writeHead(401).end()
  })
  return { liar, scopes, posted }
}

async function parsed(request: AsyncIterable<Buffer>): Promise<{ scope?: string }> {
  let whole = ''
  for await (const chunk of request) whole += chunk
  return JSON.parse(whole)
}

describe('a server that lies about where its grants come from', () => {
  test.each([
    ['a script in place of a page', { authorization_endpoint: 'javascript:alert(1)' }],
    ['an application in place of a page', { authorization_endpoint: 'shop-app://consent' }],
    ['another issuer than it says', { issuer: 'https://elsewhere.example' }],
    ['another resource than itself', { resource: 'https://elsewhere.example/mcp' }],
  ])('is not followed to %s', async (_, lie) => {
    const { liar } = await startLiar(lie)
    await bench.configure({ mcpServers: [{ ...server, name: 'liar', url: liar.url }] })
    const answer = await editor.ask<{ error: { code: string } }>('/ai-chat/connections/begin', {
      body: { server: 'liar' },
    })
    liar.stop()
    expect([answer.status, answer.body.error.code]).toEqual([422, 'connection.failed'])
  })

  test('gets no client of the settings, who is registered with another authorization server', async () => {
    process.env.AI_CHAT_SECRET_SHOP = 'secret of the client'
    const { liar, posted } = await startLiar()
    const registered = { clientId: 'stage', secret: 'shop', issuer: granted.issuer }
    const beginAt = async (over: object) => {
      await bench.configure({
        mcpServers: [{ ...server, name: 'liar', url: liar.url, ...registered, ...over }],
      })
      const { status } = await editor.ask('/ai-chat/connections/begin', { body: { server: 'liar' } })
      return status
    }
    const statuses = [await beginAt({}), await beginAt({ issuer: new URL(liar.url).origin })]
    liar.stop()
    expect(statuses).toEqual([422, 200])
    expect(posted.filter((path) => path !== '/mcp')).toEqual([])
  })

  test('is registered with once, however many scopes it asks for, and the registration ends', async () => {
    const { liar, scopes } = await startLiar()
    await bench.configure({ mcpServers: [{ ...server, name: 'liar', url: liar.url }] })
    for (let time = 0; time < 3; time++) {
      const { body } = await editor.ask<{ url: string }>('/ai-chat/connections/begin', {
        body: { server: 'liar' },
      })
      expect(new URL(body.url).searchParams.get('scope')).toBe(`scope-${time}`)
    }
    liar.stop()
    expect(scopes).toEqual([undefined])
    const rows = await Table.all({
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': 'connection-client' },
    })
    expect(rows.map(({ expires_at }) => typeof expires_at)).not.toContain('undefined')
  })

  test('leads no token to an address that it redirects to', async () => {
    const seen: (string | undefined)[] = []
    const thief = await listen((request, response) => {
      seen.push(request.headers.authorization)
      response.end()
    })
    const fence = await listen((_, response) => response.writeHead(307, { location: thief.url }).end())
    const moved = { ...server, auth: 'token' as const, url: fence.url }
    await putGrant(2, moved, { kind: 'token', token: 'secret' }, startedAt)
    await bench.configure({ mcpServers: [moved] })
    expect((await asks(editor)).offered).toEqual([])
    fence.stop()
    thief.stop()
    expect(seen).toEqual([])
  })
})
