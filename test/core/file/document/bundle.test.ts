import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bundleSandbox } from '../../../../infra/bundle.ts'
import { docx, pdf, xlsx } from '../../../support/documents.ts'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('the bundle reads documents in an empty folder, without any package beside it', async () => {
  await bundleFunction(folder)
  await bundleSandbox(folder)
  await writeFile(join(folder, 'a.pdf'), await pdf(['Text of a PDF']))
  await writeFile(join(folder, 'a.docx'), await docx(['Text of Word']))
  await writeFile(join(folder, 'a.xlsx'), await xlsx({ Sheet: [['Text of a cell']] }))

  const { stdout } = await promisify(execFile)(process.execPath, ['bundle.mjs'], { cwd: folder, env: {} })

  expect(JSON.parse(stdout)).toEqual([
    {
      state: 'whole',
      text: '## Page 1\n\nText of a PDF',
      extent: { unit: 'page', from: 1, to: 1, total: 1 },
      leftOut: [],
    },
    {
      state: 'whole',
      text: 'Text of Word',
      extent: { unit: 'character', from: 1, to: 12, total: 12 },
      leftOut: [],
    },
    {
      state: 'whole',
      text: '## Sheet\n\nText of a cell',
      extent: { unit: 'row', from: 1, to: 1, total: 1 },
      leftOut: [],
    },
  ])
})

test('the process starts without the library for schemas', async () => {
  await bundleSandbox(folder)

  expect(await readFile(join(folder, 'sandbox-child.mjs'), 'utf8')).not.toContain('ZodError')
})

/** A function that extracts, bundled as a deployed one is. */
async function bundleFunction(folder: string): Promise<void> {
  const contents = `
    import { readFile } from 'node:fs/promises'
    import { extract } from './core/file/document/extract.ts'
    const read = async (format) => extract(await readFile('a.' + format), format)
    console.log(JSON.stringify(await Promise.all(['pdf', 'docx', 'xlsx'].map(read))))`
  await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, '../../../..'), loader: 'ts' },
    outfile: join(folder, 'bundle.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: ['sharp'],
    banner: {
      js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
  })
}
