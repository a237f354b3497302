import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { findChromium } from './test/support/chromium.ts'

const chromium = {
  executablePath: findChromium() ?? 'chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
}

/** They end what hangs, on a machine several times slower than ours, too. No test measures by them. */
const limits = { testTimeout: 180_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } }

const node = {
  ...limits,
  globalSetup: ['test/support/emulators.ts'],
  setupFiles: ['test/support/setup.ts'],
  pool: 'forks' as const,
}

/** Young objects get room, so that the collector does not copy those of a large input and leave those of a small one. */
const growth = {
  include: ['test/core/safety/growth.test.ts'],
  execArgv: ['--min-semi-space-size=256', '--max-semi-space-size=256'],
}

export default defineConfig({
  test: {
    // One more than the cores that CI has: who tests in a browser waits for a third of the time.
    maxWorkers: 3,
    // What a test that passed has logged helps nobody.
    silent: 'passed-only',
    projects: [
      {
        test: {
          ...node,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/browser/**',
            'test/elements/**',
            'test/infra/synth/**',
            'test/integration/**',
            'test/chaos/**',
            ...growth.include,
          ],
        },
      },
      { test: { ...limits, ...growth, name: 'growth', pool: 'forks' } },
      {
        test: {
          ...limits,
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          pool: 'forks',
        },
      },
      { test: { ...node, name: 'chaos', include: ['test/chaos/**/*.test.ts'], testTimeout: 600_000 } },
      {
        test: {
          ...limits,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          pool: 'forks',
        },
      },
      {
        test: {
          ...limits,
          name: 'elements',
          include: ['test/elements/**/*.test.ts'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            // Nothing is looked at or measured while it moves.
            provider: playwright({ launchOptions: chromium, contextOptions: { reducedMotion: 'reduce' } }),
            instances: [{ browser: 'chromium', viewport: { width: 1280, height: 800 } }],
          },
        },
      },
      {
        test: {
          name: 'infra',
          globalSetup: ['test/support/synth/kept.ts', 'test/support/emulators.ts'],
          include: ['test/infra/synth/**/*.test.ts'],
          // The first of them may wait until SST's platform is there.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          pool: 'forks',
        },
      },
    ],
  },
})
