import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { type ParseArgsConfig, parseArgs, styleText } from 'node:util'
import { dayMs } from '../core/base/clock.ts'
import { stageHere } from '../core/base/config.ts'
import { escapeUnprintable } from '../core/base/safety/invisible.ts'
import { dayOf } from '../core/stage/usage/budget.ts'
import { joinStage } from '../infra/local/environment.ts'

/** A mistake of the caller of a command; the message is a sentence for that person. */
export class UsageError extends Error {}

/** The exit code of a command after a wrong call, or if no stage is found. */
const usageCode = 2
const leastNode = 24

/** A command option that has a text as its value. */
export const text = { type: 'string' } as const
/** A command option without a value: true if it is given. */
export const flag = { type: 'boolean', default: false } as const

type Given<O extends ParseArgsConfig> = ReturnType<typeof parseArgs<O>>

/**
 * Runs a command with its options in the environment of its stage, and ends the process like `runCommand`. With
 * `--stage` it uses the names and secrets of a deployed stage, which SST gives to authorized people.
 */
export function runStageCommand<const O extends ParseArgsConfig>(
  usage: string,
  accepted: O,
  main: (given: Given<O>) => Promise<number>,
): void {
  runCommand(usage, accepted, async (given) => {
    const { stage } = given.values as { stage?: string }
    const shellCode = rerunInStage(stage)
    if (shellCode !== undefined) return shellCode
    enterStage()
    return main(given)
  })
}

/**
 * Runs a command that needs no stage with its options, and ends the process with the code that `main` returns. A wrong
 * call prints the sentence and the usage line, any other error prints its stack. `--help` prints only the usage line.
 */
export function runCommand<const O extends ParseArgsConfig>(
  usage: string,
  accepted: O,
  main: (given: Given<O>) => Promise<number>,
): void {
  requireNode()
  // A reader of the output, such as `head`, may close the pipe early. The command then ends without an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  if (process.argv.includes('--help')) {
    print(`Usage: ${usage}`)
    return
  }
  // Waits a tick, so that `main` can use what the command's file defines below its call.
  const given = Promise.resolve().then(() => parseArgs(accepted))
  given.then(main).then(
    (code) => process.exit(code),
    (error: unknown) => {
      const isUsage = isUsageError(error)
      complain(
        isUsage ? `${(error as Error).message}\nUsage: ${usage}` : String((error as Error)?.stack ?? error),
      )
      process.exit(isUsage ? usageCode : 1)
    },
  )
}

/** Loads the environment of the stage into this process. Throws UsageError if no stage is found. */
export const enterStage = (): void => readForOperator(joinStage)

/** Returns what `read` returns. An error of it becomes a UsageError, because the operator can mend the files. */
export function readForOperator<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause })
  }
}

/** Throws UsageError if an option is given that is not in `taken`, because the call `asked` would ignore it. */
export function refuseIdle(given: object, taken: string[], asked: string): void {
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && value !== false && !taken.includes(name))
      throw new UsageError(`--${name} has no effect with ${asked}.`)
}

/** Waits for a write to a path that the operator named. Throws UsageError if the path cannot be written. */
export const writeNamed = <T>(path: string, writing: Promise<T>): Promise<T> =>
  writing.catch((cause: NodeJS.ErrnoException) => {
    throw cause.syscall ? new UsageError(`${path} cannot be written: ${cause.message}`, { cause }) : cause
  })

/** Returns the text of a file that an option names. Throws UsageError if the file cannot be read. */
export const readNamed = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: Error) => {
    throw new UsageError(`${path} cannot be read: ${cause.message}`, { cause })
  })

/** True for UsageError, and for an error of `node:util` about an unknown or malformed option. */
function isUsageError(error: unknown): boolean {
  if (error instanceof UsageError) return true
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}

/** Ends the process with a clear sentence if Node is too old for this product. npm scripts use the right version. */
export function requireNode(): void {
  if (Number(process.versions.node.split('.')[0]) >= leastNode) return
  complain(
    `Node ${leastNode} or newer is needed, this is ${process.versions.node}. Use the npm script instead.`,
  )
  process.exit(1)
}

/**
 * Returns an option's value as an integer; undefined if the option is absent. Throws UsageError if the value is no
 * integer or below `least`.
 */
export function parseWhole(name: string, value: string | undefined, least: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value) && Number(value) >= least) return Number(value)
  throw new UsageError(`--${name} is ${value}; it has to be a whole number of at least ${least}.`)
}

/**
 * Returns the days of `--from` and `--to` in UTC, `YYYY-MM-DD`; by default today and the `before` days before it. Throws
 * UsageError if a value is no day of the calendar, or if the first day is after the last.
 */
export function daysIn(
  given: { from?: string | undefined; to?: string | undefined },
  now: number,
  before = 30,
) {
  const { from = dayOf(now - before * dayMs), to = dayOf(now) } = given
  for (const [name, date] of Object.entries({ from, to }))
    if (!(Date.parse(date) >= 0) || dayOf(Date.parse(date)) !== date)
      throw new UsageError(`--${name} is ${date}; it has to be a day such as 2026-11-20.`)
  if (from <= to) return { from, to }
  throw new UsageError(`--from is ${from}, and --to is ${to}, a day before it.`)
}

/**
 * Prints a result on stdout, without unprintable characters. `lead` and `tail` are coloured texts of the command, which
 * it prints unchanged before and after the result.
 */
export function print(line: string, lead = '', tail = ''): void {
  process.stdout.write(`${lead}${escapeUnprintable(line)}${tail}\n`)
}

/** Returns a text of the command in a dimmed colour. */
export const dim = (text: string): string => styleText('dim', text)

/**
 * Returns the rows of a table as lines; the columns `right` are right-aligned. Only the last column may have colours.
 */
export function alignRows(rows: string[][], right: number[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const padded = (cell: string, at: number) =>
    right.includes(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}

/** The coloured marks before the results of checks. */
export const marks = {
  good: styleText('green', 'ok  '),
  failed: styleText('red', 'FAIL'),
  untried: styleText('yellow', '--  '),
} as const

/** Prints an error on stderr. */
export function complain(text: string): void {
  process.stderr.write(`${styleText('red', escapeUnprintable(text), { stream: process.stderr })}\n`)
}

/**
 * Runs this command again with the names and secrets of the deployed stage in `--stage`, and returns its exit code.
 * Returns undefined if this process belongs to that stage, or if no stage is named. Throws UsageError if this process
 * belongs to another stage.
 */
export function rerunInStage(stage: string | undefined): number | undefined {
  if (stage === undefined) return undefined
  if (stage === '') throw new UsageError('--stage is empty; it has to be the name of a stage.')
  if (stage === 'local' || process.env.SST_RESOURCE_App) {
    const here = stageHere() ?? 'local'
    if (stage === here) return undefined
    throw new UsageError(`This is the stage ${here}, not ${stage}.`)
  }
  const command = ['sst', 'shell', '--stage', stage, '--', process.execPath, ...process.argv.slice(1)]
  const env = { ...process.env, SST_TELEMETRY_DISABLED: '1' }
  return spawnSync('npx', command, { stdio: 'inherit', env }).status ?? 1
}
