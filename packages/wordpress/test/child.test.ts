import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase } from '../site/database.ts'
import { missing } from '../site/site.ts'

const module = fileURLToPath(new URL('../site/database.ts', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'child-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A process that has started a server with a worker, which ends the server when it reads a line; and the ids of both. */
async function started() {
  const file = join(folder, 'ids')
  const server = ['sh', '-c', `sleep 1000 & echo $$ $! > '${file}'; wait`]
  const code = `
    const { startChild } = await import(${JSON.stringify(module)})
    const server = startChild('KILL', ${JSON.stringify(server)})
    process.stdin.once('data', () => server.close().then(() => process.exit(0)))`
  const parent = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', code])
  const read = async () => (await readFile(file, 'utf8').catch(() => '')).trim().split(' ').map(Number)
  await expect.poll(async () => (await read()).length, { timeout: 60_000 }).toBe(2)
  return { parent, ids: await read() }
}

/** How many of these processes are there, apart from entries that only wait to be read. */
async function living(ids: number[]): Promise<number> {
  const states = ids.map((id) => readFile(`/proc/${id}/status`, 'utf8').catch(() => ''))
  return (await Promise.all(states)).filter((status) => /^State:\s+[^ZX]/m.test(status)).length
}

test('a server and its workers end when it is closed', async () => {
  const { parent, ids } = await started()
  expect(await living(ids)).toBe(2)

  parent.stdin.write('close\n')
  await once(parent, 'exit')

  // The signal is sent by then; on a busy machine a process ends a moment after it.
  await expect.poll(() => living(ids), { timeout: 60_000 }).toBe(0)
})

test('a server and its workers end with the process that started them, also when that is killed', async () => {
  const { parent, ids } = await started()

  parent.kill('SIGKILL')

  await expect.poll(() => living(ids), { timeout: 60_000 }).toBe(0)
})

test.skipIf(missing.length > 0)('a database keeps its temporary tables in its own folder', async () => {
  const { socket, close } = await startDatabase(folder)
  const ask = ['-u', 'root', `--socket=${socket}`, '-N', '-e', 'SELECT @@tmpdir']

  const { stdout } = await promisify(execFile)('mariadb', ask).finally(close)

  expect(stdout.trim()).toBe(join(folder, 'db.tmp'))
})
