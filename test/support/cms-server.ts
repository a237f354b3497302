import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answer, type ServerOptions } from '../../core/cms/bridge/server.ts'
import type { Cms } from '../../core/cms/cms.ts'

/** A CMS behind the bridge, over HTTP on a port of its own. */
export type CmsServer = { base: string; close(): Promise<void> }

/** Serves a CMS over the bridge; `wrong` plants a fault in how it answers. */
export async function serveCms(
  cms: Cms,
  keys: ReadonlyMap<string, string>,
  wrong: Partial<ServerOptions> = {},
): Promise<CmsServer> {
  const spent = new Set<string>()
  const server = createServer(async (request, response) => {
    const [, operation] = /^\/api\/aic\/v2\/([a-zA-Z]+)$/.exec(request.url ?? '') ?? []
    if (!operation) {
      response.writeHead(404).end()
      return
    }
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
    )
    const spend = async (nonce: string) => !spent.has(nonce) && Boolean(spent.add(nonce))
    const options = { base, keys, spend, now: Date.now, ...wrong }
    const body = await text(request)
    await answer(cms, options, { operation, headers, body }).then(
      (answered) => response.writeHead(answered.status).end(answered.body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  return {
    base,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
