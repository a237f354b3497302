import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Lines that contain only a comment. */
const comments = /^[ \t]*(?:\/\/|\/?\*).*\n/gm

/**
 * Returns a hash of the TypeScript code in some folders of the repository: 12 hex characters that differ after each
 * change of code. Comment lines and tests do not count. A figure that was measured with other code is stale.
 */
export async function codeOf(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of folders) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
    const paths = entries
      .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
      .filter((path) => !path.includes('/node_modules/'))
    for (const path of paths.sort()) {
      const text = await readFile(join(root, path), 'utf8')
      hash.update(`${path}\0`).update(text.replace(comments, ''))
    }
  }
  return hash.digest('hex').slice(0, 12)
}

/** The folders whose code a section of the bench measures. */
export function foldersOf(section: string): readonly string[] {
  if (section === 'web' || section === 'guest') return ['web']
  return section === 'bundles' ? ['core', 'functions', 'web'] : ['core', 'functions']
}

/** The folders whose code the random crashes of `npm run chaos` test. */
export const chaosFolders: readonly string[] = ['core', 'functions', 'test/chaos']
