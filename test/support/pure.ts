import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { files, imports } from './source.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Files that speak to table, queue or store, or start something that does. */
const emulated =
  /^(core\/base\/aws\/(table|queue|transport)|core\/conversation\/queue|core\/file\/store)\.ts$|^infra\/local\//

/** The test reads the environment of the emulators, or starts a process of the product. */
const reaches = /process\.env|\b(execFile|spawn|fork)\b/

const direct = new Map<string, string[]>()

/**
 * The test files below `folders` whose imports lead to nothing that speaks to table, queue or store. They run without
 * the emulators. A test that begins to import such a file moves to the others by itself.
 */
export function pureTests(folders: string[]): string[] {
  return files(root, folders).filter((path) => path.endsWith('.test.ts') && isPure(path))
}

function isPure(path: string): boolean {
  if (reaches.test(readFileSync(join(root, path), 'utf8'))) return false
  const seen = new Set([path])
  for (const from of seen) {
    if (emulated.test(from)) return false
    for (const to of importsOf(from)) seen.add(to)
  }
  return true
}

function importsOf(path: string): string[] {
  const known = direct.get(path)
  if (known) return known
  const found = imports(readFileSync(join(root, path), 'utf8'))
    .filter((one) => !one.isType && one.path.startsWith('.') && one.path.endsWith('.ts'))
    .map((one) => relative(root, join(root, dirname(path), one.path)))
    .filter((to) => existsSync(join(root, to)))
  direct.set(path, found)
  return found
}
