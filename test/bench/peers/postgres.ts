import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../infra/local/free-port.ts'

/** A process of the installed PostgreSQL on loopback; its data is deleted when it stops. */
export type Postgres = AsyncDisposable & { port: number; version: string }

/** Starts Debian's PostgreSQL. Throws an error with a readable sentence if it is not installed. */
export async function startPostgres(): Promise<Postgres> {
  const bin = folderOfBinaries()
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'))
  const user = owner()
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const port = await freePort('127.0.0.1')
  const options = { stdio: 'ignore' as const, cwd: folder, ...user }
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'bench', '--auth=trust'], options)
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder],
    options,
  )
  const ended = new Promise((done) => server.once('exit', done))
  while (!isReady(bin, port)) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${server.exitCode}`)
    await sleep(100)
  }
  return {
    port,
    version: execFileSync(join(bin, 'postgres'), ['--version'])
      .toString()
      .trim()
      .replace(/^postgres \(PostgreSQL\) /, ''),
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function folderOfBinaries(): string {
  const root = '/usr/lib/postgresql'
  const [newest] = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  if (!newest) throw new Error("The comparison needs Debian's PostgreSQL: apt-get install postgresql")
  return join(root, newest, 'bin')
}

/** Returns the user `postgres` of the package, because the server refuses to run as root; undefined if not root. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString())
  return { uid: id('-u'), gid: id('-g') }
}

function isReady(bin: string, port: number): boolean {
  try {
    execFileSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
