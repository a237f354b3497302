import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, extname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { pagesFolder } from '../../../infra/local/pages.ts'

/**
 * Writes the page of a chat into the folder `name` below `folder`; `code` is its script, which may import from
 * `./page/`.
 */
export async function bundlePage(name: string, code: string, folder: string): Promise<void> {
  const outdir = join(folder, name)
  await build({
    stdin: { contents: code, resolveDir: import.meta.dirname, loader: 'ts' },
    entryNames: 'main',
    outdir,
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    external: ['/backend/chat.js'],
  })
  await writeFile(join(outdir, 'index.html'), writePage(name))
}

const writePage = (title: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/page.css"></head>
<body><header><h1>Chat</h1></header><main id="app"></main><script type="module" src="./main.js"></script></body></html>`

/** Bytes on the wire: plain, with gzip, with brotli. */
export type Bytes = { raw: number; gzip: number; brotli: number }

/**
 * Returns the bytes of the scripts that a foreign page loads with `chat.js`: the file itself and its static imports.
 */
export function weighChat(): Bytes {
  const bytes = { raw: 0, gzip: 0, brotli: 0 }
  const files = new Set([join(pagesFolder, 'chat.js')])
  for (const file of files) {
    const content = readFileSync(file)
    bytes.raw += content.length
    bytes.gzip += gzipSync(content, { level: 9 }).length
    bytes.brotli += brotliCompressSync(content).length
    const imports = content.toString().matchAll(/\b(?:import|from)\s*["'](\.[^"']+\.js)["']/g)
    for (const [, path = ''] of imports) files.add(join(dirname(file), path))
  }
  return bytes
}

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/** Generated pages: the styles around every chat, and an empty page that warms a browser up. */
const made: Record<string, string> = {
  '/page.css':
    'body{margin:0;font:14px/1.5 system-ui}h1{font-size:12px;margin:0}#app{display:block;width:720px;height:700px}',
  '/none.html': '<!doctype html>',
}

/**
 * The content security policy of the strict server. It forbids content from other origins, and styles and scripts
 * inside the page.
 */
export const policy =
  "default-src 'self'; img-src 'self' data:; font-src 'self' data:; object-src 'none'; base-uri 'none'"

/**
 * Serves the bundled pages on loopback, and the product's files below `/backend/`; sends the policy `csp` if given. The
 * server ends with the process. Returns its origin.
 */
export async function serve(folder: string, csp?: string): Promise<string> {
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
  return `http://127.0.0.1:${port}`
}
