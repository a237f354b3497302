import type { AuthProvider } from '@modelcontextprotocol/client'
import type { McpServer } from '../settings/schema.ts'
import { secret } from '../stage/config.ts'
import { Refused } from './guard.ts'

/** How a request shows who asks; undefined where the server wants nothing. */
export type Credential = AuthProvider | undefined

/** The credential of the stage for a server. Throws Refused where its secret is not set. */
export function credentialOf({ auth, secret: name }: McpServer): Credential {
  if (auth === 'none') return undefined
  const token = name === null ? undefined : secret(name)
  if (!token) throw new Refused('The secret of the server is not set.')
  return { token: async () => token }
}
