import { createHash, randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import { config } from '../../../core/base/config.ts'
import { maxRegistrations } from '../../../core/user/access-token/client.ts'
import { lives } from '../../../core/user/access-token/grant.ts'
import { key, type TokensAnswer } from '../../../core/user/access-token/schema.ts'
import { entries } from '../../../core/user/audit.ts'
import * as Exchanged from '../../../core/user/session/exchanged.ts'
import type { TicketAnswer } from '../../../core/user/session/schema.ts'
import { type Attempt, timeout, under } from '../../faults/inject.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { type Answered, type Call, call } from '../../support/call.ts'
import type { User } from '../../support/live.ts'
import { listen } from '../../support/mcp.ts'
import { fetchOf, oauthProgram, program } from '../../support/program.ts'

/** How a program gets access by OAuth, and each way in which it must not. */

const offered = { accessTokens: { trustZone: 'internal' as const } }
benched(offered)
beforeEach(async () => {
  await bench.configure(offered)
  const { body } = await editor.get<TokensAnswer>('/access-tokens')
  for (const { id } of body.tokens) await editor.ask('/ai-chat/access-tokens/revoke', { body: { id } })
})

const resource = () => `${config().origin}/ai-chat/mcp`
const redirectUri = 'http://127.0.0.1/callback'
const verifier = randomBytes(32).toString('base64url')
const challengeOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')

type Tokens = { access_token: string; refresh_token: string; expires_in: number; scope: string }
type Refused = { error: string }

const send = <T>(path: string, options: Call) => call<T>(bench.handler, `/ai-chat/oauth/${path}`, options)

async function registered(uris = [redirectUri], from?: string): Promise<string> {
  const body = { client_name: 'An assistant', redirect_uris: uris }
  return (await send<{ client_id: string }>('register', { body, ...(from && { from }) })).body.client_id
}

const query = (clientId: string, over: Record<string, string> = {}) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: redirectUri,
  code_challenge: challengeOf(verifier),
  code_challenge_method: 'S256',
  state: 'a state & more',
  resource: resource(),
  here: 'yes',
  ...over,
})

/** The page that the browser of a user shows. */
const page = (user: User, asked: Record<string, string>) =>
  user.ask<string>(`/ai-chat/oauth/authorize?${new URLSearchParams(asked)}`)

/** The fields of the form on a page. */
function fieldsOf(html: string): Record<string, string> {
  const found = [...html.matchAll(/name="([^"]*)" value="([^"]*)"/g)].filter(
    ([, name]) => name !== 'decision',
  )
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]))
}

const decide = (user: User, fields: Record<string, string>, decision = 'allow') =>
  user.ask<string>('/ai-chat/oauth/authorize', { form: new URLSearchParams({ ...fields, decision }) })

/** The query of the address that a page leads back to. */
function wayBack({ body }: Answered<string>): Record<string, string> {
  const url = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  return Object.fromEntries(new URL(url).searchParams)
}

async function codeFor(clientId: string, over: Record<string, string> = {}, user = editor): Promise<string> {
  const { body } = await page(user, query(clientId, over))
  return wayBack(await decide(user, fieldsOf(body))).code ?? ''
}

const ask = <T = Tokens & Refused>(fields: Record<string, string>) =>
  send<T>('token', { form: new URLSearchParams(fields), headers: { origin: undefined as never } })

const redeem = (clientId: string, code: string, over: Record<string, string> = {}) =>
  ask({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    ...over,
  })

const renew = (clientId: string, refresh_token: string, over: Record<string, string> = {}) =>
  ask({ grant_type: 'refresh_token', client_id: clientId, refresh_token, ...over })

async function granted(over: Record<string, string> = {}) {
  const clientId = await registered()
  const { body } = await redeem(clientId, await codeFor(clientId, over))
  return { clientId, ...body }
}

const opens = async (token: string) =>
  program(bench.handler, token).then(
    (client) => client.close().then(() => true),
    () => false,
  )

const refusedWith = ({ status, body }: Answered<Refused>) => [status, body.error]

test('the client of the protocol finds, registers, asks, and works in the name of the user until the user ends it', async () => {
  const by = fetchOf(bench.handler)
  const claude = oauthProgram('Claude', redirectUri)
  await expect(claude.connect(resource(), by)).rejects.toThrow()
  const { body } = await page(editor, {
    ...Object.fromEntries(claude.kept.url?.searchParams ?? []),
    here: 'yes',
  })
  expect(body).toContain('“Claude” wants to work with the content of this site in your name, as “editor”.')
  const { code = '', iss = '' } = wayBack(await decide(editor, fieldsOf(body)))
  await claude.comeBack(resource(), new URLSearchParams({ code, iss }), by)

  const client = await claude.connect(resource(), by)
  expect((await client.listTools()).tools.length).toBeGreaterThan(20)
  const { tokens } = (await editor.get<TokensAnswer>('/access-tokens')).body
  const usedAt = new Date(bench.clock.now()).toISOString()
  expect(tokens).toMatchObject([{ name: 'Claude', host: '127.0.0.1', usedAt }])

  await bench.clock.pass(lives.accessMs)
  expect((await client.listTools()).tools.length).toBeGreaterThan(20)
  await editor.ask('/ai-chat/access-tokens/revoke', { body: { id: tokens[0]?.id } })
  await expect(client.listTools()).rejects.toThrow()
})

describe('the metadata', () => {
  const at = (path: string) => call<Record<string, unknown>>(bench.handler, `/.well-known/${path}`)

  test('lead from the refusal of a program to the stage itself', async () => {
    const response = await fetchOf(bench.handler)(resource(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    })
    const named = 'oauth-protected-resource/ai-chat/mcp'
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${config().origin}/.well-known/${named}", scope="read propose"`,
    )
    const { body } = await at(named)
    expect(body).toMatchObject({ resource: resource(), authorization_servers: [config().origin] })
    expect((await at('oauth-protected-resource')).body).toEqual(body)
    expect((await at('oauth-authorization-server')).body).toMatchObject({
      issuer: config().origin,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    })
  })

  test.each([
    ['no access tokens', { accessTokens: null }],
    ['no OAuth', { accessTokens: { trustZone: 'internal' as const, oauth: false } }],
  ])('are not there on a stage with %s, and no token of a program opens there', async (_, settings) => {
    const { access_token } = await granted()
    await bench.configure(settings)
    for (const path of ['oauth-protected-resource', 'oauth-authorization-server'])
      expect((await at(path)).status).toBe(404)
    expect((await send('register', { body: { redirect_uris: [redirectUri] } })).status).toBe(404)
    expect(await opens(access_token)).toBe(false)
  })
})

describe('the page that asks the user', () => {
  test('says who asks, where it leads and what it may, in the language of the user', async () => {
    const clientId = await registered(['https://claude.ai/api/mcp/auth_callback'])
    const asked = query(clientId, { redirect_uri: 'https://claude.ai/api/mcp/auth_callback', scope: 'read' })
    const { body, headers } = await page(await bench.login('autorin'), asked)
    expect(body).toContain('<html lang="de">')
    expect(body).toContain('„An assistant“ möchte')
    expect(body).toContain('claude.ai')
    expect(body).not.toMatch(/<script|Änderungen vorschlagen/)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['x-frame-options']).toBe('DENY')
  })

  test('shows the host that it leads to as it is, also one with signs that stand for text', async () => {
    const uri = 'https://a$`$1$&$$.evil.example/callback'
    const { body } = await page(editor, query(await registered([uri]), { redirect_uri: uri }))
    expect(body).toContain('<p>It leads to <strong dir="ltr">a$`$1$&amp;$$.evil.example</strong>. Go on only')
  })

  test('shows the name of a program as words, and no markup of it', async () => {
    const { body } = await send<{ client_id: string }>('register', {
      body: { client_name: '<img src=x onerror=alert(1)>"\u202e', redirect_uris: [redirectUri] },
    })
    const shown = (await page(editor, query(body.client_id))).body
    expect(shown).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;”')
    expect(shown).not.toContain('<img')
  })

  test('asks a browser without a session to log in, once the stage itself has led there', async () => {
    const asked = { ...query(await registered()) }
    const visits = (here: Record<string, string>) =>
      call<string>(bench.handler, `/ai-chat/oauth/authorize?${new URLSearchParams({ ...asked, ...here })}`)
    const { here: _, ...first } = asked
    const passing = await call<string>(
      bench.handler,
      `/ai-chat/oauth/authorize?${new URLSearchParams(first)}`,
    )
    expect(passing.body).toMatch(
      /http-equiv="refresh" content="0; url=\/ai-chat\/oauth\/authorize\?[^"]*here=yes"/,
    )
    expect((await visits({})).body).toContain('Log in first')
  })

  test('leads back without a code when the user denies', async () => {
    const { body } = await page(editor, query(await registered()))
    expect(wayBack(await decide(editor, fieldsOf(body), 'deny'))).toEqual({
      error: 'access_denied',
      state: 'a state & more',
      iss: config().origin,
    })
  })

  test.each<[string, (fields: Record<string, string>) => Record<string, string>]>([
    ['no CSRF token', ({ csrf: _, ...fields }) => fields],
    [
      'the CSRF token of another session',
      (fields) => ({ ...fields, csrf: fields.csrf?.replace(/.$/, 'x') ?? '' }),
    ],
  ])('takes no decision with %s', async (_, changed) => {
    const { body } = await page(editor, query(await registered()))
    const { status } = await decide(editor, changed(fieldsOf(body)))
    expect(status).toBe(403)
    expect((await editor.get<TokensAnswer>('/access-tokens')).body.tokens).toEqual([])
  })

  test.each(['https://evil.example', 'null'])('takes no decision from a page of %s', async (origin) => {
    const { body } = await page(editor, query(await registered()))
    const form = new URLSearchParams({ ...fieldsOf(body), decision: 'allow' })
    const { status } = await editor.ask('/ai-chat/oauth/authorize', { form, headers: { origin } })
    expect(status).toBe(403)
  })

  test('is closed to a user who may not use the chat', async () => {
    const guest = await bench.login('guest')
    expect((await page(guest, query(await registered()))).status).toBe(403)
  })
})

describe('a browser whose chat is part of a page elsewhere', () => {
  const ticketOf = async (user: User) => {
    const { body } = await user.ask<TicketAnswer>('/ai-chat/oauth/ticket', { body: {} })
    return new URL(body.url)
  }
  const enter = ({ pathname, search }: URL) => call<string>(bench.handler, `${pathname}${search}`)

  test('is confirmed by the chat there, and then shown the page as its user', async () => {
    const { status, cookies, body } = await enter(await ticketOf(editor))
    expect([status, body.includes('as “editor” for ten minutes')]).toEqual([200, true])
    expect(cookies).toEqual([
      expect.stringMatching(/^ai_chat_consent=.*; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict$/),
    ])
    const { status: refused } = await call(bench.handler, '/ai-chat/access-tokens', { cookies })
    expect(refused).toBe(401)
    const asked = new URLSearchParams(query(await registered()))
    const visit = () => call<string>(bench.handler, `/ai-chat/oauth/authorize?${asked}`, { cookies })
    expect((await visit()).body).toContain('in your name, as “editor”')
    await bench.clock.pass(10 * 60_000)
    expect((await visit()).body).toContain('Log in first')
  })

  test('is confirmed by each ticket once, and within a minute', async () => {
    const [used, old] = [await ticketOf(editor), await ticketOf(editor)]
    await enter(used)
    expect((await enter(used)).status).toBe(403)
    await bench.clock.pass(61_000)
    expect((await enter(old)).status).toBe(403)
  })

  test('is known no longer than the session of the CMS in which it was confirmed', async () => {
    const start = await Exchanged.start(
      2,
      Exchanged.storedName('a'),
      Exchanged.embeddedMs,
      bench.clock.now(),
      true,
    )
    const headers = { authorization: `Bearer ${start?.token}` }
    const ticket = async () => {
      const { body } = await call<TicketAnswer>(bench.handler, '/ai-chat/oauth/ticket', { body: {}, headers })
      return new URL(body.url)
    }
    const [used, late] = [await ticket(), await ticket()]
    const { cookies } = await enter(used)
    const asked = new URLSearchParams(query(await registered()))
    const visit = async () =>
      (await call<string>(bench.handler, `/ai-chat/oauth/authorize?${asked}`, { cookies })).body

    await Exchanged.end(2, 'b', bench.clock.now())
    expect(await visit()).toContain('in your name, as “editor”')
    await Exchanged.end(2, 'a', bench.clock.now())
    expect(await visit()).toContain('Log in first')
    expect((await enter(late)).status).toBe(403)
  })

  test.each(['2.nonsense', `1.${'a'.repeat(32)}`, ''])('is not confirmed by %o', async (ticket) => {
    const { status, cookies } = await enter(new URL(`/ai-chat/oauth/enter?ticket=${ticket}`, config().origin))
    expect([status, cookies]).toEqual([403, []])
  })
})

describe('a request for access', () => {
  test.each<[string, Record<string, string>]>([
    ['of another host', { redirect_uri: 'https://evil.example/callback' }],
    ['of another path', { redirect_uri: 'http://127.0.0.1/callback/../other' }],
    ['with more behind it', { redirect_uri: 'http://127.0.0.1/callback?a=b' }],
    ['of a name that begins alike', { redirect_uri: 'http://127.0.0.1.evil.example/callback' }],
    ['of a client that is none', { client_id: 'v1.nonsense' }],
    ['without any', { redirect_uri: '' }],
  ])('that names a way back %s leads nowhere', async (_, over) => {
    const { status, body } = await page(editor, query(await registered(), over))
    expect(status).toBe(400)
    expect(body).not.toContain('http-equiv')
  })

  test('may come from any port of the user’s own device', async () => {
    const asked = query(await registered(), { redirect_uri: 'http://127.0.0.1:49152/callback' })
    expect((await page(editor, asked)).status).toBe(200)
  })

  test.each<[string, Record<string, string>, string]>([
    ['for a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['without PKCE', { code_challenge: '' }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])('%s is led back with the fault', async (_, over, error) => {
    expect(wayBack(await page(editor, query(await registered(), over)))).toMatchObject({ error })
  })

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://example.com/callback',
    'https://user@example.com/',
    'https://example.com/#part',
    'ms-msdt:/id',
    'no address',
  ])('cannot be registered to be answered at %s', async (uri) => {
    const { status, body } = await send<Refused>('register', { body: { redirect_uris: [uri] } })
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
  })

  test.each([
    'https://claude.ai/api/mcp/auth_callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/oauth',
  ])('can be registered to be answered at %s', async (uri) => {
    expect(await registered([uri])).toMatch(/^v1\./)
  })

  test('is registered by one network thirty times an hour, and stores nothing of it', async () => {
    const from = '198.51.100.9'
    for (let at = 0; at < maxRegistrations; at++) await registered(undefined, from)
    const body = { redirect_uris: [redirectUri] }
    const { status, headers, body: told } = await send<Refused>('register', { body, from })
    expect([status, told.error]).toEqual([429, 'temporarily_unavailable'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect((await send('register', { body, from: '198.51.100.10' })).status).toBe(201)
  })
})

describe('a code', () => {
  test('opens access for an hour, and a refresh token for thirty days', async () => {
    const { access_token, refresh_token, expires_in, scope } = await granted()
    expect([expires_in, scope]).toEqual([3_600, 'read propose'])
    expect(await opens(access_token)).toBe(true)
    await bench.clock.pass(lives.accessMs)
    expect(await opens(access_token)).toBe(false)
    expect(refresh_token).toMatch(/^aicr_2_/)
  })

  test('that comes again is refused, and ends what it opened', async () => {
    const clientId = await registered()
    const code = await codeFor(clientId)
    const { body } = await redeem(clientId, code)
    expect(await opens(body.access_token)).toBe(true)
    expect(refusedWith(await redeem(clientId, code))).toEqual([400, 'invalid_grant'])
    expect(await opens(body.access_token)).toBe(false)
    expect(refusedWith(await renew(clientId, body.refresh_token))).toEqual([400, 'invalid_grant'])
  })

  test('opens access although the table’s answer to it was lost', async () => {
    const clientId = await registered()
    const code = await codeFor(clientId)
    let isLost = false
    const once = ({ input }: Attempt) => {
      if (isLost || !JSON.stringify(input).includes('"#next_hash"')) return undefined
      isLost = true
      return { when: 'after' as const, error: timeout() }
    }

    const { status, body } = await under(once, () => redeem(clientId, code))

    expect([isLost, status, await opens(body.access_token)]).toEqual([true, 200, true])
  })

  test('that two programs redeem at once opens nothing for long', async () => {
    const clientId = await registered()
    const code = await codeFor(clientId)
    const both = await Promise.all([redeem(clientId, code), redeem(clientId, code)])
    expect(both.map(({ status }) => status).toSorted()[1]).toBe(400)
    for (const { body } of both) if (body.access_token) expect(await opens(body.access_token)).toBe(false)
  })

  test.each<[string, Record<string, string>, string]>([
    ['a wrong verifier', { code_verifier: randomBytes(32).toString('base64url') }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another way back', { redirect_uri: 'http://127.0.0.1/other' }, 'invalid_grant'],
  ])('with %s is refused, and is good for no second attempt', async (_, over, error) => {
    const clientId = await registered()
    const code = await codeFor(clientId)
    expect(refusedWith(await redeem(clientId, code, over))).toEqual([400, error])
    expect(refusedWith(await redeem(clientId, code))).toEqual([400, 'invalid_grant'])
  })

  test('of another client is refused', async () => {
    const [mine, other] = [await registered(), await registered(['http://127.0.0.1/other'])]
    expect(refusedWith(await redeem(other, await codeFor(mine)))).toEqual([400, 'invalid_grant'])
  })

  test('for another resource is refused, and is still good for this one', async () => {
    const clientId = await registered()
    const code = await codeFor(clientId)
    const over = { resource: 'https://other.example/mcp' }
    expect(refusedWith(await redeem(clientId, code, over))).toEqual([400, 'invalid_target'])
    expect((await redeem(clientId, code, { resource: resource() })).status).toBe(200)
  })

  test('ends after a minute, and is in no list of the user before', async () => {
    const clientId = await registered()
    const code = await codeFor(clientId)
    expect((await editor.get<TokensAnswer>('/access-tokens')).body.tokens).toEqual([])
    await bench.clock.pass(lives.codeMs)
    expect(refusedWith(await redeem(clientId, code))).toEqual([400, 'invalid_grant'])
  })

  test('opens nothing for a user who has lost the chat meanwhile', async () => {
    const clientId = await registered()
    const code = await codeFor(clientId, {}, await bench.login('autorin'))
    await bench.configure({ ...offered, allowedGroups: [999] })
    expect(refusedWith(await redeem(clientId, code))).toEqual([400, 'invalid_grant'])
  })
})

describe('a refresh token', () => {
  test('is used once, and the pair that it brought goes on', async () => {
    const { clientId, access_token, refresh_token } = await granted()
    const { body } = await renew(clientId, refresh_token)
    expect([await opens(access_token), await opens(body.access_token)]).toEqual([false, true])
    expect((await renew(clientId, body.refresh_token)).status).toBe(200)
  })

  test('that comes again later ends the access of whoever has it', async () => {
    const { clientId, refresh_token } = await granted()
    const { body } = await renew(clientId, refresh_token)
    await bench.clock.pass(10_000)
    expect(refusedWith(await renew(clientId, refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await opens(body.access_token)).toBe(false)
    expect(refusedWith(await renew(clientId, body.refresh_token))).toEqual([400, 'invalid_grant'])
  })

  test('that two requests send at once brings both the same pair, and ends nothing', async () => {
    const { clientId, refresh_token } = await granted()
    const [one, other] = await Promise.all([renew(clientId, refresh_token), renew(clientId, refresh_token)])
    expect(one.body.refresh_token).toBe(other.body.refresh_token)
    expect(await opens(one.body.access_token)).toBe(true)
    expect((await renew(clientId, one.body.refresh_token)).status).toBe(200)
  })

  test('of another client ends the access', async () => {
    const { access_token, refresh_token } = await granted()
    const other = await registered(['http://127.0.0.1/other'])
    expect(refusedWith(await renew(other, refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await opens(access_token)).toBe(false)
  })

  test.each<[string, (token: string) => string]>([
    ['that is guessed', (token) => `${token.slice(0, -66)}${'A'.repeat(22)}_${'A'.repeat(43)}`],
    ['of no grant', (token) => token.replace(/_[0-9a-f]{16}_/, '_0123456789abcdef_')],
    ['that is no token', () => 'nonsense'],
  ])('%s is refused, and ends nothing', async (_, forged) => {
    const { clientId, access_token, refresh_token } = await granted()
    expect(refusedWith(await renew(clientId, forged(refresh_token)))).toEqual([400, 'invalid_grant'])
    expect(await opens(access_token)).toBe(true)
  })

  test('ends thirty days after the last use', async () => {
    const { clientId, refresh_token } = await granted()
    await bench.clock.pass(lives.grantMs - 1)
    const { body } = await renew(clientId, refresh_token)
    await bench.clock.pass(lives.grantMs)
    expect(refusedWith(await renew(clientId, body.refresh_token))).toEqual([400, 'invalid_grant'])
  })

  test('is refused where another way to a token is asked for', async () => {
    const clientId = await registered()
    const fields = { grant_type: 'client_credentials', client_id: clientId }
    expect(refusedWith(await ask<Refused>(fields))).toEqual([400, 'unsupported_grant_type'])
  })
})

test.each(['token', 'register', 'revoke'])(
  'the address for %s is closed to pages of other sites, and says so as OAuth does',
  async (path) => {
    const headers = { origin: 'https://evil.example' }
    const { status, body } = await send<Refused & { error_description: string }>(path, { body: {}, headers })
    expect([status, body]).toEqual([
      403,
      {
        error: 'access_denied',
        error_description: expect.stringMatching(/^This website may not use the chat/),
      },
    ])
  },
)

describe('access by OAuth', () => {
  test('for reading alone has no tool that proposes', async () => {
    const { access_token, scope } = await granted({ scope: 'read offline_access' })
    expect(scope).toBe('read')
    const client = await program(bench.handler, access_token)
    const { tools } = await client.listTools()
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([])
    await client.close()
  })

  test('outlives the session in which it was given, and is given back by its program', async () => {
    const { clientId, access_token, refresh_token } = await granted()
    await editor.ask('/ai-chat/oauth/revoke', {
      form: new URLSearchParams({
        token: refresh_token,
        client_id: await registered(['http://127.0.0.1/other']),
      }),
    })
    expect(await opens(access_token)).toBe(true)
    const { status } = await send('revoke', {
      form: new URLSearchParams({ token: refresh_token, client_id: clientId }),
      headers: { origin: undefined as never },
    })
    expect([status, await opens(access_token)]).toEqual([200, false])
    const id = access_token.split('_')[2] ?? ''
    const acts: unknown[] = []
    for await (const { api, resources } of entries(new Date(bench.clock.now()).toISOString().slice(0, 10), 2))
      if (resources?.some(({ uid }) => uid === id)) acts.push(api?.operation)
    expect(acts.toSorted()).toEqual(['POST /ai-chat/oauth/authorize', 'POST /ai-chat/oauth/revoke'])
  })

  test('gives way to newer access where a user has ten, and never a token that the user made', async () => {
    for (let at = 0; at < 9; at++)
      await editor.ask('/ai-chat/access-tokens/create', { body: { name: `Own ${at}` } })
    const first = await granted()
    const second = await granted()
    expect([await opens(first.access_token), await opens(second.access_token)]).toEqual([false, true])
  })

  test('gives way where it was unused for longest, not where it is oldest', async () => {
    for (let at = 0; at < 8; at++)
      await editor.ask('/ai-chat/access-tokens/create', { body: { name: `Own ${at}` } })
    const used = await granted()
    await bench.clock.pass(60_000)
    const unused = await granted()
    await bench.clock.pass(60_000)
    expect(await opens(used.access_token)).toBe(true)

    const latest = await granted()

    const tokens = [used, unused, latest].map(({ access_token }) => access_token)
    expect(await Promise.all(tokens.map(opens))).toEqual([true, false, true])
  })

  test('is stored as hashes alone', async () => {
    const { access_token, refresh_token } = await granted()
    const row = JSON.stringify(await Table.get(key(2, access_token.split('_')[2] ?? '')))
    for (const secret of [access_token, refresh_token]) expect(row).not.toContain(secret.slice(-43))
  })
})

describe('a client that is described at its own address', () => {
  let site: Awaited<ReturnType<typeof listen>>
  let served: Record<string, unknown> | string
  beforeEach(async () => {
    site = await listen((_, response) => {
      const body = typeof served === 'string' ? served : JSON.stringify(served)
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
  })
  afterEach(() => site.stop())
  const address = () => new URL('/client.json', site.url).href
  const document = (over: object = {}) => ({
    client_id: address(),
    client_name: 'Described',
    redirect_uris: ['http://127.0.0.1/callback'],
    ...over,
  })

  test('is asked about by the name in its document', async () => {
    served = document()
    const code = await codeFor(address())
    expect((await redeem(address(), code)).status).toBe(200)
    expect((await editor.get<TokensAnswer>('/access-tokens')).body.tokens[0]?.name).toBe('Described')
  })

  test.each<[string, () => Record<string, unknown> | string]>([
    ['of another client', () => document({ client_id: 'https://other.example/client.json' })],
    ['with a secret', () => document({ token_endpoint_auth_method: 'client_secret_basic' })],
    ['with no way back', () => document({ redirect_uris: [] })],
    ['with a way back that runs code', () => document({ redirect_uris: ['javascript:alert(1)'] })],
    ['that is none', () => 'hello'],
    ['that is too long', () => document({ more: 'x'.repeat(10_000) })],
  ])('is not known by a document %s', async (_, made) => {
    served = made()
    expect((await page(editor, query(address()))).status).toBe(400)
  })

  test('is not known by its address in another spelling', async () => {
    const other = address().replace('/client.json', '/a/../client.json')
    served = document({ client_id: other })
    expect((await page(editor, query(other))).status).toBe(400)
  })
})
