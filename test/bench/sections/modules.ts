import { execFile } from 'node:child_process'
import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundling } from '../../../infra/bundle.ts'
import { bundle } from '../../support/bundle.ts'
import { openBed } from '../bed.ts'
import { functionNames } from '../cold.ts'
import { figure, type Row } from '../result-table.ts'
import { inTurns } from '../sample.ts'
import { section } from '../section.ts'

const floor = (client: string) => `../test/bench/floor/${client}`
const names = [...functionNames, 'process', floor('table'), floor('queue'), floor('store')]
const runs = 9
/** The shortest time of a group with a row of its own, in milliseconds; smaller groups are summed up. */
const least = 1

/**
 * Measures the time that a cold start spends in the modules of a bundle before the first request. The figures show
 * where the next saving is possible.
 */
section(async () => {
  await openBed()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'modules-'))
  const folderOf = (name: string) => join(folder.path, label(name))
  for (const name of names) await mark(name, folderOf(name))
  const found = await inTurns(names, runs, (name) => loadModules(folderOf(name)), 1)
  return names.flatMap((name) => rows(label(name), found(name)))
})

/** Milliseconds by group of modules. */
type Spent = Record<string, number>

const label = (name: string) => (name.includes('floor/') ? `floor of the ${name.split('/').at(-1)}` : name)

/** The esbuild comment before each module. */
const comment = /^\/\/ ((?:node_modules|core|functions|package\.json|scripts)\S*)$/gm

/** Bundles a function, and inserts a call before each module that reports the start of the module. */
async function mark(name: string, folder: string): Promise<void> {
  await mkdir(folder)
  await bundle(name, folder, { ...bundling, minify: false })
  for (const file of await readdir(folder)) {
    const path = join(folder, file)
    const code = await readFile(path, 'utf8')
    const marked = code.replace(comment, "globalThis.begins('$1');")
    await writeFile(path, marked.replace(/\n(?=export \{)/, '\nglobalThis.begins("end");\n'))
  }
  await writeFile(join(folder, 'child.mjs'), child)
}

const child = `
const spent = {}
const now = () => performance.now()
let current = '', since = now()
globalThis.begins = (module) => {
  const at = now()
  spent[current] = (spent[current] ?? 0) + at - since
  current = module
  since = now()
}
await import(process.argv[2])
globalThis.begins('')
process.stdout.write(JSON.stringify(spent))
process.exit(0)`

async function loadModules(folder: string): Promise<Spent> {
  const args = [join(folder, 'child.mjs'), join(folder, 'bundle.mjs')]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: process.env })
  const groups: Spent = {}
  for (const [module, ms] of Object.entries(JSON.parse(stdout) as Spent)) {
    const group = groupOf(module)
    groups[group] = (groups[group] ?? 0) + ms
  }
  return groups
}

const loading = 'files read, parsed and linked'

function groupOf(module: string): string {
  if (module === '' || module === 'end') return loading
  const inside = module.split('node_modules/').at(-1) ?? ''
  if (inside === module) return module.split('/').slice(0, 2).join('/')
  const scope = inside.split('/')[0] ?? ''
  return scope.startsWith('@aws') || scope === '@smithy'
    ? 'SDK of AWS'
    : inside.split('/', scope.startsWith('@') ? 2 : 1).join('/')
}

function rows(name: string, all: Spent[]): Row[] {
  const groups = [...new Set(all.flatMap((spent) => Object.keys(spent)))]
  // The quickest run counts, because other work on the machine can only add time. Processor time is too coarse here.
  const each = groups.map((group) => ({ group, ms: Math.min(...all.map((spent) => spent[group] ?? 0)) }))
  const large = each.filter(({ ms }) => ms >= least).toSorted((a, b) => b.ms - a.ms)
  const rest = each.filter(({ ms }) => ms < least).reduce((sum, { ms }) => sum + ms, 0)
  return [
    ...large.map(({ group, ms }) => figure(`${name}, ${group}`, ms, 'ms')),
    figure(`${name}, ${each.length - large.length} smaller groups`, rest, 'ms'),
  ]
}
