/**
 * `npm test`: runs every test, or only the tests of the paths after `--`. First builds pages and commands if a test
 * needs them. The last line counts the tests. `--changed [COMMIT]` runs the tests that import a file changed since that
 * commit; the default is the last commit. `--complete`, for CI, fails the run if a test was skipped because this
 * machine lacks a CMS.
 */
import { relative } from 'node:path'
import { createVitest, parseCLI, type Vitest } from 'vitest/node'
import { buildCommands } from '../infra/local/command-bundle.ts'
import { compiledFolder } from '../infra/local/compiled.ts'
import { buildPages } from '../infra/local/pages.ts'
import { findChromium } from '../test/support/chromium.ts'

type Counts = { passed: number; failed: number; skipped: number }

async function main(): Promise<boolean> {
  // Tests start many processes of the product.
  process.env.NODE_COMPILE_CACHE ??= compiledFolder
  process.env.NODE_ENV ??= 'test'
  const given = process.argv.slice(2)
  const isComplete = given.includes('--complete')
  const { filter, options } = parseCLI(['vitest', 'run', ...given.filter((one) => one !== '--complete')])

  const vitest = await createVitest({ ...options, watch: false })
  const specifications = await vitest.getRelevantTestSpecifications(filter)
  const paths = specifications.map(({ moduleId }) => relative(process.cwd(), moduleId))
  const isEmpty = paths.length === 0 && options.changed !== undefined
  if (!isEmpty) {
    await prepare(paths)
    await vitest.start(filter)
  }
  await vitest.close()
  const counts = countTests(vitest)
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
  const isWhole = counts.skipped === 0 || !isComplete
  return isWhole && counts.failed === 0 && (isEmpty || counts.passed > 0)
}

/** Prepares a browser, the pages and the bundled commands, if these test files need them. */
async function prepare(paths: string[]): Promise<void> {
  const concern = (...folders: string[]) => paths.some((path) => folders.some((one) => path.startsWith(one)))
  if (concern('test/browser/', 'test/elements/', 'packages/wordpress/test/')) requireChromium()
  const stages = ['test/browser/', 'test/integration/', 'packages/wordpress/test/']
  // The plan of a deployed stage contains the files of its pages.
  const pages = concern(...stages, 'test/infra/synth/') && buildPages()
  await Promise.all([pages, concern(...stages) && buildCommands()])
}

function requireChromium(): void {
  const path = findChromium()
  if (!path)
    throw new Error(
      'The browser tests need a Chromium: install the package chromium-headless-shell or chromium (Debian: apt-get install chromium), or set CHROMIUM_PATH.',
    )
  process.env.CHROMIUM_PATH = path
}

function countTests(vitest: Vitest): Counts {
  const counts: Counts = { passed: 0, failed: vitest.state.getUnhandledErrors().length, skipped: 0 }
  for (const module of vitest.state.getTestModules()) {
    const before = counts.failed
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      counts[state === 'pending' ? 'failed' : state]++
    }
    // If a file could not be loaded, or its hooks failed, its tests never ran: count a failure.
    if (!module.ok() && counts.failed === before) counts.failed++
  }
  return counts
}

main().then(
  (isGood) => process.exit(isGood ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  },
)
