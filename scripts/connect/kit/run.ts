import type { Line } from '../../../core/cms/bridge/line.ts'
import { writeKinds } from '../../../core/cms/capabilities.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import { type Bench, type Check, NotTried, openBench, type Place, type Taken, type Users } from './bench.ts'
import { bin } from './bin.ts'
import { hostile } from './hostile.ts'
import { kinds } from './kinds.ts'
import { parts } from './parts.ts'
import { reading } from './reading.ts'
import { signature } from './signature.ts'
import { undo } from './undo.ts'
import { undoing } from './undoing.ts'
import { writing } from './writing.ts'

/** One check as it ended; `why` says what the CMS did otherwise, or what kept a check from being tried that suits the CMS. */
export type Result = { name: string; capability: string; end: 'kept' | 'broken' | 'leftOut'; why?: string }
export type Report = {
  results: Result[]
  /** What this CMS says that it lacks, or what could not be tried. */
  lacks: string[]
  /** Records of the kit that could not be taken back. */
  left: Place[]
}

type Settings = {
  /** The line that the CMS is reached by; without it, requests and signatures are not tried. */
  line?: Line
  /** Hears of the users before the first check. */
  begin?: (taken: Taken) => void
  /** Hears of every check when it has ended. */
  tell?: (result: Result) => void
  /** The one check to make; all of them where it is absent. */
  only?: string
}

async function made({ name, capability, suits, run }: Check, bench: Bench): Promise<Result> {
  if (suits?.(bench) === false) return { name, capability, end: 'leftOut' }
  try {
    await run(bench)
    return { name, capability, end: 'kept' }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { name, capability, end: error instanceof NotTried ? 'leftOut' : 'broken', why }
  }
}

/** Tries every sentence of the protocol on a CMS as its users, and takes back what it made. Throws Unready. */
export async function runKit(cms: Cms, users: Users, settings: Settings = {}): Promise<Report> {
  const { line, begin, tell, only } = settings
  const { bench, taken, close } = await openBench(await undoing(cms), users)
  begin?.(taken)
  const wired = line
    ? signature.map(
        (check): Check => ({
          ...check,
          run: () => check.run({ line, writer: users.writer }),
        }),
      )
    : []
  const results: Result[] = []
  for (const check of [...wired, ...reading, ...writing, ...undo, ...parts, ...kinds, ...bin, ...hostile]) {
    if (only !== undefined && only !== check.name) continue
    const result = await made(check, bench)
    results.push(result)
    tell?.(result)
  }
  const lacks = Object.entries(bench.capabilities)
    .filter(([, value]) => value === false || value === null || value === 'none')
    .map(([name]) => name)
    // The undo of the stage takes back one record alone, too.
    .filter((name) => name !== 'undoOne' || bench.capabilities.undo)
    .concat(bench.capabilities.bin.length === 0 ? ['bin'] : [])
    .concat(writeKinds.filter((kind) => !bench.capabilities.writes.includes(kind)))
  return { results, lacks: bench.limited ? lacks : [...lacks, 'a limited user'], left: await close() }
}
