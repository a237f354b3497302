import type { PersonalServer } from '../connection/grant.ts'
import { type Asker, connect } from './connect.ts'
import { isUnauthorized } from './listing.ts'

/** How long the server may take to look at a token, in milliseconds. */
const patienceMs = 5_000

/** Whether the server refuses the token. A server that does not answer refuses nothing. */
export async function isRefused(server: PersonalServer, asker: Asker, token: string): Promise<boolean> {
  try {
    const client = await connect(server, asker, patienceMs, { token: async () => token })
    try {
      await client.listTools(undefined, { timeout: patienceMs, maxTotalTimeout: patienceMs })
    } finally {
      await client.close()
    }
    return false
  } catch (error) {
    return isUnauthorized(error)
  }
}
