import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import type { start } from './release.ts'

/** The release before this one, as `npm run release:keep` kept it. It is unpacked where it finds its packages. */
export async function previous(): Promise<typeof start> {
  const code = gunzipSync(await readFile(new URL('previous.mjs.gz', import.meta.url)))
  const folder = new URL('../../node_modules/.cache/previous/', import.meta.url)
  const file = new URL(`${createHash('sha256').update(code).digest('hex')}.mjs`, folder)
  await mkdir(folder, { recursive: true })
  await writeFile(file, code)
  const release: { start: typeof start } = await import(/* @vite-ignore */ file.href)
  return release.start
}
