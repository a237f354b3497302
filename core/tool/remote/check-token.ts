import type { PersonalServer } from '../../user/connection/grant.ts'
import { type Asker, connect, hangUp } from './connect.ts'
import { isUnauthorized } from './listing.ts'

/** Timeout of the server's check of a token, in milliseconds. */
const patienceMs = 5_000

/** True if the server rejects the token. A server that does not answer has rejected nothing. */
export async function isRefused(server: PersonalServer, asker: Asker, token: string): Promise<boolean> {
  try {
    const client = await connect(server, asker, patienceMs, { token: async () => token })
    try {
      await client.listTools(undefined, { timeout: patienceMs, maxTotalTimeout: patienceMs })
    } finally {
      await hangUp(client)
    }
    return false
  } catch (error) {
    return isUnauthorized(error)
  }
}
