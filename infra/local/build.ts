import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Folder of the built pages. */
export const pagesFolder = fileURLToPath(new URL('../../dist/web', import.meta.url))

/** Builds the pages with Vite. Throws an error that carries all that Vite printed. */
export async function buildPages(): Promise<void> {
  const vite = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url))
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  try {
    await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`The pages could not be built:\n${stdout}${stderr}`)
  }
}
