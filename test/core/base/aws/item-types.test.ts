import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** What the compiler says when a declaration of a stored noun changes and its users do not. */

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const codec = JSON.stringify(join(root, 'core/base/aws/item.ts'))

const declared = (fields: string) => `
import { type FieldsOf, flag, item, number, omitted, text } from ${codec}
const lamp = item('lamp', 1, { ${fields} })
export const sold = (row: Record<string, unknown>) => lamp.decode(row).title.trim()
export const row = () => lamp.encode({ ...lamp.empty, title: 'Aurora', isSold: true })
`
const bound = (fields: string) => `
import { type FieldsOf, flag, item, number, omitted, text } from ${codec}
type Lamp = { title: string; note?: string | undefined }
export const lamp = item('lamp', 1, { ${fields} } satisfies FieldsOf<Lamp>)
`

const sources: Record<string, string> = {
  whole: declared("title: text('title'), isSold: flag('is_sold', false)"),
  added: declared("title: text('title'), isSold: flag('is_sold', false), watts: number('watts', 0)"),
  deleted: declared("title: text('title')"),
  changed: declared("title: number('title'), isSold: flag('is_sold', false)"),
  boundWhole: bound("title: text('title'), note: omitted(text('note'))"),
  boundDeleted: bound("title: text('title')"),
  boundChanged: bound("title: text('title'), note: omitted(number('note'))"),
}

let folder: string
let said: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'item-types-'))
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, `${name}.ts`), source)
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
    include: [],
    files: Object.keys(sources).map((name) => `${name}.ts`),
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  said = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', cwd: folder }).stdout
})
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  ['whole', false],
  ['added', false],
  ['deleted', true],
  ['changed', true],
  ['boundWhole', false],
  ['boundDeleted', true],
  ['boundChanged', true],
])('%s is refused by the compiler: %j', (name, isRefused) => {
  expect([said.includes(`${name}.ts(`), said]).toEqual([isRefused, said])
})
