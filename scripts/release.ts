import { readFile, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { sha256 } from '../core/base/hash.ts'
import { own } from '../core/base/json.ts'
import { runCommand, UsageError, writeNamed } from './command.ts'
import { packPlugin } from './connect/package.ts'
import { releaseNotes } from './manifest/changelog.ts'

/**
 * `npm run release:keep`, `release:notes` and `release:plugin`: the steps of a release that a person runs, not the
 * pipeline.
 */
const verbs: Record<string, (file?: string) => Promise<void>> = { keep, notes, plugin }

const usage = 'npm run release:keep, npm run release:notes, npm run release:plugin -- [file]'

runCommand(usage, { allowPositionals: true }, async ({ positionals: [name = '', file, ...more] }) => {
  const verb = own(verbs, name)
  if (!verb) throw new UsageError('keep, notes or plugin is needed.')
  if (verb !== plugin && file !== undefined) throw new UsageError(`${name} takes no file.`)
  if (more.length > 0) throw new UsageError('plugin takes one file.')
  await verb(file)
  return 0
})

/**
 * Stores this release for the test of the next release, which runs the code of both over the same data; run it once for
 * each released version. It stores only the product's own code; the test takes the installed packages.
 */
async function keep(): Promise<void> {
  const keptRelease = new URL('../test/release/previous.mjs.gz', import.meta.url)
  const { outputFiles } = await build({
    entryPoints: ['test/release/release.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    minify: true,
    write: false,
    logLevel: 'error',
  })
  const code = outputFiles[0]?.contents ?? new Uint8Array()
  await writeFile(keptRelease, gzipSync(code, { level: 9 }))
  process.stdout.write(`Kept ${code.length.toLocaleString('en')} bytes of this release.\n`)
}

/** Prints the changelog notes of the version in package.json. */
async function notes(): Promise<void> {
  const [own, changelog] = await Promise.all([
    readFile('package.json', 'utf8'),
    readFile('CHANGELOG.md', 'utf8'),
  ])
  process.stdout.write(releaseNotes(changelog, JSON.parse(own).version))
}

/** Writes the plugin for WordPress and prints its SHA-256. The same sources always give the same bytes. */
async function plugin(file = '.local/backend-ai-chat.zip'): Promise<void> {
  await writeNamed(file, packPlugin(file))
  process.stdout.write(`${sha256(await readFile(file))}  ${file}\n`)
}
