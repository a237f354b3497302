import { requireNode } from '../command.ts'
import type { Row } from './result-table.ts'

/** The line by which a section hands its figures to `run.ts`. */
export const mark = '\u001e'

/**
 * Runs a section in this process, which is its own, and prints its figures. Ends the process with 1 when it fails, and
 * in any case at the end, whatever is still open.
 */
export function section(measure: () => Promise<Row[]>): void {
  requireNode()
  measure().then(
    (rows) => process.stdout.write(`${mark}${JSON.stringify(rows)}\n`, () => process.exit(0)),
    (error: unknown) => {
      process.stderr.write(`${String((error as Error)?.stack ?? error)}\n`, () => process.exit(1))
    },
  )
}
