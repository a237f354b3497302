import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { findChromium } from './test/support/chromium.ts'

const chromium = {
  executablePath: findChromium() ?? 'chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
}

const node = {
  globalSetup: ['test/support/emulators.ts'],
  setupFiles: ['test/support/setup.ts'],
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 60_000,
}

export default defineConfig({
  test: {
    maxWorkers: 2,
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
          ],
        },
      },
      {
        test: {
          name: 'integration',
          // Stages of many processes and real windows may stall on a busy machine; what is broken fails twice.
          retry: 1,
          include: ['test/integration/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      { test: { ...node, name: 'chaos', include: ['test/chaos/**/*.test.ts'], testTimeout: 600_000 } },
      {
        test: {
          name: 'browser',
          retry: 1,
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 15_000 } },
          pool: 'forks',
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'elements',
          include: ['test/elements/**/*.test.ts'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: chromium }),
            instances: [{ browser: 'chromium', viewport: { width: 1280, height: 800 } }],
          },
        },
      },
      {
        test: {
          name: 'infra',
          globalSetup: ['infra/platform.ts', 'test/support/emulators.ts'],
          // They share SST's folder of artifacts.
          fileParallelism: false,
          include: ['test/infra/synth/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          pool: 'forks',
        },
      },
    ],
  },
})
