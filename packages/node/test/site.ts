import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../../../infra/local/free-port.ts'
import { writeSkeleton } from '../../../scripts/connect/package.ts'
import type { SmallCms } from '../../../test/support/small-cms.ts'

const run = promisify(execFile)
const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))

/** A small CMS from the skeleton, with the kit from its tarball. */
export type Site = SmallCms & {
  /** Holds the code of the CMS against the types of the kit; answers the mistakes. */
  typeMistakes(): Promise<string>
}

/** Starts a skeleton that is paired by a code. */
export async function startSite(code: string): Promise<Site> {
  const root = await mkdtemp(join(tmpdir(), 'node-cms-'))
  const folder = join(root, 'small-cms')
  await writeSkeleton(folder, code, 'node')
  const kit = join(folder, 'node_modules', 'backend-ai-chat-node')
  await mkdir(kit, { recursive: true })
  await run('tar', ['-xzf', join(folder, 'backend-ai-chat-node.tgz'), '-C', kit, '--strip-components=1'])
  const port = await freePort('localhost')
  let end = await startProcess(folder, port)
  return {
    base: `http://127.0.0.1:${port}`,
    async restart() {
      await end()
      end = await startProcess(folder, port)
    },
    async typeMistakes() {
      const options =
        '--noEmit --allowJs --checkJs --strict false --module nodenext --target es2023 --types node'
      const roots = ['--typeRoots', fileURLToPath(new URL('../../../node_modules/@types', import.meta.url))]
      const args = [compiler, ...options.split(' '), ...roots, 'cms.mjs']
      const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error) => error)
      return stdout
    },
    async close() {
      await end()
      await rm(root, { recursive: true, force: true })
    },
  }
}

async function startProcess(cwd: string, port: number): Promise<() => Promise<void>> {
  const cms = spawn(process.execPath, ['--env-file=.env', 'cms.mjs'], {
    cwd,
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((done) => cms.once('exit', () => done()))
  const lines = createInterface({ input: cms.stdout })
  const said = await Promise.race([lines[Symbol.asyncIterator]().next(), ended])
  if (!said) throw new Error('The CMS ended before it listened')
  return async () => {
    cms.kill()
    await ended
  }
}
