import { readFileSync } from 'node:fs'

/** Returns a quantile of the numbers, 0.5 for the median; NaN for an empty list. */
export function quantile(numbers: number[], q: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

export const median = (numbers: number[]): number => quantile(numbers, 0.5)

/** Calls `act` `warmUp` times, then `times` times, and returns the results of the latter; `at` counts from 0. */
export async function repeated<T>(
  times: number,
  warmUp: number,
  act: (at: number) => Promise<T>,
): Promise<T[]> {
  const found: T[] = []
  for (let at = -warmUp; at < times; at++) {
    const result = await act(at)
    if (at >= 0) found.push(result)
  }
  return found
}

/**
 * Measures subjects alternately, forwards and backwards, so that a slow minute of the machine affects all of them.
 * Returns a function that gives the results of a subject in their order.
 */
export async function inTurns<const S, T>(
  subjects: readonly S[],
  times: number,
  measure: (subject: S) => Promise<T>,
  warmUp = 0,
): Promise<(subject: S) => T[]> {
  const runs = await repeated(times, warmUp, async (at) => {
    const found = new Map<S, T>()
    for (const subject of at % 2 === 0 ? subjects : subjects.toReversed())
      found.set(subject, await measure(subject))
    return found
  })
  return (subject) => runs.map((found) => found.get(subject) as T)
}

/** Returns the processor time of this process so far, in milliseconds. */
export function cpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns a file of the kernel below `/proc`, on Linux only; empty if its process has ended. */
function kernelFile(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

const msPerTick = 10

/** Returns the processor time of another process so far, in milliseconds; 0 if the process has ended. */
export function cpuOf(pid: number): number {
  const fields = kernelFile(`${pid}/stat`).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * msPerTick
}

/** Returns the memory of another process in megabytes: resident now, or the peak so far (`VmHWM`); 0 if it has ended. */
export function megabytesOf(pid: number, kind: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes = 0] = new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(kernelFile(`${pid}/status`)) ?? []
  return Number(kilobytes) / 1024
}

/** Returns the idle processor time since the machine started, in milliseconds over all cores; NaN without Linux. */
export function idle(): number {
  const [, , , , ticks] = kernelFile('stat').split(/\s+/).map(Number)
  return (ticks ?? Number.NaN) * msPerTick
}

/** Returns the ids of all child processes of a process, and of their children. */
export function descendants(pid: number): number[] {
  const below = kernelFile(`${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean)
  return below.map(Number).flatMap((child) => [child, ...descendants(child)])
}

/** Returns the command line of a process; empty if the process has ended. */
export function commandOf(pid: number): string {
  return kernelFile(`${pid}/cmdline`).replaceAll('\0', ' ')
}
