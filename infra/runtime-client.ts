import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The client of Lambda's Runtime API that AWS runs Node functions with, as AWS publishes it. */
const name = 'aws-lambda-ric'
const version = '4.0.2'
const integrity =
  'sha512-FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ=='

const run = promisify(execFile)

/**
 * Fetches the client once, below `.sst`, and returns the path of its program. Only tests run it. The package is one file of
 * JavaScript beside the sources of a native addon, which an install would compile for minutes: nothing of it is installed.
 */
export async function runtimeClient(): Promise<string> {
  const folder = join(process.cwd(), `.sst/${name}-${version}`)
  if (!existsSync(folder)) await fetchTo(folder)
  return join(folder, 'package/index.mjs')
}

/** Fetches beside the folder and renames: of two processes the later one finds the folder of the other. */
async function fetchTo(folder: string): Promise<void> {
  await mkdir('.sst', { recursive: true })
  const own = await mkdtemp(`${folder}-`)
  try {
    await run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', own])
    const file = join(own, `${name}-${version}.tgz`)
    const found = `sha512-${createHash('sha512')
      .update(await readFile(file))
      .digest('base64')}`
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
