import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { SandboxedFormat } from '../format.ts'

/** Starts the sandbox process and sets its permissions. */

/** The kind of file that a process is started for; it loads the libraries for this kind while it waits for its job. */
export type ProcessKind = SandboxedFormat | 'image'

/** A checkout runs the sources; a deployed function has them in a bundle. */
const isSource = import.meta.url.endsWith('.ts')

/** The folder of the maps of East Asian characters, which pdf.js reads for fonts that only name theirs. */
export const characterMaps = fileURLToPath(
  new URL(isSource ? '../../../node_modules/pdfjs-dist/cmaps/' : './cmaps/', import.meta.url),
)

const heapMegabytes = 256

/** Starts a process that takes one job and its file. */
export function startChild(kind: ProcessKind): ChildProcess {
  const child = fileURLToPath(
    new URL(isSource ? './sandbox-child.ts' : './sandbox-child.mjs', import.meta.url),
  )
  return spawn(process.execPath, [...flags(kind === 'image' ? 'image' : 'document'), child, kind], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  })
}

/** The Node flags of a child for a kind of job; no code in the child can lift these restrictions. */
export function flags(kind: 'document' | 'image'): string[] {
  return [
    `--max-old-space-size=${heapMegabytes}`,
    '--permission',
    ...readable().map((path) => `--allow-fs-read=${path}`),
    ...(kind === 'image' ? ['--allow-addons'] : []),
  ]
}

/** The paths that the child may read: its own code and libraries, no data, no configuration, nothing below `/proc`. */
function readable(): string[] {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  if (!isSource) return ['./sandbox-child.mjs', './cmaps/*', './node_modules/*'].map(here)
  return ['../../*', '../../../node_modules/*', '../../../package.json'].map(here)
}
