import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { diffLines } from 'diff'
import { chaosFolders, codeOf, foldersOf } from '../code.ts'

type Measured = { version?: string; date?: string; measuredAt?: string; code?: string }

/** Returns a sentence for each figure that was measured with other code than the repository now contains. */
export async function outdated(root: string): Promise<string[]> {
  const [bench, chaos] = await Promise.all(
    ['test/bench/results.json', 'test/chaos/results.json'].map(async (path) =>
      JSON.parse(await readFile(join(root, path), 'utf8')),
    ),
  )
  const sections = Object.entries(bench.sections as Record<string, Measured>)
  const all: (readonly [command: string, measured: Measured, folders: readonly string[]])[] = [
    ...sections.map(([name, section]) => [`npm run bench -- ${name}`, section, foldersOf(name)] as const),
    ['npm run chaos', chaos, chaosFolders],
  ]
  const found: string[] = []
  for (const [command, { version, date, measuredAt, code }, folders] of all) {
    if (code === (await codeOf(folders))) continue
    const release = version ? `, version ${version}` : ''
    const day = date ?? measuredAt?.slice(0, 10) ?? 'no date'
    found.push(`Stale: ${command} measured other code${release} (${day})`)
  }
  return found
}

const schema = JSON.parse(readFileSync(new URL('./schema.json', import.meta.url), 'utf8'))

/** Returns a sentence for each violation of the specification by a manifest. */
export function violations(manifest: unknown): string[] {
  const ajv = addFormats.default(
    new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false }),
  )
  const validate = ajv.compile(schema)
  if (validate(manifest)) return []
  return (validate.errors ?? []).map(sentence)
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const name = 'additionalProperty' in params ? `: ${params.additionalProperty}` : ''
  return `${instancePath || '/'} ${message}${name}`
}

/** Returns the lines in which the stored manifest differs from the manifest that its sources give now. */
export function differences(stored: unknown, built: unknown): string[] {
  return diffLines(JSON.stringify(stored, null, 2), JSON.stringify(built, null, 2))
    .filter(({ added, removed }) => added || removed)
    .map(({ added, value }) => value.trimEnd().replace(/^/gm, added ? '+ ' : '- '))
}
