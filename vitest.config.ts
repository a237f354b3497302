import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import type { InlineConfig } from 'vitest/node'
import { findChromium } from './test/support/chromium.ts'
import { LongFirst } from './test/support/order.ts'
import { pureTests } from './test/support/pure.ts'

const chromium = {
  executablePath: findChromium() ?? 'chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
}

/**
 * Ends tests that hang. The limits are long enough for a machine several times slower than ours; no test measures time
 * by them.
 */
const limits = { testTimeout: 180_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } }

/** Tests that need a stage, a browser or a build of the infrastructure; each folder has its own project. */
const elsewhere = ['browser', 'elements', 'infra/synth', 'integration', 'chaos'].map(
  (folder) => `test/${folder}/**`,
)

/** Returns a project with the tests of the folder `name`; they run in separate processes. */
const project = (name: string, options: InlineConfig = {}) => ({
  test: { ...limits, name, include: [`test/${name}/**/*.test.ts`], pool: 'forks' as const, ...options },
})

const emulators = { globalSetup: ['test/support/emulators.ts'] }

/** Returns the options of a project whose files share processes; `setup` prepares each file. */
const together = (setup: string): InlineConfig => ({
  isolate: false,
  setupFiles: ['test/support/fresh.ts', setup],
})

/** Gives young objects more memory, so that the garbage collector treats large and small inputs alike. */
const growth = {
  include: ['test/core/base/safety/growth.test.ts'],
  execArgv: ['--min-semi-space-size=256', '--max-semi-space-size=256'],
}

/** Tests that start no emulator and no process. For most changes of a rule, these tests are enough. */
const pure = pureTests(['test']).filter(
  (path) =>
    !elsewhere.some((folder) => path.startsWith(folder.slice(0, -2))) && !growth.include.includes(path),
)

export default defineConfig({
  test: {
    // CI has one core less. A browser test waits for a third of its time, so another test can run.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    // Hides the log of a passed test.
    silent: 'passed-only',
    projects: [
      project('pure', { include: pure, ...together('test/support/environment.ts') }),
      project('unit', {
        ...emulators,
        ...together('test/support/setup.ts'),
        include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
        exclude: ['**/node_modules/**', ...elsewhere, ...growth.include, ...pure],
      }),
      project('growth', growth),
      project('integration'),
      project('chaos', { ...emulators, setupFiles: ['test/support/setup.ts'], testTimeout: 600_000 }),
      project('browser'),
      project('elements', {
        browser: {
          enabled: true,
          headless: true,
          screenshotFailures: false,
          // Reduces motion, so that tests look at and measure only elements at rest.
          provider: playwright({ launchOptions: chromium, contextOptions: { reducedMotion: 'reduce' } }),
          instances: [{ browser: 'chromium', viewport: { width: 1280, height: 800 } }],
        },
      }),
      project('infra', {
        globalSetup: ['test/support/synth/kept.ts', 'test/support/emulators.ts'],
        include: ['test/infra/synth/**/*.test.ts'],
        // The first test may have to wait for the installation of SST's platform.
        testTimeout: 600_000,
        hookTimeout: 600_000,
      }),
    ],
  },
})
