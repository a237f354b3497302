import { redact } from '../../base/safety/redact.ts'

/**
 * One thing that has to work. `prove` answers in words what it found, throws Untried where the stage does not want it
 * tried now, or throws what is wrong.
 */
export type Check = {
  name: string
  /** Names of checks without whose success this one cannot be tried. */
  needs?: string[]
  prove(): Promise<string>
}

/** The result of a check; `untried` is no failure by itself. */
export type Finding = { name: string; outcome: 'good' | 'failed' | 'untried'; detail: string; ms: number }

/** Thrown by a check that the stage does not want tried now, such as a turn while the stage is maintained. */
export class Untried extends Error {}

/**
 * Runs the checks one after the other and answers what was found, in their order. One that fails keeps only those from
 * being tried that need it.
 */
export async function prove(
  checks: Check[],
  tell: (finding: Finding) => void = () => {},
): Promise<Finding[]> {
  const findings: Finding[] = []
  const good = new Set<string>()
  for (const check of checks) {
    const startedAt = performance.now()
    const found = await outcomeOf(check, good)
    if (found.outcome === 'good') good.add(check.name)
    const finding = { name: check.name, ...found, ms: Math.round(performance.now() - startedAt) }
    findings.push(finding)
    tell(finding)
  }
  return findings
}

async function outcomeOf(
  { needs = [], prove }: Check,
  good: Set<string>,
): Promise<Pick<Finding, 'outcome' | 'detail'>> {
  const missing = needs.find((name) => !good.has(name))
  if (missing !== undefined) return { outcome: 'untried', detail: `needs: ${missing}` }
  try {
    return { outcome: 'good', detail: await prove() }
  } catch (error) {
    return { outcome: error instanceof Untried ? 'untried' : 'failed', detail: reason(error) }
  }
}

function reason(error: unknown): string {
  const parts: string[] = []
  for (let at = error; at instanceof Error && parts.length < 3; at = at.cause) parts.push(at.message)
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  // A sentence that names its cause already says it all.
  const said = first.includes(last) ? first : parts.join(': ')
  return redact(said || String(error)).replace(/\s+/g, ' ')
}
