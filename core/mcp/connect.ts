import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { McpServer } from '../settings/schema.ts'
import { version } from '../stage/version.ts'
import type { Asker } from './asker.ts'
import { type Credential, credentialOf } from './credential.ts'
import { guarded, Refused } from './guard.ts'

/**
 * A connection in the newest version of the protocol that both sides speak, for one user. The client declares no
 * capability: a server that asks for input, a sample or roots gets none. Rejects where there is no connection.
 */
export async function connect(
  server: McpServer,
  asker: Asker,
  timeoutMs = server.timeoutMs,
): Promise<Client> {
  const client = new Client(
    { name: 'backend-ai-chat', version },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs } },
      inputRequired: { autoFulfill: false },
      listMaxPages: 20,
    },
  )
  const credential = credentialOf(server)
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    await client.connect(transportOf(server, asker, credential), { timeout: timeoutMs, signal })
    return client
  } catch (error) {
    await client.close()
    throw error
  }
}

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
