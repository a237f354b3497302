/**
 * `npm run bench [-- SECTION …]`, `npm run bench:peers` and `npm run bench:web`: run sections in sequence, each in its
 * own process. Each command prints a table and stores the figures in `results.json`.
 */
import { loadavg } from 'node:os'
import { version } from '../../core/base/version.ts'
import { codeOf, foldersOf } from '../../scripts/code.ts'
import { complain, print, runCommand, text, UsageError } from '../../scripts/command.ts'
import { holds, type Row, type Section, store, table } from './result-table.ts'
import { runScript } from './section.ts'

const groups: Record<string, Record<string, string>> = {
  own: {
    units: 'sections/units.ts',
    bundles: 'sections/bundles.ts',
    modules: 'sections/modules.ts',
    documents: 'sections/documents.ts',
    worker: 'sections/worker.ts',
    process: 'sections/process.ts',
    load: 'sections/load.ts',
  },
  peers: { turn: 'sections/turn.ts' },
  web: { web: 'web/measure.ts', guest: 'sections/guest.ts' },
}

const accepted = { options: { group: { ...text, default: 'own' } }, allowPositionals: true } as const

runCommand('npm run bench -- [SECTION …]', accepted, async ({ values, positionals }) => {
  const known = groups[values.group]
  const unknown = positionals.filter((name) => !known?.[name])
  if (!known || unknown.length > 0)
    throw new UsageError(
      `There is no section ${unknown.join(', ')}. Sections: ${Object.keys(known ?? groups).join(', ')}`,
    )
  const names = positionals.length > 0 ? positionals : Object.keys(known)
  const rows: Row[] = []
  const failed: string[] = []
  for (const name of names) {
    const section = await measured(name, known[name] as string)
    if (!section) {
      failed.push(name)
      continue
    }
    rows.push(...section.rows)
    print('', table(`${name}  (${section.seconds} s)`, section.rows))
    store(name, section)
  }
  conclude(rows, failed)
  return failed.length > 0 ? 1 : 0
})

/** Runs the section in a file; returns undefined if it failed. */
async function measured(name: string, file: string): Promise<Section | undefined> {
  const startedAt = performance.now()
  const [load = 0] = loadavg()
  const rows = await runScript<Row[]>(file)
  return (
    rows && {
      rows,
      seconds: Math.round((performance.now() - startedAt) / 1000),
      measuredAt: new Date().toISOString(),
      load: Math.round(load * 10) / 10,
      version,
      code: await codeOf(foldersOf(name)),
    }
  )
}

function conclude(rows: Row[], failed: string[]): void {
  const missed = rows.filter((row) => holds(row) === false)
  const held = rows.filter((row) => holds(row) === true)
  print(`\n${held.length} bounds hold, ${missed.length} are missed${missed.length > 0 ? ':' : '.'}`)
  for (const { what } of missed) print(`  ${what}`)
  if (failed.length > 0) complain(`Not measured: ${failed.join(', ')}`)
}
