import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'
import { platform } from '../../../infra/platform.ts'

/** Builds and loads the program as SST's command line does, with the compiler of its platform. */

export type App = {
  name: string
  stage: string
  removal: string
  protect: boolean
  providers: Record<string, unknown>
}

/** Text of a file of the project in place of what is there: how a test plants a mistake. */
export type Planted = Record<string, (text: string) => string>

const root = process.cwd()

/** Loads modules from the platform: the program and the mocks have to share one Pulumi. */
export const fromPlatform = createRequire(join(platform, 'package.json'))

const external = [
  '@pulumi/*',
  'undici',
  '@pulumiverse/*',
  '@sst-provider/*',
  '@aws-sdk/*',
  'esbuild',
  'archiver',
  'glob',
  'vite',
]

const banner = [
  'import { createRequire as $require } from "node:module";const require=$require(import.meta.url);',
  'import { fileURLToPath as $path } from "node:url";',
  'const __filename=$path(import.meta.url),__dirname=$path(new URL(".",import.meta.url));',
].join('')

/** What `app` of the configuration answers for the stage, in the region that an operator names if one is. */
export async function readApp(stage: string, region?: string): Promise<App> {
  const { default: config } = await load<{ default: { app(input: unknown): Promise<Omit<App, 'stage'>> } }>(
    'import config from "./sst.config.ts"; export default config',
    { banner: { js: `${banner}globalThis.$config = (it) => it;` }, external: [...external, './infra/*'] },
  )
  const usual = process.env.AWS_REGION
  if (region) process.env.AWS_REGION = region
  const app = await config.app({ stage })
  if (usual === undefined) delete process.env.AWS_REGION
  else process.env.AWS_REGION = usual
  return { ...app, stage, protect: app.protect === true }
}

/** The program of the stage, with its artifacts in the folder `work`; `go` runs it and answers its outputs. */
export async function loadProgram(
  app: App,
  planted: Planted,
  work: string,
): Promise<() => Promise<Record<string, unknown>>> {
  const paths = { home: root, root, work, platform }
  const { go } = await load<{ go(): Promise<Record<string, unknown>> }>(
    `import { run } from "${platform}/src/auto/run.ts"; import config from "./sst.config.ts";
     export const go = () => run(config.run)`,
    {
      inject: [join(platform, 'src/shim/run.js')],
      define: {
        $app: JSON.stringify(app),
        $dev: 'false',
        $cli: JSON.stringify({ command: 'deploy', dev: false, paths, state: { version: {} } }),
      },
      plugins: [await globals(planted)],
    },
  )
  return go
}

/** Gives every file of the project the names that SST makes global, and plants the mistakes. */
async function globals(planted: Planted): Promise<Plugin> {
  const providers = JSON.parse(await readFile('.sst/provider-lock.json', 'utf8')) as {
    alias: string
    package: string
  }[]
  const imports = [
    ...providers.map((provider) => `import * as ${provider.alias} from "${provider.package}";`),
    `import * as sst from "${platform}/src/components";`,
  ].join('')
  return {
    name: 'globals',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.(js|ts|jsx|tsx)$/ }, async ({ path }) => {
        if (path.startsWith(join(root, '.sst'))) return undefined
        const text = await readFile(path, 'utf8')
        const change = planted[path.slice(root.length + 1)]
        const contents = change ? changed(text, change) : text
        return { contents: imports + contents, loader: 'ts' }
      })
    },
  }
}

function changed(text: string, change: (text: string) => string): string {
  const after = change(text)
  if (after === text) throw new Error('The mistake could not be planted: the text is not there')
  return after
}

async function load<T>(contents: string, options: BuildOptions): Promise<T> {
  const { build } = fromPlatform('esbuild') as typeof import('esbuild')
  const outfile = join(platform, `synth-${randomUUID()}.mjs`)
  await build({
    banner: { js: banner },
    mainFields: ['module', 'main'],
    format: 'esm',
    platform: 'node',
    bundle: true,
    logLevel: 'silent',
    external,
    nodePaths: [join(platform, 'node_modules')],
    outfile,
    stdin: { contents, resolveDir: root, sourcefile: 'eval.ts', loader: 'ts' },
    ...options,
  })
  try {
    return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as T
  } finally {
    await rm(outfile, { force: true })
  }
}
