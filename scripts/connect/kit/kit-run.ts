import type { Line } from '../../../core/cms/bridge/line.ts'
import type { Cms, Place } from '../../../core/cms/cms.ts'
import { type Bench, type Check, type KitUsers, NotTried, openBench, type Users } from './bench.ts'
import { kinds } from './kinds.ts'
import { reading } from './read-checks.ts'
import { signature } from './signature-checks.ts'
import { writing } from './writing.ts'

/** The result of one check; `why` is the CMS's deviation, or the reason why an applicable check was not tried. */
export type Result = { name: string; capability: string; end: 'kept' | 'broken' | 'leftOut'; why?: string }
type KitReport = {
  results: Result[]
  /** Capabilities whose checks were not tried: the CMS lacks the capability, or the run has no record for the check. */
  lacks: string[]
  /** Records of the kit that could not be removed or restored. */
  left: Place[]
}

type Settings = {
  /** The connection to the CMS; without it, requests and signatures are not checked. */
  line?: Line
  /** Called with the users before the first check. */
  begin?: (taken: KitUsers) => void
  /** Called with the result of every check when the check has ended. */
  tell?: (result: Result) => void
  /** Runs only the checks whose capability and sentence contain these words; all checks if absent. */
  only?: string | undefined
}

async function made({ name, capability, suits, run }: Check, bench: Bench): Promise<Result> {
  if (!suits(bench)) return { name, capability, end: 'leftOut' }
  try {
    await run(bench)
    return { name, capability, end: 'kept' }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { name, capability, end: error instanceof NotTried ? 'leftOut' : 'broken', why }
  }
}

/**
 * Checks every rule of the protocol on a CMS as its users, and removes its records. Throws UsageError if no check
 * is possible.
 */
export async function runKit(cms: Cms, users: Users, settings: Settings = {}): Promise<KitReport> {
  const { line, begin, tell, only = '' } = settings
  const { bench, taken, close } = await openBench(cms, users)
  begin?.(taken)
  const wired = line ? signature({ line, writer: users.writer }) : []
  const results: Result[] = []
  for (const check of [...wired, ...reading, ...writing, ...kinds]) {
    if (!`${check.capability}: ${check.name}`.includes(only)) continue
    const result = await made(check, bench)
    results.push(result)
    tell?.(result)
  }
  const { writes, ...others } = bench.capabilities
  const absent = Object.entries(others).filter(([, value]) => !value || value === 'none')
  const empty = Object.entries(writes).filter(([, types]) => types.length === 0)
  const lacks = [...absent, ...empty].map(([name]) => name).concat(bench.limited ? [] : 'a limited user')
  return { results, lacks, left: await close() }
}
