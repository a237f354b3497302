import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
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
  const all: [command: string, measured: Measured, folders: readonly string[]][] = [
    ...sections.map(([name, section]): [string, Measured, readonly string[]] => [
      `npm run bench -- ${name}`,
      section,
      foldersOf(name),
    ]),
    ['npm run chaos', chaos, chaosFolders],
  ]
  const found = await Promise.all(
    all.map(async ([command, { version, date, measuredAt, code }, folders]) =>
      code === (await codeOf(folders))
        ? []
        : [
            `Stale: ${command} measured other code${version ? `, version ${version}` : ''} (${date ?? measuredAt?.slice(0, 10) ?? 'no date'})`,
          ],
    ),
  )
  return found.flat()
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

/** Returns a sentence for each difference between the stored manifest and the manifest that its sources give now. */
export function differences(stored: unknown, built: unknown, path = ''): string[] {
  if (JSON.stringify(stored) === JSON.stringify(built)) return []
  if (!isTree(stored) || !isTree(built) || Array.isArray(stored) !== Array.isArray(built))
    return [`${path || '/'} says ${shown(stored)}; its sources say ${shown(built)}`]
  const [left, right] = [byId(stored), byId(built)]
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  const found = [...names].flatMap((name) => differences(left[name], right[name], `${path}/${name}`))
  return found.length > 0 ? found : [`${path || '/'} has its parts in another order`]
}

/** Returns claims by their id, so that a new claim does not shift the others. */
function byId(tree: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(tree) || !tree.every((entry) => isTree(entry) && typeof entry.id === 'string'))
    return tree
  return Object.fromEntries(tree.map((entry) => [entry.id, entry]))
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200)
