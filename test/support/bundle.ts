import { build, type Metafile } from 'esbuild'
import { bundling } from '../../infra/bundle.ts'

/** A function as a deploy would ship it. */
export type Bundle = {
  /** Bytes that a cold start loads: the function and all that it imports at once. */
  startBytes: number
  /** Bytes of all files, with what is loaded on demand. */
  allBytes: number
  /** Packages of which anything is in it. */
  packages: Set<string>
  /** Our own modules in it, by path. */
  modules: Set<string>
  /** Commands that it can send to table, store and queue. */
  commands: Set<string>
}

/** What a function asks of its bundling. */
export type Bundling = {
  minify: boolean
  splitting: boolean
  esbuild: { keepNames: boolean; external: string[] }
  /** Packages that are installed beside it. */
  install?: Record<string, string>
}

/** Builds a function into a folder with the options that SST gives the compiler for Node 24. */
export async function bundle(
  name: string,
  folder: string,
  { minify, splitting, esbuild, install }: Bundling = bundling,
): Promise<Bundle> {
  const { metafile } = await build({
    entryPoints: [`functions/${name}.ts`],
    entryNames: 'bundle',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'es2024',
    mainFields: ['module', 'main'],
    minify,
    splitting,
    ...esbuild,
    external: ['sharp', 'pg-native', ...Object.keys(install ?? {}), ...esbuild.external],
    metafile: true,
    logLevel: 'error',
    banner: {
      js: [
        "import { createRequire as topLevelCreateRequire } from 'module';",
        'const require = topLevelCreateRequire(import.meta.url);',
        'import { fileURLToPath as topLevelFileUrlToPath, URL as topLevelURL } from "url"',
        'const __filename = topLevelFileUrlToPath(import.meta.url)',
        'const __dirname = topLevelFileUrlToPath(new topLevelURL(".", import.meta.url))',
      ].join('\n'),
    },
  })
  return measure(metafile)
}

const clients = /@aws-sdk\/(?:lib-dynamodb|client-s3|client-sqs)\/dist-es\/commands\/(\w+Command)\.js$/

function measure({ outputs }: Metafile): Bundle {
  const entry = Object.keys(outputs).find((path) => path.endsWith('/bundle.mjs')) ?? ''
  const sum = (paths: Iterable<string>) =>
    [...paths].reduce((bytes, path) => bytes + (outputs[path]?.bytes ?? 0), 0)
  const inputs = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
  return {
    startBytes: sum(loadedAtOnce(outputs, entry)),
    allBytes: sum(Object.keys(outputs)),
    packages: new Set(inputs.flatMap((path) => packageOf(path) ?? [])),
    modules: new Set(inputs.filter((path) => !path.includes('node_modules/'))),
    commands: new Set(inputs.flatMap((path) => clients.exec(path)?.[1] ?? [])),
  }
}

function loadedAtOnce(outputs: Metafile['outputs'], from: string, found = new Set<string>()): Set<string> {
  if (found.has(from)) return found
  found.add(from)
  for (const { path, kind } of outputs[from]?.imports ?? [])
    if (kind === 'import-statement' && path in outputs) loadedAtOnce(outputs, path, found)
  return found
}

function packageOf(path: string): string | undefined {
  const inside = path.split('node_modules/').at(-1)
  if (inside === undefined || inside === path) return undefined
  return inside.split('/', inside.startsWith('@') ? 2 : 1).join('/')
}
