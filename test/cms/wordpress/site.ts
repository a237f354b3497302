import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Where Debian's packages put what the site is made of. */
const needed = {
  'php-cli': '/usr/bin/php',
  'mariadb-server': '/usr/sbin/mariadbd',
  wordpress: '/usr/share/wordpress/wp-load.php',
}

/** The packages that this machine lacks for the tests of WordPress; none: they can run. */
export const missing = Object.entries(needed)
  .filter(([, path]) => !existsSync(path))
  .map(([name]) => name)

/** A WordPress of its own, with a database, the plugin and a user per role; the password of all is `demo`. */
export type Site = {
  /** Origin of the site. */
  origin: string
  /** Base address of the bridge. */
  base: string
  users: Record<'admin' | 'editor' | 'author' | 'contributor' | 'subscriber', number>
  /** Runs PHP with WordPress loaded, and answers what it prints. */
  php(code: string): Promise<string>
  close(): Promise<void>
}

const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const plugin = here('../../../core/cms/wordpress/plugin')

/** Starts a site on a private folder; a database of the machine, if there is one, is not touched. */
export async function startSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'wordpress-'))
  const database = await startDatabase(folder)
  const root = join(folder, 'site')
  await cp('/usr/share/wordpress', root, { recursive: true, dereference: true })
  const plugins = join(root, 'wp-content/plugins')
  await rm(plugins, { recursive: true, force: true })
  await cp(plugin, join(plugins, 'backend-ai-chat'), { recursive: true })
  const port = await freePort()
  const origin = `http://localhost:${port}`
  await writeFile(join(root, 'wp-config.php'), configuration(database.socket, origin))

  const users = JSON.parse(lastLine((await run('php', [here('./install.php'), root])).stdout))
  const server = spawn('php', ['-S', `localhost:${port}`, '-t', root, here('./router.php')], {
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: '6' },
    stdio: 'ignore',
    detached: true,
  })
  await answering(`${origin}/wp-json/`)
  return {
    origin,
    base: `${origin}/wp-json`,
    users,
    php: async (code) =>
      (await run('php', ['-r', `require '${root}/wp-load.php'; ${code}`], { maxBuffer: 10_000_000 })).stdout,
    async close() {
      // Its workers are processes of their own, of the same group.
      if (server.pid) process.kill(-server.pid, 'SIGKILL')
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startDatabase(folder: string): Promise<{ socket: string; close(): Promise<void> }> {
  const data = join(folder, 'db')
  const socket = join(folder, 'db.sock')
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  await run('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...user,
  ])
  const options = ['--skip-networking', '--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=64M']
  const server = spawn(
    '/usr/sbin/mariadbd',
    ['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, ...options, ...user],
    { stdio: 'ignore' },
  )
  const ended = new Promise<void>((done) => server.once('exit', () => done()))
  await until(() => run('mariadb', [`--socket=${socket}`, '-u', 'root', '-e', 'CREATE DATABASE wp']))
  return {
    socket,
    async close() {
      server.kill('SIGTERM')
      await ended
    },
  }
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
    ...Object.fromEntries(salts.map((name) => [name, `${name} of the tests`])),
  }
  const lines = Object.entries(constants).map(
    ([name, value]) => `define('${name}', ${JSON.stringify(value)});`,
  )
  return `<?php\n${lines.join('\n')}\n$table_prefix = 'wp_';\nif (!defined('ABSPATH')) { define('ABSPATH', __DIR__ . '/'); }\nrequire_once ABSPATH . 'wp-settings.php';\n`
}

const salts = ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'].flatMap((name) => [`${name}_KEY`, `${name}_SALT`])

const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? ''

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, 'localhost', done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}

const answering = (url: string) =>
  until(async () => {
    const { ok } = await fetch(url)
    if (!ok) throw new Error(`${url} does not answer well`)
  })

/** Tries until it works, for a minute at most. */
async function until(attempt: () => Promise<unknown>): Promise<void> {
  const end = Date.now() + 60_000
  for (;;) {
    try {
      await attempt()
      return
    } catch (error) {
      if (Date.now() > end) throw error
      await new Promise((done) => setTimeout(done, 100))
    }
  }
}
