import { existsSync, readFileSync, statSync } from 'node:fs'
import { enableCompileCache, SourceMap } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const home = fileURLToPath(new URL('../..', import.meta.url))

/** The folder in which Node caches compiled modules of this checkout for later processes. */
export const compiledFolder = `${home}node_modules/.cache/compiled`

/** Returns the folder of a checkout in which `buildCommands` stores its bundles, each with a stamp beside it. */
export const bundlesFolder = (checkout = home) => `${checkout}dist/commands/`

/**
 * The stamp of a bundle: its files by path, each with its size and the time of its last change. The time is the ctime,
 * which no program can set.
 */
export type Stamp = { root: string; folder: string; files: Record<string, [size: number, changedMs: number]> }

const consumer = ['functions/process.ts', 'functions/cleanup.ts', 'infra/local/prepare.ts']

/**
 * Returns the bundle of a module. Modules that need much of the same code share a bundle, so that a process loads few
 * files.
 */
export function bundleOf(module: string): string {
  if (/^scripts\/(process|worker)\.ts$/.test(module)) return 'turns'
  if (consumer.includes(module)) return 'consumer'
  return module.startsWith('functions/') ? 'web' : 'commands'
}

/**
 * Makes Node cache the modules that this process loads from now on, and use modules cached by another process. The code
 * of a turn then loads in half of the processor time. If the folder cannot be written, nothing is cached.
 */
export function keepCompiled(): void {
  enableCompileCache(compiledFolder)
}

/**
 * Returns the address from which to import a module of this checkout: its bundle or its source. Returns the source
 * without a bundle, after a change of a bundled file, and for a debugger.
 */
export function quickest(source: string, checkout = home): string {
  if (process.execArgv.some((flag) => flag.startsWith('--inspect'))) return source
  const path = fileURLToPath(source)
  if (!path.startsWith(checkout)) return source
  const module = path.slice(checkout.length)
  const stamp = readStamp(bundleOf(module), checkout)
  if (!stamp || stamp.root !== checkout || !isUnchanged(stamp)) return source
  const file = `${bundlesFolder(checkout)}${stamp.folder}/${module.replace(/\.ts$/, '.mjs')}`
  return existsSync(file) ? pathToFileURL(file).href : source
}

/** Returns the stamp of a bundle; undefined if the bundle was never built or the stamp is incomplete. */
export function readStamp(name: string, checkout = home): Stamp | undefined {
  try {
    return JSON.parse(readFileSync(`${bundlesFolder(checkout)}${name}.json`, 'utf8')) as Stamp
  } catch {
    // Without a stamp, the sources are used.
    return undefined
  }
}

function isUnchanged({ root, files }: Stamp): boolean {
  return Object.entries(files).every(([path, [size, changedMs]]) => {
    const found = statSync(`${root}${path}`, { throwIfNoEntry: false })
    return found?.size === size && found.ctimeMs === changedMs
  })
}

/**
 * Makes the stack traces of this process show lines of the sources. A source map is read only when the first error
 * needs it.
 */
export function nameSources(): void {
  const maps = new Map<string, SourceMap>()
  const place = /(file:\/\/\/\S+?\.mjs):(\d+):(\d+)/
  const inSource = (line: string) =>
    line.replace(place, (found, url: string, row: string, column: string) => {
      const file = fileURLToPath(`${url}.map`)
      if (!maps.has(url) && !existsSync(file)) return found
      const map = maps.get(url) ?? new SourceMap(JSON.parse(readFileSync(file, 'utf8')))
      maps.set(url, map)
      const origin = map.findOrigin(Number(row), Number(column))
      if (!('fileName' in origin)) return found
      return `${new URL(origin.fileName, url).href}:${origin.lineNumber}:${origin.columnNumber}`
    })
  Error.prepareStackTrace = (error, sites) =>
    [Error.prototype.toString.call(error), ...sites.map((site) => inSource(`    at ${site}`))].join('\n')
}
