import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../../../infra/local/free-port.ts'
import { type Database, startChild, startDatabase, until } from './database.ts'

/** The folder of WordPress in Debian's package. */
export const packaged = '/usr/share/wordpress'

/** Debian's packages, each with a file that it installs. */
const needed = {
  'php-cli': '/usr/bin/php',
  'mariadb-server': '/usr/sbin/mariadbd',
  wordpress: `${packaged}/wp-load.php`,
}

/** Debian's packages that this machine lacks for WordPress; empty if WordPress can start. */
export const missing = Object.entries(needed)
  .filter(([, path]) => !existsSync(path))
  .map(([name]) => name)

/** Returns the version of the WordPress in a folder; undefined if there is none. */
export function versionIn(folder: string): string | undefined {
  const file = join(folder, 'wp-includes/version.php')
  return existsSync(file) ? /\$wp_version = '([\w.-]+)'/.exec(readFileSync(file, 'utf8'))?.[1] : undefined
}

/**
 * A WordPress of the local stage, with a database, the plugin and a user per role; the password of all users is `demo`.
 */
export type Site = {
  /** The origin of the site. */
  origin: string
  /** The base address of the bridge. */
  base: string
  users: Record<'admin' | 'editor' | 'author' | 'contributor' | 'subscriber', number>
  /** Runs PHP with WordPress loaded, and returns its output. */
  php(code: string): Promise<string>
  /** Stops the site; its folder stays. */
  close(): Promise<void>
}

const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The source folders of the plugin, by their folder inside it: its own files, and the PHP kit. */
export const parts = { '': here('../plugin'), vendor: here('../../php/src') }

type Options = {
  port?: number
  /** True if a new site gets some pages to ask about. */
  hasDemo?: boolean
  /** The folder of the WordPress from which a new site is made; Debian's package if absent. */
  from?: string | undefined
}

/**
 * Starts WordPress with the plugin. The site keeps its data in `folder`, and a later start uses this data again. The
 * site starts its own database server, and uses no other database server of the machine.
 */
export async function startSite(folder: string, options: Options = {}): Promise<Site> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const database = await startDatabase(folder)
  try {
    return await serve(folder, database, options)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function serve(
  folder: string,
  database: Database,
  { port: chosen, hasDemo, from = packaged }: Options,
): Promise<Site> {
  const root = join(folder, 'site')
  if (!existsSync(root)) {
    await cp(from, root, { recursive: true, dereference: true })
    await rm(join(root, 'wp-content/plugins'), { recursive: true, force: true })
  }
  const place = join(root, 'wp-content/plugins/backend-ai-chat')
  await rm(place, { recursive: true, force: true })
  for (const [part, source] of Object.entries(parts)) await cp(source, join(place, part), { recursive: true })
  const port = chosen ?? (await freePort('localhost'))
  const origin = `http://localhost:${port}`
  await writeFile(join(root, 'wp-config.php'), configuration(database.socket, origin))

  const flags = await keepCompiled(join(folder, 'compiled'))
  const install = [...flags, here('./install.php'), root, ...(hasDemo ? ['demo'] : [])]
  const users = JSON.parse(lastLine((await run('php', install)).stdout))
  // PHP does not end its own workers, so SIGKILL ends the whole process group.
  const serving = ['-d', 'opcache.revalidate_freq=0', '-S', `localhost:${port}`, '-t', root]
  const env = { PATH: process.env.PATH ?? '', PHP_CLI_SERVER_WORKERS: '6' }
  const server = startChild('KILL', ['php', ...serving, here('./router.php')], env)
  await answering(`${origin}/wp-json/`).catch(async (error: unknown) => {
    await server.close()
    throw error
  })
  return {
    origin,
    base: `${origin}/wp-json`,
    users,
    async php(code) {
      const script = `require '${root}/wp-load.php'; ${code}`
      return (await run('php', [...flags, '-r', script], { maxBuffer: 10_000_000 })).stdout
    },
    async close() {
      await server.close()
      await database.close()
    },
  }
}

/** Returns the options with which each run of PHP uses compiled code of earlier runs; a server keeps it in memory. */
async function keepCompiled(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const options = ['enable_cli=1', 'file_cache_only=1', `file_cache=${folder}`]
  return options.flatMap((option) => ['-d', `opcache.${option}`])
}

function configuration(socket: string, origin: string): string {
  const constants = {
    DB_NAME: 'wp',
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `localhost:${socket}`,
    DB_CHARSET: 'utf8mb4',
    DB_COLLATE: '',
    WP_HOME: origin,
    WP_SITEURL: origin,
    WP_DEBUG: true,
    WP_DEBUG_LOG: true,
    WP_DEBUG_DISPLAY: false,
    DISABLE_WP_CRON: true,
    WP_HTTP_BLOCK_EXTERNAL: true,
    WP_ACCESSIBLE_HOSTS: 'localhost,127.0.0.1',
    AUTOMATIC_UPDATER_DISABLED: true,
    ...Object.fromEntries(salts.map((name) => [name, `${name} of this machine`])),
  }
  const lines = Object.entries(constants).map(
    ([name, value]) => `define('${name}', ${JSON.stringify(value)});`,
  )
  return `<?php\n${lines.join('\n')}\n$table_prefix = 'wp_';\nif (!defined('ABSPATH')) { define('ABSPATH', __DIR__ . '/'); }\nrequire_once ABSPATH . 'wp-settings.php';\n`
}

const salts = ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'].flatMap((name) => [`${name}_KEY`, `${name}_SALT`])

const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? ''

const answering = (url: string) =>
  until(async () => {
    const { ok } = await fetch(url)
    if (!ok) throw new Error(`${url} does not answer well`)
  })
