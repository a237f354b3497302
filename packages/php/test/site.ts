import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../infra/local/free-port.ts'
import type { SmallCms } from '../../../test/support/small-cms.ts'
import { type Child, startChild, until } from '../../wordpress/site/database.ts'

/** True if this machine has no PHP with SQLite. */
export const lacksPhp = globSync('/usr/lib/php/*/pdo_sqlite.so').length === 0

/** Serves a script of PHP in a folder of its own, after `fill` has put it there. */
export async function startPhp(
  script: string,
  env: Record<string, string>,
  fill: (folder: string) => Promise<unknown> = async () => undefined,
): Promise<SmallCms> {
  const root = await mkdtemp(join(tmpdir(), 'php-cms-'))
  const folder = join(root, 'cms')
  await fill(folder)
  const port = await freePort('localhost')
  const base = `http://127.0.0.1:${port}`
  const options = ['-d', `session.save_path=${root}`, '-S', `127.0.0.1:${port}`]
  const start = async (): Promise<Child> => {
    // Several at a time, as behind a web server; PHP itself ends no worker.
    const child = startChild('KILL', ['php', ...options, join(folder, script)], {
      PATH: process.env.PATH ?? '',
      PHP_CLI_SERVER_WORKERS: '4',
      ...env,
    })
    await until(() => fetch(base))
    return child
  }
  let child = await start()
  return {
    base,
    async restart() {
      await child.close()
      child = await start()
    },
    async close() {
      await child.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}
