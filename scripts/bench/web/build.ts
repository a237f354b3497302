import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { pagesFolder } from '../../../infra/local/pages.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

/** A chat to be measured: where its page comes from, and the bytes of script that its page loads at once. */
export type Subject = { name: string; isPeer: boolean; bytes: Bytes }
/** Bytes on the wire: plain, with gzip, with brotli. */
export type Bytes = { raw: number; gzip: number; brotli: number }

/** The subjects of the repository, and the peers, each in a folder with packages of its own. */
export function names(): { own: string[]; peers: string[] } {
  const own = readdirSync(join(here, 'subjects')).map((file) => basename(file, '.ts'))
  return { own, peers: readdirSync(join(here, 'peers')) }
}

/**
 * Bundles the page of a subject into a folder; a peer's packages are installed where they are missing. `entry` is its
 * first file where that was made.
 */
export async function bundle(
  name: string,
  isPeer: boolean,
  folder: string,
  entry?: string,
): Promise<Subject> {
  const root = join(here, isPeer ? join('peers', name) : 'subjects')
  if (isPeer && !existsSync(join(root, 'node_modules'))) await install(root)
  const first = isPeer ? readdirSync(root).find((file) => file.startsWith('adapter.')) : `${name}.ts`
  const outdir = join(folder, name)
  await mkdir(outdir, { recursive: true })
  const { metafile } = await build({
    entryPoints: { main: entry ?? join(root, first ?? '') },
    outdir,
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    external: ['/backend/chat.js'],
    loader: { '.ttf': 'file', '.woff': 'file', '.woff2': 'file', '.svg': 'dataurl', '.png': 'dataurl' },
  })
  const styles = Object.keys(metafile.outputs).some((path) => path.endsWith('.css'))
  await writeFile(join(outdir, 'index.html'), writePage(name, styles))
  const files = name.startsWith('ours') ? shipped() : loadedAtOnce(metafile)
  return { name, isPeer, bytes: weigh(files) }
}

async function install(folder: string): Promise<void> {
  const npm = (...args: string[]) => promisify(execFile)('npm', args, { cwd: folder })
  await npm('install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock')
  // Some packages are built where they are installed; their folder names them.
  await npm('run', 'built', '--if-present')
}

function writePage(title: string, hasStyles: boolean): string {
  const styles = hasStyles ? '<link rel="stylesheet" href="./main.css">' : ''
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/page.css">${styles}</head>
<body><header><h1>Chat</h1></header><main id="app"></main><script type="module" src="./main.js"></script></body></html>`
}

/** The styles of the page around every chat. */
export const pageStyles =
  'body{margin:0;font:14px/1.5 system-ui}h1{font-size:12px;margin:0}#app{display:block;width:720px;height:700px}'

/** The scripts that a foreign page loads with `chat.js`: itself and what it imports at once. */
function shipped(file = join(pagesFolder, 'chat.js'), found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(/\b(?:import|from)\s*["'](\.[^"']+\.js)["']/g)
  for (const [, path] of imports) shipped(join(dirname(file), path as string), found)
  return found
}

function loadedAtOnce({ outputs }: Metafile): Set<string> {
  const found = new Set<string>()
  const walk = (path: string) => {
    if (found.has(path) || !path.endsWith('.js')) return
    found.add(path)
    for (const { kind, path: next } of outputs[path]?.imports ?? [])
      if (kind !== 'dynamic-import' && outputs[next]) walk(next)
  }
  walk(Object.keys(outputs).find((path) => path.endsWith('/main.js')) ?? '')
  return found
}

function weigh(files: Iterable<string>): Bytes {
  const bytes = { raw: 0, gzip: 0, brotli: 0 }
  for (const file of files) {
    const content = readFileSync(file)
    bytes.raw += content.length
    bytes.gzip += gzipSync(content, { level: 9 }).length
    bytes.brotli += brotliCompressSync(content).length
  }
  return bytes
}

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Generated pages: the styles around every chat, and an empty page to warm a browser up. */
const made: Record<string, string> = { '/page.css': pageStyles, '/none.html': '<!doctype html>' }

/** The policy of the strict server. It forbids content from other origins, and styles and scripts inside the page. */
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
