/**
 * `npm test`: builds the pages and runs every test, or those of the paths named behind `--`. The last line counts them.
 */
import { parseCLI, startVitest, type Vitest } from 'vitest/node'
import { buildPages } from '../infra/local/build.ts'
import { compiledFolder } from '../infra/local/compiled.ts'
import { findChromium } from '../test/support/chromium.ts'

type Counts = { passed: number; failed: number; skipped: number }

async function main(): Promise<boolean> {
  // Tests start many processes of the product.
  process.env.NODE_COMPILE_CACHE ??= compiledFolder
  const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
  const concerns = (folder: string) =>
    filter.length === 0 || filter.some((path) => path.startsWith(folder) || folder.startsWith(path))
  if (['test/browser', 'test/elements', 'test/cms/wordpress'].some(concerns)) requireChromium()
  if (['test/browser', 'test/integration', 'test/cms/wordpress'].some(concerns)) await buildPages()

  const vitest = await startVitest('test', filter, { ...options, watch: false })
  await vitest.close()
  const counts = count(vitest)
  print(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  return counts.failed === 0 && counts.passed > 0
}

function requireChromium(): void {
  const path = findChromium()
  if (!path)
    throw new Error(
      'The browser tests need a Chromium: install the package chromium (Debian: apt-get install chromium), or set CHROMIUM_PATH.',
    )
  process.env.CHROMIUM_PATH = path
}

function count(vitest: Vitest): Counts {
  const counts: Counts = { passed: 0, failed: vitest.state.getUnhandledErrors().length, skipped: 0 }
  for (const module of vitest.state.getTestModules()) {
    const before = counts.failed
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      counts[state === 'pending' ? 'failed' : state]++
    }
    // A file that could not be loaded, or whose hooks failed, has tests that never ran.
    if (!module.ok() && counts.failed === before) counts.failed++
  }
  return counts
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

main().then(
  (isGood) => process.exit(isGood ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  },
)
