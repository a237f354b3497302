import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A MariaDB with all its data in one folder; it uses no other database server of the machine. */
export type Database = {
  /** The socket on which it listens; it has no port. */
  socket: string
  close(): Promise<void>
}

/** Starts MariaDB with the data in a folder, and creates the data if there is none; the database is named `wp`. */
export async function startDatabase(folder: string): Promise<Database> {
  const data = join(folder, 'db')
  const socket = join(folder, 'db.sock')
  // A MariaDB deletes all temporary tables that it finds at its start, also those of another one.
  const temporary = join(folder, 'db.tmp')
  await mkdir(temporary, { recursive: true })
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  const shared = ['--no-defaults', `--datadir=${data}`, `--tmpdir=${temporary}`, ...user]
  if (!existsSync(data))
    await run('mariadb-install-db', [...shared, '--auth-root-authentication-method=normal', '--skip-test-db'])
  const options = ['--skip-networking', '--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=64M']
  const server = startChild('TERM', ['/usr/sbin/mariadbd', ...shared, `--socket=${socket}`, ...options])
  const make = ['-u', 'root', '-e', 'CREATE DATABASE IF NOT EXISTS wp']
  await until(() => run('mariadb', [`--socket=${socket}`, ...make]))
  return { socket, ...server }
}

/** Repeats `attempt` until it succeeds, for at most three minutes; then throws the error of the last attempt. */
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

/** A server that runs with all its processes until `close`, or until this process ends. */
export type Child = { close(): Promise<void> }

/** Waits beside the server until the other end of its standard input is closed, then ends the whole process group. */
const guard = 'trap : TERM; signal=$1; shift; "$@" & read -r _; kill -s "$signal" 0; wait'

/**
 * Starts a server and discards its output. `signal` ends the server and its child processes on `close`, and when this
 * process ends in any way. That includes SIGKILL, because the kernel then closes the pipe that the guard reads.
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
