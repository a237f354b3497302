import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Folder of the built pages. */
export const pagesFolder = fileURLToPath(new URL('../../dist/web', import.meta.url))

const vite = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url))
const cwd = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the pages again at each change, in a process of its own that ends with this one. Its words go to the terminal. */
export function watchPages(): ChildProcess {
  const built = ['build', '--watch', '--emptyOutDir', 'false', '--logLevel', 'warn']
  return spawn(process.execPath, [vite, ...built], { cwd, stdio: ['pipe', 'inherit', 'inherit'] })
}

/** Builds the pages with Vite. Throws an error that carries all that Vite printed. */
export async function buildPages(): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`The pages could not be built:\n${stdout}${stderr}`)
  }
}
