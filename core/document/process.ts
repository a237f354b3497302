import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { SandboxedFormat } from '../file/format.ts'

/** The process of the sandbox: how it is started, and what it is kept from. */

/** What a process is started for: it loads the libraries of this kind of file while it waits for its job. */
export type Kind = SandboxedFormat | 'image'

/** A checkout runs the sources; a deployed function has them in a bundle. */
const isSource = import.meta.url.endsWith('.ts')

const heapMegabytes = 256

/** Starts a process that takes one job and the file for it. */
export function start(kind: Kind): ChildProcess {
  const child = fileURLToPath(
    new URL(isSource ? './sandbox-child.ts' : './sandbox-child.mjs', import.meta.url),
  )
  return spawn(process.execPath, [...flags(kind === 'image' ? 'image' : 'document'), child, kind], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  })
}

/** How Node is started for a kind of job: what the child may not do, no code in it can do. */
export function flags(kind: 'document' | 'image'): string[] {
  return [
    `--max-old-space-size=${heapMegabytes}`,
    '--permission',
    ...readable().map((path) => `--allow-fs-read=${path}`),
    ...(kind === 'image' ? ['--allow-addons'] : []),
  ]
}

/** The code of the child and of its libraries: no data, no configuration, nothing below `/proc`. */
function readable(): string[] {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  if (!isSource) return [here('./sandbox-child.mjs'), here('./node_modules/*')]
  return ['../*', '../../node_modules/*', '../../package.json'].map(here)
}
