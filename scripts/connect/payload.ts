import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const source = fileURLToPath(new URL('../../packages/payload', import.meta.url))
const run = promisify(execFile)

/** Parts that the site has already, so that none is added twice. */
const external = ['payload', '@payloadcms/*', 'react']

const declared = {
  'plugin.d.ts': `import type { Plugin } from 'payload'
import type { AiChatOptions } from './options.js'
export type { AiChatOptions }
export declare function aiChat(options: AiChatOptions): Plugin
`,
  'panel.d.ts': `import type { ReactElement } from 'react'
export declare function AiChatButton(props: Record<string, string>): ReactElement
export declare function AiChatForget(): null
`,
}

/** Writes the plugin for Payload as the tarball that `npm install` takes: two files of code with their types, README and licence. */
export async function packPayload(file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'payload-plugin-'))
  try {
    const dist = join(folder, 'dist')
    const common = {
      bundle: true,
      format: 'esm',
      target: 'node20',
      platform: 'node',
      logLevel: 'warning',
    } as const
    await build({ ...common, external, entryPoints: [join(source, 'src/plugin.ts')], outdir: dist })
    await build({
      ...common,
      external,
      entryPoints: [join(source, 'src/panel.ts')],
      outdir: dist,
      platform: 'browser',
      target: 'es2022',
      // The button runs in the browser: Next.js goes by this line.
      banner: { js: "'use client'" },
    })
    await copyFile(join(source, 'src/options.ts'), join(dist, 'options.d.ts'))
    for (const [name, text] of Object.entries(declared)) await writeFile(join(dist, name), text)
    await copyFile(join(source, 'README.md'), join(folder, 'README.md'))
    await copyFile(join(source, '../../LICENSE'), join(folder, 'LICENSE'))
    const { devDependencies: _, ...manifest } = JSON.parse(
      await readFile(join(source, 'package.json'), 'utf8'),
    )
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
    const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts'], { cwd: folder })
    const [packed] = JSON.parse(stdout) as [{ filename: string }]
    await mkdir(dirname(file), { recursive: true })
    await copyFile(join(folder, basename(packed.filename)), `${file}.part`)
    await rename(`${file}.part`, file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
