import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { pagesFolder } from '../../../infra/local/pages.ts'
import { pageStyles } from './build.ts'

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Generated pages: the styles around every chat, and an empty page to warm a browser up. */
const made: Record<string, string> = { '/page.css': pageStyles, '/none.html': '<!doctype html>' }

/** The policy of the strict server: nothing from elsewhere, and no style or script inside the page. */
export const policy =
  "default-src 'self'; img-src 'self' data:; font-src 'self' data:; object-src 'none'; base-uri 'none'"

/** Serves the bundled pages on loopback, the product's own files below `/backend/`; with a policy, under it. */
export async function serve(folder: string, csp?: string): Promise<{ origin: string; server: Server }> {
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://127.0.0.1')
    const file = pathname.startsWith('/backend/')
      ? join(pagesFolder, pathname.slice('/backend/'.length))
      : join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    const body = made[pathname] ?? (await readFile(file).catch(() => undefined))
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'cache-control': 'no-store',
      ...(csp && { 'content-security-policy': csp }),
    })
    response.end(body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, server }
}
