import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { UserId } from '../../../core/cms/user-number/schema.ts'
import { packPayload } from '../../../scripts/connect/package.ts'

export type Role = 'admin' | 'editor' | 'author' | 'guest'

/** A Payload of its own, with the plugin from its tarball and a user for each role; the password of all is `demo`. */
export type Site = {
  origin: string
  /** Base address of the bridge. */
  base: string
  /** Ids of the users. */
  users: Record<Role, UserId>
  /** What the plugin says of a site without an origin that the sender of a request does not choose. */
  refusal: string
  /** Asks Payload's own REST API as a user; answers the status and the body. */
  rest<Body = { doc: Record<string, unknown> & { id: number } }>(
    role: Role,
    method: string,
    path: string,
    body?: object | FormData,
  ): Promise<Body & { status: number }>
  close(): Promise<void>
}

const run = promisify(execFile)
const plugin = fileURLToPath(new URL('..', import.meta.url))
const site = fileURLToPath(new URL('./site', import.meta.url))
const lock = readFileSync(join(plugin, 'package-lock.json'))

/** Where the packages of this lockfile are; they are fetched once for each. */
const packages = join(
  tmpdir(),
  `backend-ai-chat-payload-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`,
)

/** Fetches Payload from npm, if it is not here yet. Answers why it could not. */
export async function install(): Promise<string | undefined> {
  if (existsSync(packages)) return undefined
  const folder = await mkdtemp(`${packages}-part-`)
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    await copyFile(join(plugin, name), join(folder, name))
  try {
    await run('npm', ['ci'], { cwd: folder, maxBuffer: 10_000_000 })
    await rename(folder, packages)
    return undefined
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    // Another test may have fetched them meanwhile.
    if (existsSync(packages)) return undefined
    const reason = String((error as Error).message)
      .split('\n')
      .at(-2)
    process.stderr.write(`The tests of Payload are skipped: npm cannot fetch it (${reason}).\n`)
    return reason
  }
}

/** Holds the sources of the plugin against the types of Payload and React; answers the mistakes. */
export async function typeMistakes(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'payload-types-'))
  const modules = join(packages, 'node_modules')
  const configuration = {
    extends: join(plugin, 'tsconfig.json'),
    compilerOptions: {
      paths: {
        'payload/shared': [`${modules}/payload/dist/exports/shared.d.ts`],
        '*': [`${modules}/@types/*`, `${modules}/*`],
      },
      typeRoots: [`${modules}/@types`],
    },
    include: [join(plugin, 'src/*.ts')],
  }
  const file = join(folder, 'tsconfig.json')
  await writeFile(file, JSON.stringify(configuration))
  const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
  try {
    return (await run(process.execPath, [compiler, '-p', file])).stdout
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type SiteOptions = {
  code: string
  previousCode?: string
  idType?: 'number' | 'uuid'
  login?: string
  moreUsers?: number
}

/** Starts the site on an empty database. */
export async function startSite({ login = 'users', ...options }: SiteOptions): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'payload-site-'))
  const inside = join(folder, 'site')
  const own = join(inside, 'node_modules', 'backend-ai-chat-payload')
  await mkdir(own, { recursive: true })
  await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'))
  for (const name of ['config.mjs', 'server.mjs']) await copyFile(join(site, name), join(inside, name))
  await packPayload(join(folder, 'plugin.tgz'))
  await run('tar', ['-xzf', join(folder, 'plugin.tgz'), '-C', own, '--strip-components=1'])

  const server = spawn(process.execPath, ['server.mjs', JSON.stringify({ folder, login, ...options })], {
    cwd: inside,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<never>((_, failed) => {
    server.once('exit', (exit) => failed(new Error(`Payload ended with ${exit}`)))
  })
  const close = async () => {
    if (server.exitCode === null) {
      server.stdin.end()
      await ended.catch(() => undefined)
    }
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const said = await Promise.race([ready(server.stdout), ended])
    ended.catch(() => undefined)
    const base = `${said.origin}/api`
    return { ...said, base, rest: restOf(base, login), close }
  } catch (error) {
    await close()
    throw error
  }
}

function restOf(base: string, collection: string): Site['rest'] {
  const tokens = new Map<string, Promise<string>>()
  const ask = async (method: string, path: string, body: object | undefined, headers: HeadersInit) => {
    const isForm = body instanceof FormData
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { ...headers, ...(!isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    return { ...(await answer.json()), status: answer.status }
  }
  const login = async (role: string): Promise<string> =>
    (await ask('POST', `/${collection}/login`, { email: `${role}@example.com`, password: 'demo' }, {})).token
  return async (role, method, path, body) => {
    const token = tokens.get(role) ?? login(role)
    tokens.set(role, token)
    return ask(method, path, body, { authorization: `JWT ${await token}` })
  }
}

/** What the site says when it answers; its other lines are of its log. */
async function ready(output: NodeJS.ReadableStream): Promise<Pick<Site, 'origin' | 'users' | 'refusal'>> {
  for await (const line of createInterface({ input: output })) {
    const said = line.startsWith('{"ready":') ? JSON.parse(line).ready : undefined
    if (said) {
      output.resume()
      return said
    }
  }
  throw new Error('Payload said nothing')
}
