import { execFile } from 'node:child_process'
import { createWriteStream, globSync } from 'node:fs'
import { cp, mkdir, mkdtempDisposable, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import yazl from 'yazl'
import { parts } from '../../packages/wordpress/site/site.ts'
import { UsageError } from '../command.ts'

const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** The declarations of an entry: a source file that exports only types, and a text that uses these types. */
type Declarations = { source?: string; text: string }

/** A folder of `packages/` as an npm package: its entries with their build options, and its types by file name. */
type NpmPackage = { name: string; entries: BuildOptions[]; types: Record<string, Declarations> }

const payload: NpmPackage = {
  name: 'payload',
  entries: [
    { entryPoints: ['src/plugin.ts'] },
    // The button runs in the browser: Next.js needs this directive.
    { entryPoints: ['src/panel.ts'], platform: 'browser', target: 'es2022', banner: { js: "'use client'" } },
  ],
  types: {
    'plugin.d.ts': {
      source: 'src/options.ts',
      text: "import type { Plugin } from 'payload'\nexport declare function aiChat(options: AiChatOptions): Plugin\n",
    },
    'panel.d.ts': {
      text: `import type { ReactElement } from 'react'
export declare function AiChatButton(props: Record<string, string>): ReactElement
export declare function AiChatForget(): null
`,
    },
  },
}

const node: NpmPackage = {
  name: 'node',
  entries: [
    {
      stdin: {
        contents:
          "export { connect, Refused } from './connect.ts'\nexport { keyFiles } from './key-files.ts'",
        resolveDir: here('packages/node/src'),
      },
      entryNames: 'connect',
    },
  ],
  types: {
    'connect.d.ts': {
      source: 'src/adapter.ts',
      text: `export declare class Refused extends Error {}
export declare function connect(adapter: Adapter, connection: Connection): Chat
export declare function keyFiles(folder: string): KeyStore
`,
    },
  },
}

/** Writes the plugin for Payload as a tarball for `npm install`. */
export const packPayload = (file: string): Promise<void> => pack(payload, file)

/** Writes the kit for a CMS on Node.js as a tarball for `npm install`. */
export const packNode = (file: string): Promise<void> => pack(node, file)

/** Writes a package as a tarball: bundled code with its types, README and licence. */
async function pack({ name, entries, types }: NpmPackage, file: string): Promise<void> {
  const source = here(`packages/${name}`)
  await using temporary = await mkdtempDisposable(join(tmpdir(), `${name}-package-`))
  const folder = temporary.path
  const dist = join(folder, 'dist')
  for (const entry of entries)
    await build({
      absWorkingDir: source,
      bundle: true,
      format: 'esm',
      target: 'node20',
      platform: 'node',
      logLevel: 'warning',
      // The site has these packages already; a second copy must not be bundled.
      external: ['payload', '@payloadcms/*', 'react'],
      outdir: dist,
      ...entry,
    })
  for (const [type, { source: shapes, text }] of Object.entries(types))
    await writeFile(join(dist, type), (shapes ? await readFile(join(source, shapes), 'utf8') : '') + text)
  await cp(join(source, 'README.md'), join(folder, 'README.md'))
  await cp(here('LICENSE'), join(folder, 'LICENSE'))
  const { devDependencies: _, ...manifest } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts'], { cwd: folder })
  const [packed] = JSON.parse(stdout) as [{ filename: string }]
  await mkdir(dirname(file), { recursive: true })
  await cp(join(folder, basename(packed.filename)), `${file}.part`)
  await rename(`${file}.part`, file)
}

/** The folder in the zip file; WordPress unpacks the plugin into a folder of this name. */
const folder = 'backend-ai-chat'

/**
 * The time and mode of all entries in the zip file. They are constant, so that each machine makes the same file.
 */
const same = { mtime: new Date(2026, 0, 1), mode: 0o100644, forceDosTimestamp: true }

/** Writes the plugin for WordPress as the zip file that its page "Add Plugins" accepts. */
export async function packPlugin(file: string): Promise<void> {
  const zip = new yazl.ZipFile()
  for (const [part, source] of Object.entries(parts))
    for (const name of globSync('**/*.*', { cwd: source }).sort())
      zip.addFile(join(source, name), join(folder, part, name), same)
  zip.end()
  await mkdir(dirname(file), { recursive: true })
  await pipeline(zip.outputStream, createWriteStream(file))
}

const kitFile = 'backend-ai-chat-node.tgz'

/** The address at which a skeleton listens. */
const skeletonUrl = 'http://127.0.0.1:4000'

/** The languages of skeletons: the command that starts a skeleton, its file, and the function that adds the kit. */
const skeletons = {
  node: { start: 'npm install && npm start', file: 'cms.mjs', addKit: addNodeKit },
  php: {
    start: `php -S ${new URL(skeletonUrl).host} cms.php`,
    file: 'cms.php',
    addKit: (folder: string) => cp(here('packages/php/src'), join(folder, 'kit'), { recursive: true }),
  },
}

/**
 * Writes a small CMS with the chat into a new folder, paired by the code. Returns the command that starts it, its file,
 * and its address. Throws UsageError if the folder is not empty.
 */
export async function writeSkeleton(folder: string, code: string, language: keyof typeof skeletons) {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty.`)
  const { start, file, addKit } = skeletons[language]
  await addKit(folder)
  await cp(here(`docs/examples/${language}-cms/${file}`), join(folder, file))
  await writeFile(join(folder, '.env'), `CODE=${code}\n`, { mode: 0o600 })
  await writeFile(join(folder, '.gitignore'), '.env\ncms.json*\ncms.sqlite*\nnode_modules\n')
  return { start, file, url: skeletonUrl }
}

async function addNodeKit(folder: string): Promise<void> {
  const name = basename(folder).toLowerCase()
  const manifest = {
    name: name.replace(/[^a-z0-9-]+/g, '-'),
    private: true,
    type: 'module',
    scripts: { start: 'node --env-file=.env cms.mjs' },
    dependencies: { 'backend-ai-chat-node': `file:${kitFile}` },
  }
  await packNode(join(folder, kitFile))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
