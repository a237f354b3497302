import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { bundleSandbox } from '../bundle.ts'
import { bundleOf, bundlesFolder, readStamp, type Stamp } from './compiled.ts'

const here = fileURLToPath(new URL('../..', import.meta.url))

/** Files that affect the content of a bundle, in addition to its sources. */
const deciding = [
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'infra/local/command-bundle.ts',
  'infra/local/compiled.ts',
]

/** Native packages, and packages that look for files in their own folder. */
const external = [
  /^node:/,
  /^(?:sharp|pg-native|esbuild|rolldown|vite|fauxqs|playwright|eld)$/,
  /^@dynoxide\//,
]

/** Number of older bundles to keep: a process that runs from an older bundle may still load a part of it. */
const keptBundles = 3
/**
 * Margin for the coarse resolution of file times, in milliseconds. A change shortly before the build and a change after
 * it can get the same file time.
 */
const stepMs = 100

/**
 * Builds the bundles of the commands that package.json starts and of the functions, below `dist/commands`. Keeps
 * bundles that are up to date, and returns the names of the bundles that it built. If a source changes meanwhile, its
 * bundle is left out.
 */
export async function buildCommands(checkout = here): Promise<string[]> {
  const modules = await modulesOf(checkout)
  const names = [...new Set(modules.map(bundleOf))]
  const made = await Promise.all(
    names.map(async (name) => {
      if (await isCurrent(name, checkout)) return []
      const members = modules.filter((module) => bundleOf(module) === name)
      return (await make(name, members, checkout)) ? [name] : []
    }),
  )
  return made.flat()
}

async function modulesOf(checkout: string): Promise<string[]> {
  const { scripts } = JSON.parse(await readFile(`${checkout}package.json`, 'utf8'))
  const launched = [...JSON.stringify(scripts).matchAll(/scripts\/launch\.ts ([a-z/-]+)/g)]
  const functions = await readdir(`${checkout}functions`)
  return [
    ...launched.map(([, name]) => `scripts/${name}.ts`),
    ...functions.filter((name) => name.endsWith('.ts')).map((name) => `functions/${name}`),
    'infra/local/prepare.ts',
  ]
}

/**
 * True if the sources still have the content from which the bundle was built. If only their file times differ, stores
 * the new times.
 */
async function isCurrent(name: string, checkout: string): Promise<boolean> {
  const stamp = readStamp(name, checkout)
  if (stamp?.root !== checkout) return false
  const now = await stampOf(name, Object.keys(stamp.files), checkout).catch(() => undefined)
  if (now?.folder !== stamp.folder) return false
  if (JSON.stringify(now) !== JSON.stringify(stamp)) await keepStamp(name, now)
  return true
}

/**
 * Returns a bundle's stamp for the current files. If a file changes while it is read, the next check finds another
 * change time; the stamp does not match.
 */
async function stampOf(name: string, paths: string[], root: string): Promise<Stamp> {
  const hash = createHash('sha256')
  const files: Stamp['files'] = {}
  for (const path of paths) {
    const { size, ctimeMs } = await stat(`${root}${path}`)
    files[path] = [size, ctimeMs]
    hash.update(`${path}\0`).update(await readFile(`${root}${path}`))
  }
  return { root, folder: `${name}-${hash.digest('hex').slice(0, 12)}`, files }
}

async function make(name: string, members: string[], checkout: string): Promise<boolean> {
  const folder = bundlesFolder(checkout)
  await mkdir(folder, { recursive: true })
  const unfinished = await mkdtemp(`${folder}unfinished-`)
  try {
    const startedAt = Date.now()
    const sources = await bundle(members, { checkout, folder: unfinished, plugins: [atHome] })
    const stamp = await stampOf(name, [...new Set([...deciding, ...sources])].sort(), checkout)
    if (Object.values(stamp.files).some(([, changedMs]) => changedMs > startedAt - stepMs)) return false
    await rm(`${folder}${stamp.folder}`, { recursive: true, force: true })
    await rename(unfinished, `${folder}${stamp.folder}`)
    await keepStamp(name, stamp)
    await removeOld(name, folder)
    return true
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/**
 * Builds the files for the worker's image: `scripts/worker.mjs` and the files beside it. The image contains `sharp` as
 * a package, because `sharp` has native code. The sandbox is a separate file, as in a deployed function.
 */
export async function buildWorker(folder: string): Promise<string[]> {
  await bundle(['scripts/worker.ts'], { checkout: here, folder, plugins: [] })
  await bundleSandbox(folder)
  return ['worker']
}

type Bundling = { checkout: string; folder: string; plugins: Plugin[] }

/**
 * Writes a bundle and returns the paths of its own sources. Members with much common code share one file with all code
 * for their start: Node needs longer for many files than for much code. Code that is loaded on demand is in separate
 * files.
 */
async function bundle(members: string[], { checkout, folder, plugins }: Bundling): Promise<string[]> {
  const entries = members.map((path) => `${checkout}${path}`)
  // An entry that runs when it is loaded must not be part of a shared file.
  const isShared = (id: string) => !entries.includes(id)
  const isAlike = !members.some((path) => bundleOf(path) === 'commands')
  const build = await rolldown({
    cwd: checkout,
    input: Object.fromEntries(members.map((path) => [path.replace(/\.ts$/, ''), `./${path}`])),
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    external,
    plugins,
    logLevel: 'silent',
  })
  await build.write({
    dir: folder,
    format: 'esm',
    // Only `nameSources` reads the source map. With `hidden`, the bundle does not name it, so Node does not load it at
    // each start.
    sourcemap: 'hidden',
    sourcemapExcludeSources: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    ...(isAlike && { codeSplitting: { groups: [{ name: 'core', tags: ['$initial'], test: isShared }] } }),
  })
  const files = await build.watchFiles
  await build.close()
  return files
    .filter((path) => path.startsWith(checkout) && !path.includes('/node_modules/'))
    .map((path) => path.slice(checkout.length))
}

/**
 * Replaces `import.meta.url` in a module by the address of its source file. A bundled module then finds the files,
 * workers and child processes that are beside its source file. Workers and child processes thus run from the sources.
 */
const atHome: Plugin = {
  name: 'at-home',
  transform: {
    filter: { id: { include: /\.ts$/, exclude: /\/node_modules\// }, code: 'import.meta.url' },
    handler: (code, id) => ({
      code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
    }),
  },
}

/** Stores a stamp in one step: a reader finds the old stamp or the new one, never a part. */
async function keepStamp(name: string, stamp: Stamp): Promise<void> {
  const file = `${bundlesFolder(stamp.root)}${name}.json`
  await writeFile(`${file}.${process.pid}`, JSON.stringify(stamp))
  await rename(`${file}.${process.pid}`, file)
}

async function removeOld(name: string, folder: string): Promise<void> {
  const bundles = (await readdir(folder)).filter((one) => new RegExp(`^${name}-[0-9a-f]{12}$`).test(one))
  const aged = await Promise.all(
    bundles.map(async (one) => ({ one, madeMs: (await stat(`${folder}${one}`)).ctimeMs })),
  )
  const old = aged.sort((a, b) => b.madeMs - a.madeMs).slice(keptBundles)
  await Promise.all(old.map(({ one }) => rm(`${folder}${one}`, { recursive: true, force: true })))
}
