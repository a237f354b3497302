import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer as ModernServer } from '@modelcontextprotocol/server'
import { expect } from 'vitest'
import * as z from 'zod'
import { McpServer } from '../../core/stage/settings/server.ts'
import { definitionOf } from '../../core/tool/remote/definition.ts'
import type { PersonalServer } from '../../core/user/connection/grant.ts'
import { call } from './call.ts'
import type { Bench, User } from './live.ts'
import { listen } from './mcp.ts'

const inputSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  properties: { item: { type: 'string' } },
  required: ['item'],
}
const descriptions = { price: 'The price', order: 'Orders' }
const pin = (name: keyof typeof descriptions) =>
  definitionOf({ name, description: descriptions[name], inputSchema }).hash

/** The server of tools as settings have it, under the name `shop` and with both of its tools allowed. */
export const shop = (url: string) =>
  McpServer.parse({
    name: 'shop',
    url,
    auth: 'oauth',
    tools: {
      price: { class: 'read', hash: pin('price') },
      order: { class: 'write', hash: pin('order') },
    },
  }) as PersonalServer

/** Where the server of grants sends the browser back to. */
export const callback = 'http://127.0.0.1:3000/ai-chat/connections/callback'

/** What the tests use of the server of grants, which has no types. */
type Provider = {
  callback(): (request: IncomingMessage, response: ServerResponse) => unknown
  AccessToken: { find(token: string): Promise<{ accountId?: string; isValid: boolean } | undefined> }
}

/** How long an access token is good for, in seconds. */
export const tokenSeconds = 600

/**
 * A server of tools that wants a grant of each user, and the real server of grants beside it (`oidc-provider`): it takes
 * registrations, asks for login and consent on pages of its own, and uses each refresh token once.
 */
export async function startGranted() {
  const called: { tool: string; account: string | undefined }[] = []
  const asked: string[] = []
  let provider: Provider | undefined
  const grants = await listen((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?')[0]}`)
    return provider?.callback()(request, response)
  })
  const issuer = new URL(grants.url).origin
  const tools = await listen(async (request, response) => {
    const { origin } = new URL(tools.url)
    if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
      response.setHeader('content-type', 'application/json')
      const scopes_supported = ['shop']
      return response.end(
        JSON.stringify({ resource: tools.url, authorization_servers: [issuer], scopes_supported }),
      )
    }
    const token = request.headers.authorization?.slice('Bearer '.length) ?? ''
    const grant = await provider?.AccessToken.find(token)
    if (!grant?.isValid) {
      const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
      response.setHeader('www-authenticate', `Bearer resource_metadata="${metadata}"`)
      return response.writeHead(401).end()
    }
    return serve(grant.accountId)(request, response)
  })
  provider = await startProvider(issuer, tools.url)

  const serve = (account: string | undefined) => {
    const handler = createMcpHandler(() => {
      const server = new ModernServer({ name: 'shop', title: 'The shop', version: '1.0.0' })
      const answer = (tool: string) => async () => {
        called.push({ tool, account })
        return { content: [{ type: 'text' as const, text: `${tool} for ${account}` }] }
      }
      const item = z.object({ item: z.string() })
      for (const [name, description] of Object.entries(descriptions))
        server.registerTool(name, { description, inputSchema: item }, answer(name))
      return server
    })
    return toNodeHandler(handler) as (request: IncomingMessage, response: ServerResponse) => unknown
  }
  return {
    url: tools.url,
    issuer,
    called,
    /** Every request to the server of grants, as `METHOD /path`. */
    asked,
    stop: () => {
      tools.stop()
      grants.stop()
    },
  }
}

async function startProvider(issuer: string, resource: string): Promise<Provider> {
  const name = 'oidc-provider'
  const { Provider } = (await import(name)) as { Provider: new (issuer: string, options: object) => Provider }
  return new Provider(issuer, {
    cookies: { keys: ['a key of the test'] },
    scopes: ['openid', 'offline_access', 'shop'],
    pkce: { required: () => true },
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: 'shop', accessTokenTTL: tokenSeconds }),
        useGrantedResource: () => true,
        defaultResource: () => resource,
      },
    },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    ttl: { AccessToken: tokenSeconds, RefreshToken: 86_400, Grant: 86_400, Session: 600, Interaction: 600 },
  })
}

/** Logs in and consents at the server of grants as a browser does; the address that it sends the browser back to. */
export async function consent(url: string, callback: string, login = 'erika'): Promise<string> {
  const cookies = new Map<string, string>()
  let request: { url: string; form?: URLSearchParams } = { url }
  for (let step = 0; step < 12; step++) {
    const answer = await fetch(request.url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(request.form && { method: 'POST', body: request.form }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location?.startsWith(callback)) return location
    if (location) {
      request = { url: new URL(location, request.url).href }
      continue
    }
    const page = await answer.text()
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
    const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1]
    if (!action || !prompt) throw new Error(`The server of grants answered ${answer.status}: ${page}`)
    request = {
      url: new URL(action, request.url).href,
      form: new URLSearchParams({ prompt, login, password: 'any' }),
    }
  }
  throw new Error('The server of grants sent the browser nowhere')
}

/** The user begins to connect `shop`: the address of the consent, and the cookies that the browser keeps. */
export async function begin(user: User): Promise<{ url: string; cookies: string[] }> {
  const { status, body, cookies } = await user.ask<{ url: string }>('/ai-chat/connections/begin', {
    body: { server: 'shop' },
  })
  expect(status).toBe(200)
  return { url: body.url, cookies }
}

/** The page that a browser with these cookies gets where the server of grants sends it back to. */
export function comeBack({ handler }: Bench, back: string, cookies: string[] = []) {
  const { pathname, search } = new URL(back)
  return call<string>(handler, `${pathname}${search}`, { cookies })
}

/** The user connects `shop` and consents there under this login; the page that the browser shows in the end. */
export async function connect(bench: Bench, user: User, login?: string): Promise<string> {
  const { url, cookies } = await begin(user)
  const { body } = await comeBack(bench, await consent(url, callback, login), cookies)
  return body
}
