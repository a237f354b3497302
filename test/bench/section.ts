import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { complain, requireNode } from '../../scripts/command.ts'
import type { Row } from './result-table.ts'

/** Runs a section in this process, sends its figures to `run.ts`, and ends the process. */
export function section(measure: () => Promise<Row[]>): void {
  requireNode()
  measure().then(handOver, (error: unknown) => {
    process.stderr.write(`${String((error as Error)?.stack ?? error)}\n`, () => process.exit(1))
  })
}

/** Sends a result to the parent process, and ends this process even if handles are open. */
export function handOver(result: unknown): void {
  process.send?.(result, () => process.exit(0))
}

/**
 * Runs a script of the bench in a new process, and returns the result that it sends. Prints the end of its log if it
 * fails.
 */
export async function runScript<T>(script: string, ...args: (string | number)[]): Promise<T | undefined> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), args.map(String), {
    execArgv: ['--no-warnings', '--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let result: T | undefined
  child.once('message', (sent) => {
    result = sent as T
  })
  let log = ''
  child.stderr?.on('data', (data) => {
    log = `${log}${data}`.slice(-20_000)
  })
  await once(child, 'close')
  if (result === undefined) complain(log.replace(/^(\{.*|.{500,})\n/gm, ''))
  return result
}
