import { Capabilities } from '../capabilities.ts'
import { CmsFailure } from '../cms.ts'
import { Greeting } from '../operation.ts'
import { ask, checked, type Line } from './line.ts'
import { protocolVersion, windowMs } from './signature.ts'

/** The report of a CMS about itself and the connection. `faults` has a sentence for administrators about each fault. */
export type Inspected = { greeting: Greeting | undefined; faults: string[] }

/**
 * Asks a CMS for its base address, its clock and its key, and compares them. Never throws for a fault of the connection
 * or the CMS: `faults` lists it.
 */
export async function inspect(line: Line): Promise<Inspected> {
  const before = Date.now()
  let greeting: Greeting | undefined
  try {
    const said = await ask(checked(line), 'hello', 0, {})
    greeting = Greeting.safeParse(said).data
    if (!greeting) return { greeting, faults: [otherShape(line)] }
    const faults = faultsOf(line, greeting, (before + Date.now()) / 2)
    if (faults.length > 0) return { greeting, faults }
    await ask(line, 'languages', 0, {})
    return { greeting, faults: faultsIn(line, await ask(line, 'capabilities', 0, {})) }
  } catch (error) {
    if (error instanceof CmsFailure) return { greeting, faults: [error.message] }
    throw error
  }
}

const otherShape = ({ url }: Line) =>
  `The CMS at ${url} answers hello in another shape: its version of the bridge is another.`

/** Returns the reason why capabilities cannot be used: their first invalid value. */
function faultsIn({ url }: Line, capabilities: unknown): string[] {
  const [issue] = Capabilities.safeParse(capabilities).error?.issues ?? []
  if (!issue) return []
  const where = issue.path.length > 0 ? issue.path.map(String).join('.') : 'the whole answer'
  return [
    `The CMS at ${url} says of its capabilities what this version of the bridge does not know, in ${where}: ${issue.message}. Correct it, or update the plugin or the stage.`,
  ]
}

/** Compares the report of a CMS with this side and returns the faults; `now` is milliseconds since the epoch. */
export function faultsOf(line: Line, greeting: Greeting, now: number): string[] {
  const { base, time, keyId, protocols, outgoing } = greeting
  const skew = Math.round(Math.abs(now - time) / 1000)
  const ahead = time > now ? 'ahead of' : 'behind'
  return [
    base !== line.url &&
      `The base address is wrong: the stage has ${line.url}, the CMS takes ${base} for its own. Use one of the two on both sides.`,
    skew * 1000 > windowMs &&
      `The clock of the CMS is ${skew} seconds ${ahead} this one: set both by NTP; ${windowMs / 1000} seconds are allowed.`,
    keyId !== line.keyId &&
      `The CMS answers for the key ${keyId}, the stage has ${line.keyId}: pair them again.`,
    !protocols.includes(protocolVersion) &&
      `The CMS has version ${protocols.join(', ')} of the bridge, the stage has ${protocolVersion}: update the plugin.`,
    outgoing === false &&
      'The CMS blocks its outgoing requests to the stage: logging out there will not end the sessions of the chat. Allow the host of the stage.',
  ].filter((fault) => fault !== false)
}
