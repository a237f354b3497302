import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startChild } from './child.ts'

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
  return {
    socket,
    close: server.close,
  }
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
