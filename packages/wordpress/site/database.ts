import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A MariaDB that one folder holds; no other server of the machine is touched. */
export type Database = {
  /** The socket on which it listens; it has no port. */
  socket: string
  close(): Promise<void>
}

/** Starts MariaDB over the data of a folder, which it makes where there are none; it has a database `wp`. */
export async function startDatabase(folder: string): Promise<Database> {
  const data = join(folder, 'db')
  const socket = join(folder, 'db.sock')
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  if (!existsSync(data))
    await run('mariadb-install-db', [
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      ...user,
    ])
  const options = ['--skip-networking', '--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=64M']
  const server = startChild('TERM', [
    '/usr/sbin/mariadbd',
    '--no-defaults',
    `--datadir=${data}`,
    `--socket=${socket}`,
    ...options,
    ...user,
  ])
  const make = ['-u', 'root', '-e', 'CREATE DATABASE IF NOT EXISTS wp']
  await until(() => run('mariadb', [`--socket=${socket}`, ...make]))
  return { socket, ...server }
}

/** Tries until it works, for three minutes at most; then throws what the last attempt threw. */
export async function until(attempt: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + 180_000
  for (;;) {
    try {
      await attempt()
      return
    } catch (error) {
      if (performance.now() > end) throw error
      await sleep(100)
    }
  }
}

/** A server that runs with all its processes until it is closed, or this process ends. */
export type Child = { close(): Promise<void> }

/** Waits beside the server until nothing holds the other end of its input any more, then ends the whole group. */
const guard = 'trap : TERM; signal=$1; shift; "$@" & read -r _; kill -s "$signal" 0; wait'

/**
 * Starts a server without its output. `signal` ends it and the processes that it has started: when it is closed, and when
 * this process ends in whatever way, by SIGKILL too, because the kernel then closes the pipe that the guard reads.
 */
export function startChild(
  signal: 'TERM' | 'KILL',
  command: string[],
  env: NodeJS.ProcessEnv = process.env,
): Child {
  const child = spawn('sh', ['-c', guard, 'guard', signal, ...command], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const ended = once(child, 'exit')
  return {
    async close() {
      child.stdin.end()
      await ended
    },
  }
}
