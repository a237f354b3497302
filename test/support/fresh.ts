import { vi } from 'vitest'

/**
 * Makes a test file independent of the files before it. The files of a project share a process, so that packages are
 * loaded once. Each file loads the modules of the product anew, in the environment that the process had at first.
 */
const name = Symbol.for('environment of the process')
const shared = globalThis as { [name]?: NodeJS.ProcessEnv }
shared[name] ??= { ...process.env }
const environment = shared[name]
for (const variable of Object.keys(process.env)) if (!(variable in environment)) delete process.env[variable]
Object.assign(process.env, environment)
vi.useRealTimers()
vi.unstubAllGlobals()
vi.resetModules()
