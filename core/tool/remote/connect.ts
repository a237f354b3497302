import { setTimeout as later } from 'node:timers/promises'
import {
  type AuthProvider,
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { secret } from '../../base/config.ts'
import { guarded, Refused } from '../../base/safety/guard.ts'
import { version } from '../../base/version.ts'
import type { McpServer } from '../../stage/settings/server.ts'
import { isPersonal, type PersonalServer } from '../../user/connection/grant.ts'
import { replaceRefused, tokenOf } from '../../user/connection/user-token.ts'

/**
 * The user of a request, the kind of the stage, and the present time in milliseconds since the epoch. `since` is the
 * time of the user's connection, if the server needs a grant of each user.
 */
export type Asker = { uid: number; isLocal: boolean; now: number; since?: string }

/**
 * Connects to a server for one user, in the newest protocol version that both sides support. The client declares no
 * capability, so it refuses requests for input, sampling or roots. Rejects if the connection fails, or a credential is
 * missing.
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

function transportOf(server: McpServer, { isLocal }: Asker, credential: AuthProvider | undefined): Transport {
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
    // The client may resume an answer, because that does not repeat the call. It needs few retries, because the stream
    // of notifications is not important.
    reconnectionOptions: {
      maxRetries: 2,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
    reconnectionScheduler: resuming(),
  })
}

/**
 * The maximum number of times that a connection resumes an answer, and the minimum delay before each time, in
 * milliseconds.
 */
const maxResumed = 10
const resumeMs = 500

/** Limits how often and how fast a server can make the client resume, because the server chooses the delay. */
function resuming() {
  let count = 0
  return (ask: () => void, delay: number) => {
    if (++count > maxResumed) return undefined
    const timer = setTimeout(ask, Math.max(delay, resumeMs))
    return () => clearTimeout(timer)
  }
}

/** The timeout for ending a session, in milliseconds. */
const farewellMs = 2_000

/** Closes a connection and its session on the server. Never rejects, because the server's session expires anyway. */
export async function hangUp(client: Client): Promise<void> {
  const { transport } = client
  if (transport instanceof StreamableHTTPClientTransport)
    await Promise.race([
      transport.terminateSession().catch(() => undefined),
      later(farewellMs, undefined, { ref: false }),
    ])
  await client.close().catch(() => undefined)
}

/** The only connection of a turn to a server, for lists and calls. It opens on first use. */
export type Session = {
  /** Returns the connected client. Rejects like `connect`; the next call tries again. */
  client(timeoutMs?: number): Promise<Client>
  /** Drops a failed connection; the next call of `client` opens a new one. */
  drop(): void
  end(): Promise<void>
}

/** Returns a session that connects on the first call of `client`; `end` closes every connection that was opened. */
export function sessionOf(server: McpServer, asker: () => Asker): Session {
  const opened: Promise<Client>[] = []
  let current: Promise<Client> | undefined
  const drop = () => {
    current = undefined
  }
  return {
    client(timeoutMs) {
      if (current) return current
      const opening = connect(server, asker(), timeoutMs)
      opening.catch(drop)
      opened.push(opening)
      current = opening
      return opening
    },
    drop,
    end: async () => {
      const clients = await Promise.allSettled(opened)
      await Promise.all(clients.map((one) => one.status === 'fulfilled' && hangUp(one.value)))
    },
  }
}

/**
 * Returns the credential of the user or the stage for a server; undefined if it needs none. Throws Refused if the
 * stage's secret is not set.
 */
function credentialOf(server: McpServer, asker: Asker): AuthProvider | undefined {
  if (isPersonal(server)) return personal(server, asker)
  if (server.auth !== 'shared') return undefined
  const token = server.secret === null ? undefined : secret(server.secret)
  if (!token) throw new Refused('The secret of the server is not set.')
  return { token: async () => token }
}

/** Provides the user's grant, and renews it once if the server rejects it. Its methods reject with NotConnected. */
function personal(server: PersonalServer, asker: Asker): AuthProvider {
  const { uid } = asker
  let sent = ''
  return {
    token: async () => {
      sent = await tokenOf(uid, server, asker.now)
      return sent
    },
    onUnauthorized: () => replaceRefused(uid, server, sent, asker.now),
  }
}
