import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { own } from '../../core/base/json.ts'
import { securityHeaders } from '../headers.ts'
import type { Wire } from './event.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

/** The parts of a request that select its page. */
export type PageRequest = { method: string; path: string; accept: string; etag: string | undefined }

/**
 * The pages of the backend from the folder that `vite build` fills, as the CDN serves them: assets for ever, because
 * their names carry a hash; the embeddable `chat.js` to every origin; and the shell for every address of a module that
 * a browser navigates to. Undefined for what is no page, so that the functions answer it.
 */
export async function answerPage(folder: string, asked: PageRequest): Promise<Wire | undefined> {
  const { method, path } = asked
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (path === '/' || path === '') return redirect('/backend')
  if (path !== '/backend' && !path.startsWith('/backend/')) return undefined
  const isNavigation = /\btext\/html\b/.test(asked.accept)
  const name = path.slice('/backend/'.length)
  const file = extname(name) ? await read(folder, name) : undefined
  if (file) return found(file, name, asked)
  if (!isNavigation && path !== '/backend' && path !== '/backend/') return undefined
  const shell = await read(folder, 'index.html')
  return shell ? found(shell, 'index.html', asked) : undefined
}

function found(body: Buffer, name: string, { method, etag }: PageRequest): Wire {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const headers = {
    ...securityHeaders({ isHttps: false }),
    'content-type': own(types, extname(name)) ?? 'application/octet-stream',
    'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: tag,
    // A module script of another site is only loaded with this; assets are what chat.js itself imports.
    ...(!name.endsWith('.html') && {
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    }),
  }
  if (etag === tag) return { status: 304, headers, body: Buffer.alloc(0) }
  return { status: 200, headers, body: method === 'HEAD' ? Buffer.alloc(0) : body }
}

function redirect(location: string): Wire {
  return { status: 302, headers: { location, 'cache-control': 'no-store' }, body: Buffer.alloc(0) }
}

async function read(folder: string, name: string): Promise<Buffer | undefined> {
  const file = normalize(join(folder, decodePath(name)))
  if (!file.startsWith(folder + sep) || file.includes('\0')) return undefined
  try {
    return await readFile(file)
  } catch {
    // No such file, or a folder: both are no page.
    return undefined
  }
}

function decodePath(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** Folder of the built pages. */
export const pagesFolder = fileURLToPath(new URL('../../dist/web', import.meta.url))

const vite = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url))
const cwd = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the pages again at each change, in a process of its own that ends with this one. Its words go to the terminal. */
export function watchPages(): ChildProcess {
  const built = ['build', '--watch', '--emptyOutDir', 'false', '--logLevel', 'warn']
  return spawn(process.execPath, [vite, ...built], { cwd, stdio: ['pipe', 'inherit', 'inherit'] })
}

/** Builds the pages with Vite. Throws an error that carries all that Vite printed. */
export async function buildPages(): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`The pages could not be built:\n${stdout}${stderr}`)
  }
}
