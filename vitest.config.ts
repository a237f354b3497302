import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import type { InlineConfig } from 'vitest/node'
import { findChromium } from './test/support/chromium.ts'
import { pureTests } from './test/support/pure.ts'

const chromium = {
  executablePath: findChromium() ?? 'chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
}

/** They end what hangs, on a machine several times slower than ours, too. No test measures by them. */
const limits = { testTimeout: 180_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } }

/** Tests that need a stage, a browser or a build of the infrastructure have projects of their own. */
const elsewhere = ['browser', 'elements', 'infra/synth', 'integration', 'chaos'].map(
  (folder) => `test/${folder}/**`,
)

/** A project with the tests of a folder of its name; they run in processes. */
const project = (name: string, options: InlineConfig = {}) => ({
  test: { ...limits, name, include: [`test/${name}/**/*.test.ts`], pool: 'forks' as const, ...options },
})

const node = { globalSetup: ['test/support/emulators.ts'], setupFiles: ['test/support/setup.ts'] }

/** Young objects get room, so that the collector does not copy those of a large input and leave those of a small one. */
const growth = {
  include: ['test/core/base/safety/growth.test.ts'],
  execArgv: ['--min-semi-space-size=256', '--max-semi-space-size=256'],
}

/** They start no emulator and no process: most changes of a rule need these alone. */
const pure = pureTests(['test']).filter(
  (path) =>
    !elsewhere.some((folder) => path.startsWith(folder.slice(0, -2))) && !growth.include.includes(path),
)

export default defineConfig({
  test: {
    // One more than the cores that CI has: who tests in a browser waits for a third of the time.
    maxWorkers: 3,
    // What a test that passed has logged helps nobody.
    silent: 'passed-only',
    projects: [
      project('pure', { include: pure, setupFiles: ['test/support/environment.ts'] }),
      project('unit', {
        ...node,
        include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
        exclude: [...elsewhere, ...growth.include, ...pure],
      }),
      project('growth', growth),
      project('integration'),
      project('chaos', { ...node, testTimeout: 600_000 }),
      project('browser'),
      project('elements', {
        browser: {
          enabled: true,
          headless: true,
          screenshotFailures: false,
          // Nothing is looked at or measured while it moves.
          provider: playwright({ launchOptions: chromium, contextOptions: { reducedMotion: 'reduce' } }),
          instances: [{ browser: 'chromium', viewport: { width: 1280, height: 800 } }],
        },
      }),
      project('infra', {
        globalSetup: ['test/support/synth/kept.ts', 'test/support/emulators.ts'],
        include: ['test/infra/synth/**/*.test.ts'],
        // The first of them may wait until SST's platform is there.
        testTimeout: 600_000,
        hookTimeout: 600_000,
      }),
    ],
  },
})
