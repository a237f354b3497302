import { type Fetch, guarded } from '../safety/guard.ts'
import { config } from '../stage/config.ts'

/** How long one request of a flow may take, in milliseconds, and how many bytes its answer may have. */
const patienceMs = 8_000
const maxBytes = 500_000

/** How every request of a flow is sent: guarded like those to servers of tools, with a redirect followed nowhere. */
export function asking(): Fetch {
  const send = guarded({ maxBytes, isLocal: config().isLocal })
  return (target, init) => send(target, { ...init, signal: AbortSignal.timeout(patienceMs) })
}
