import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { own } from '../../core/base/json.ts'
import { decoded } from '../../functions/http/request.ts'
import { localHeaders } from '../headers.ts'
import type { Wire } from './event.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The parts of a request that select its page. */
type PageRequest = { method: string; path: string; accept: string; etag: string | undefined }

/**
 * Answers requests for the pages of the backend from the folder that `vite build` fills, like the CDN. Browsers keep
 * assets for ever, because their names contain a hash. Every origin may load `chat.js`. A browser that navigates to the
 * address of any module gets the shell page. Returns undefined for any other request, which the functions answer.
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
    ...localHeaders,
    'content-type': own(types, extname(name)) ?? 'application/octet-stream',
    'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: tag,
    // Browsers load a module script of another site only with this header, and `chat.js` loads the assets.
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
  const file = normalize(join(folder, decoded(name)))
  if (!file.startsWith(folder + sep) || file.includes('\0')) return undefined
  try {
    return await readFile(file)
  } catch {
    // The file does not exist, or is a folder: there is no page.
    return undefined
  }
}

/** Folder of the built pages. */
export const pagesFolder = fileURLToPath(new URL('../../dist/web', import.meta.url))

const vite = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url))
const cwd = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Builds the pages again at each change, in a separate process that ends with this one. Its output goes to the
 * terminal.
 */
export function watchPages(): ChildProcess {
  const built = ['build', '--watch', '--emptyOutDir', 'false', '--logLevel', 'warn']
  return spawn(process.execPath, [vite, ...built], { cwd, stdio: ['pipe', 'inherit', 'inherit'] })
}

/** Builds the pages with Vite. Throws an error with all output of Vite. */
export async function buildPages(): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`The pages could not be built:\n${stdout}${stderr}`)
  }
}
