import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chaosFolders, codeOf, foldersOf } from '../code.ts'

type Measured = { version?: string; date?: string; measuredAt?: string; code?: string }

/** A sentence for each figure that was measured with other code than the repository has, by the code's name in its file. */
export async function outdated(root: string): Promise<string[]> {
  const [bench, chaos] = await Promise.all(
    ['scripts/bench/results.json', 'test/chaos/results.json'].map(async (path) =>
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
