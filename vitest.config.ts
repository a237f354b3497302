import { defineConfig } from 'vitest/config'

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
    projects: [
      {
        test: {
          ...node,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**', 'test/infra/**', 'test/chaos/**'],
        },
      },
      { test: { ...node, name: 'chaos', include: ['test/chaos/**/*.test.ts'], testTimeout: 600_000 } },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          pool: 'forks',
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'infra',
          include: ['test/infra/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          pool: 'forks',
        },
      },
    ],
  },
})
