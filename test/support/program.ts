import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { config } from '../../core/base/config.ts'
import type { Handler } from '../../functions/http/route.ts'
import { answered, event } from './call.ts'
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
    const body = typeof init?.body === 'string' ? init.body : undefined
    const result = await asFunction('mcp', () =>
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
