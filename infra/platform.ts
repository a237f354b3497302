import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lock } from './local/lock.ts'

/** The folder in which SST keeps its components and their imports. */
export const platform = join(process.cwd(), '.sst/platform')

/**
 * Has SST write its platform below `.sst` once, which needs the npm registry alone and about 90 seconds: it would also
 * fetch Pulumi and Bun, which only a deploy needs. A second process waits for the first.
 */
export default async function install(): Promise<void> {
  await mkdir('.sst', { recursive: true })
  const locked = await waitForLock()
  try {
    if (await isInstalled()) return
    const env = {
      ...process.env,
      SST_SKIP_DEPENDENCY_CHECK: '1',
      SST_NO_BUN: '1',
      SST_TELEMETRY_DISABLED: '1',
    }
    await promisify(execFile)('node_modules/.bin/sst', ['install', '--stage', 'dev'], { env })
  } finally {
    locked.release()
  }
}

async function waitForLock() {
  for (;;) {
    const locked = lock('.sst')
    if (locked) return locked
    await new Promise((done) => setTimeout(done, 500))
  }
}

/** Uses an existing platform only if it belongs to the SST version of the project. */
async function isInstalled(): Promise<boolean> {
  if (!existsSync(join(platform, 'node_modules/@pulumi/aws'))) return false
  const wanted = JSON.parse(await readFile('node_modules/sst/package.json', 'utf8')).version
  const version = await readFile(join(platform, 'version'), 'utf8').catch(() => '')
  return version.trim() === wanted
}
