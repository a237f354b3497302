import {
  type AuthProvider,
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { isPersonal, type PersonalServer } from '../connection/grant.ts'
import { refused, tokenOf } from '../connection/token.ts'
import { guarded, Refused } from '../safety/guard.ts'
import type { McpServer } from '../settings/schema.ts'
import { secret } from '../stage/config.ts'
import { version } from '../stage/version.ts'

/**
 * On whose behalf a server is asked, on what kind of stage, and when in milliseconds since the epoch; `since` when the
 * user is connected, where the server wants a grant of each user.
 */
export type Asker = { uid: number; isLocal: boolean; now: number; since?: string }

/**
 * A connection in the newest version of the protocol that both sides speak, for one user. The client declares no
 * capability: a server that asks for input, a sample or roots gets none. Rejects where there is no connection, or no
 * credential.
 */
export async function connect(
  server: McpServer,
  asker: Asker,
  timeoutMs = server.timeoutMs,
  credential = credentialOf(server, asker),
): Promise<Client> {
  const client = new Client(
    { name: 'backend-ai-chat', version },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs } },
      inputRequired: { autoFulfill: false },
      listMaxPages: 20,
    },
  )
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    await client.connect(transportOf(server, asker, credential), { timeout: timeoutMs, signal })
    return client
  } catch (error) {
    await client.close()
    throw error
  }
}

/** Adds the credential of a request; undefined for a server without one. */
export type Credential = AuthProvider | undefined

function transportOf(server: McpServer, { isLocal }: Asker, credential: Credential): Transport {
  const { url, command, maxBytes } = server
  if (server.transport === 'stdio') {
    const [program, ...args] = command ?? []
    if (!isLocal || program === undefined) throw new Refused('A program is started on the local stage alone.')
    return new StdioClientTransport({ command: program, args, stderr: 'ignore', maxBufferSize: maxBytes })
  }
  if (url === null) throw new Refused('The server has no address.')
  return new StreamableHTTPClientTransport(new URL(url), {
    fetch: guarded({ maxBytes, isLocal }),
    ...(credential && { authProvider: credential }),
    onInsufficientScope: 'throw',
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  })
}

/** The credential of the user, or of the stage, for a server. Throws Refused where the stage's secret is not set. */
function credentialOf(server: McpServer, asker: Asker): Credential {
  if (isPersonal(server)) return personal(server, asker)
  if (server.auth !== 'shared') return undefined
  const token = server.secret === null ? undefined : secret(server.secret)
  if (!token) throw new Refused('The secret of the server is not set.')
  return { token: async () => token }
}

/** The grant of the user, renewed once where the server refuses it. Its methods reject with NotConnected. */
function personal(server: PersonalServer, { uid, now }: Asker): AuthProvider {
  let sent = ''
  return {
    token: async () => {
      sent = await tokenOf(uid, server, now)
      return sent
    },
    onUnauthorized: () => refused(uid, server, sent, now),
  }
}
