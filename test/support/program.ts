import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { config } from '../../core/base/config.ts'
import type { Handler } from '../../functions/http/route.ts'
import { answered, answering, event } from './call.ts'
import { asFunction } from './synth/requests.ts'

/** `fetch` of a program, over the events that API Gateway makes of its requests. */
export function fetchOf(handler: Handler, origin?: string): typeof fetch {
  return async (address, init) => {
    const { pathname, search } = new URL(String(address))
    const headers = Object.fromEntries(new Headers(init?.headers))
    const { headers: sent, ...asked } = event(`${pathname}${search}`, {
      method: (init?.method ?? 'GET') as 'POST',
      headers,
    })
    // A program is no page of the stage.
    const { origin: _, ...others } = sent
    const own = { ...others, ...(origin && { origin }) }
    const body = typeof init?.body === 'string' ? init.body : init?.body?.toString()
    const result = await asFunction(answering(asked), () =>
      handler({ ...asked, headers: own, ...(body !== undefined && { body }) }, {} as never),
    )
    const answer = answered<unknown>(result)
    const hasNoBody = answer.status === 202 || answer.body === undefined
    return new Response(hasNoBody ? null : (result.body as string), {
      status: answer.status,
      headers: answer.headers,
    })
  }
}

/** How a program speaks: in the newest version that both sides have, or in the one before sessions were left out. */
export type Speech = 'newest' | 'older'

/** The client of the protocol's own package, connected to the tools of the chat under an access token. */
export async function program(handler: Handler, token: string, speech: Speech = 'newest'): Promise<Client> {
  const client = new Client(
    { name: 'another assistant', version: '1.0.0' },
    { versionNegotiation: { mode: speech === 'newest' ? 'auto' : 'legacy' } },
  )
  const transport = new StreamableHTTPClientTransport(new URL('/ai-chat/mcp', config().origin), {
    fetch: fetchOf(handler),
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  return client
}

/** A program that asks its user for access by OAuth, and keeps what it gets; `url` is where it sends the user. */
export function oauthProgram(name: string, redirectUrl: string) {
  const kept: { client?: unknown; tokens?: unknown; verifier?: string; url?: URL } = {}
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: name, redirect_uris: [redirectUrl] },
    clientInformation: () => kept.client as never,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens as never,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (url) => void Object.assign(kept, { url }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier ?? '',
  }
  /** A client of the tools at the address; rejects while the user has not allowed it. */
  const connect = async (address: string, by?: typeof fetch): Promise<Client> => {
    const client = new Client({ name, version: '1.0.0' })
    await client.connect(transport(address, by))
    return client
  }
  const transport = (address: string, by?: typeof fetch) =>
    new StreamableHTTPClientTransport(new URL(address), { authProvider: provider, ...(by && { fetch: by }) })
  return {
    kept,
    connect,
    /** Redeems what came back with the browser. */
    comeBack: (address: string, search: URLSearchParams, by?: typeof fetch) =>
      transport(address, by).finishAuth(search),
  }
}
