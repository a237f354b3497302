import { readFileSync } from 'node:fs'

/** A quantile of some numbers, 0.5 for the median; NaN of none. */
export function quantile(numbers: number[], q: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

export const median = (numbers: number[]): number => quantile(numbers, 0.5)

/** The results of an act, done so many times after those that warm up; `at` counts from 0. */
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
 * Measures subjects in turn, forwards and backwards, so that a slow minute of the machine affects all of them. Answers a
 * function that gives the results of a subject in their order.
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

/** Processor time of this process so far, in milliseconds. */
export function cpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Processor time of another process so far, in milliseconds; 0 for one that is gone. Linux. */
export function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * msPerTick
  } catch {
    return 0
  }
}

/** Memory of another process in megabytes: resident now, or the most so far (`VmHWM`); 0 for one that is gone. Linux. */
export function megabytesOf(pid: number, kind: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Idle processor time since the machine started, in milliseconds over all cores. Linux. */
export function idle(): number {
  try {
    const [, , , , ticks = 0] = readFileSync('/proc/stat', 'utf8').split(/\s+/).map(Number)
    return ticks * msPerTick
  } catch {
    return Number.NaN
  }
}

const msPerTick = 10

/** The processes below a process, itself not among them. Linux. */
export function descendants(pid: number): number[] {
  try {
    const below = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
    return below.map(Number).flatMap((child) => [child, ...descendants(child)])
  } catch {
    return []
  }
}

/** The name of a process as it tells it. Linux. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
