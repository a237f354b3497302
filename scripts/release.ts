import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * `npm run release:keep`, once for each released version: keeps this release for the test of the next one, which runs
 * both over the same data. It keeps the product's own code; packages are the installed ones.
 */
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
