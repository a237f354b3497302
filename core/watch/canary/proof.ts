import { redact } from '../../base/safety/redact.ts'

/**
 * One check of the stage. `prove` returns its finding in words. It throws Untried if the stage does not want the check
 * now, and any other error if the check fails.
 */
export type Check = {
  name: string
  /** Names of checks that must succeed first; otherwise this check is not tried. */
  needs?: string[]
  prove(): Promise<string>
}

/** The result of a check; `untried` is no failure by itself. */
export type Finding = { name: string; outcome: 'good' | 'failed' | 'untried'; detail: string; ms: number }

/** Thrown by a check that the stage does not want now, such as a turn during maintenance. */
export class Untried extends Error {}

/**
 * Runs the checks one after the other and returns the findings in the same order. A check is not tried if a check that
 * it needs did not succeed.
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
  // The first message may already contain the message of the cause.
  const said = first.includes(last) ? first : parts.join(': ')
  return redact(said || String(error)).replace(/\s+/g, ' ')
}
