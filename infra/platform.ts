import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lock } from './local/lock.ts'

const run = promisify(execFile)

/** The folder in which SST keeps its components and their imports. */
export const platform = join(process.cwd(), '.sst/platform')

/**
 * Makes SST write its platform below `.sst` if it is not there. This takes about 90 seconds and needs only the npm
 * registry. SST itself would also fetch Pulumi and Bun, which only a deploy needs. If two processes do this at the same
 * time, the second process waits for the first.
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
    await run('node_modules/.bin/sst', ['install', '--stage', 'dev'], { env })
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

/** The client of Lambda's Runtime API. AWS runs Node functions with this client and publishes it on npm. */
const name = 'aws-lambda-ric'
const version = '4.0.2'
const integrity =
  'sha512-FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ=='

/**
 * Fetches the client once, below `.sst`, and returns the path of its program. Only tests run it. The client is not a
 * dependency, because an install would compile its native addon for minutes; the tests need only its one file of
 * JavaScript.
 */
export async function runtimeClient(): Promise<string> {
  const folder = join(process.cwd(), `.sst/${name}-${version}`)
  if (!existsSync(folder)) await fetchTo(folder)
  return join(folder, 'package/index.mjs')
}

/**
 * Fetches into a temporary folder and renames it: if two processes do so at the same time, the slower process uses the
 * folder of the faster process.
 */
async function fetchTo(folder: string): Promise<void> {
  await mkdir('.sst', { recursive: true })
  const own = await mkdtemp(`${folder}-`)
  try {
    await run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', own])
    const file = join(own, `${name}-${version}.tgz`)
    const found = `sha512-${hash('sha512', await readFile(file), 'base64')}`
    if (found !== integrity) throw new Error(`${name} ${version} is not the package that was read: ${found}`)
    await run('tar', ['-xzf', file, '-C', own, 'package/index.mjs', 'package/LICENSE'])
    await rm(file)
    await rename(own, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
