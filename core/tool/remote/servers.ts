import * as Mcp from '@modelcontextprotocol/client'
import type { Actor } from '../../base/actor.ts'
import { ToolError } from '../../base/error.ts'
import { hash } from '../../base/hash.ts'
import { Refused } from '../../base/safety/guard.ts'
import { has } from '../../stage/settings/group.ts'
import type { Settings } from '../../stage/settings/schema.ts'
import type { McpServer } from '../../stage/settings/server.ts'
import { isConnected, isPersonal, ofUser } from '../../user/connection/grant.ts'
import { NotConnected } from '../../user/connection/user-token.ts'
import type { Tool } from '../tool.ts'
import { type Asker, type Session, sessionOf } from './connect.ts'
import type { Definition, Listed } from './definition.ts'
import { isUnauthorized, listingOf } from './listing.ts'
import { type Act, foundIn, remoteTools } from './remote-tool.ts'

/** The MCP servers of a turn. */
export type Servers = {
  /** Returns the tools that these settings allow the actor, from the lists at the start of the turn. */
  tools(actor: Pick<Actor, 'groups' | 'isAdmin'>, settings: Pick<Settings, 'mcpServers'>): Tool[]
  /** The names of the servers that the user could use but has not connected. */
  unconnected: readonly string[]
  /** Ends every connection of the turn. */
  close(): Promise<void>
}

/**
 * Requests the tools of all the actor's servers in parallel, each with a timeout. Never rejects because of a server.
 */
export async function openServers(
  actor: Pick<Actor, 'uid' | 'groups' | 'isAdmin'>,
  settings: Pick<Settings, 'mcpServers'>,
  { now, isLocal }: { now(): number; isLocal: boolean },
): Promise<Servers> {
  const usable = settings.mcpServers.filter(({ groups }) => has(groups, actor))
  const grants = usable.some(isPersonal) ? await ofUser(actor.uid) : new Map()
  const isOpen = (server: McpServer) => !isPersonal(server) || isConnected(grants.get(server.name), server)
  const mine = usable.filter(isOpen)
  const asker = ({ name }: McpServer): Asker => {
    const since = grants.get(name)?.since
    return {
      uid: actor.uid,
      isLocal,
      // A connection lasts as long as its turn, and the grant may end meanwhile.
      get now() {
        return now()
      },
      ...(since && { since }),
    }
  }
  const sessions = new Map<string, Session>()
  /** Returns the turn's session with a server under these settings; creates it if needed. */
  const sessionWith = (server: McpServer) => {
    const key = hash(server)
    const session = sessions.get(key) ?? sessionOf(server, () => asker(server))
    sessions.set(key, session)
    return session
  }
  const list = (server: McpServer, fresh = false) =>
    listingOf(server, asker(server), fresh, sessionWith(server))
  const close = async () => {
    await Promise.all([...sessions.values()].map((session) => session.end()))
  }
  const named = mine.map(async (server) => [server.name, (await list(server)).listing] as const)
  const listings = new Map(await allOr(named, close))
  const made = new Map<string, Tool[]>()
  return {
    tools: (who, { mcpServers }) =>
      mcpServers.flatMap((server) => {
        const listing = listings.get(server.name)
        if (!listing || !has(server.groups, who)) return []
        // Unchanged settings give the same tool objects, so that callers can compare the actor's present tools with the
        // earlier tools.
        const key = hash(server)
        const known = made.get(key)
        if (known) return known
        const act = actOf(server, sessionWith(server), () => list(server, true))
        const tools = remoteTools(server, listing, act)
        made.set(key, tools)
        return tools
      }),
    unconnected: usable.filter((server) => !isOpen(server)).map(({ name }) => name),
    close,
  }
}

/**
 * Waits for all parts. If one rejects, such as a write to the table, waits for the others and runs `close`. The turn
 * then gets nothing that it could close.
 */
async function allOr<T>(parts: Promise<T>[], close: () => Promise<void>): Promise<T[]> {
  try {
    return await Promise.all(parts)
  } catch (error) {
    await Promise.allSettled(parts)
    await close()
    throw error
  }
}

/**
 * Returns the function that calls tools in the turn's session; the function drops a failed connection. `list` requests
 * the present tools.
 */
function actOf(server: McpServer, session: Session, list: () => Promise<Listed>): Act {
  return async (definition, args, { signal, see }, mayChange) => {
    if (mayChange) proveUnchanged(server, await list(), definition)
    const failed = (what: string, cause: unknown) =>
      new ToolError(`The server ${server.name} ${what}: ${reasonOf(cause, server)}`, { cause })
    const client = await session.client().catch((error: unknown) => {
      throw failed('was not reached', error)
    })
    const result = await call(client).catch((error: unknown) => {
      if (signal.aborted && !mayChange) throw signal.reason
      session.drop()
      if (mayChange && !isRefusal(error)) throw error
      throw failed('did not do it', error)
    })
    const found = await foundIn(result, result.isError ? undefined : see)
    if (!result.isError) return found
    throw new ToolError(`The server ${server.name} says that the call failed:\n${found.text}`)

    /** Calls the tool; an approved call gets no abort signal, because an aborted call would end in an unknown state. */
    function call(client: Mcp.Client): Promise<Mcp.CallToolResult> {
      const timeout = { timeout: server.timeoutMs, maxTotalTimeout: server.timeoutMs }
      // Omits the output schema, because no administrator has allowed it and the client would run its patterns.
      const { name, inputSchema } = definition
      return client.callTool(
        { name, arguments: args },
        { ...timeout, toolDefinition: { name, inputSchema }, ...(!mayChange && { signal }) },
      )
    }
  }
}

/**
 * Throws ToolError if the tool has changed. The approval may come days after the proposal, so the present list is
 * checked.
 */
function proveUnchanged(server: McpServer, { listing, failure }: Listed, { name, hash }: Definition): void {
  if (!listing) throw new ToolError(`Not called: the server ${server.name} was not reached: ${failure}`)
  if (listing.tools.some((tool) => tool.name === name && tool.hash === hash)) return
  throw new ToolError(
    'Not called: the server has changed this tool since it was allowed. It is off until an administrator allows it again.',
    { outcome: 'notPermitted' },
  )
}

/** True if the server itself says that it did not do the call. After any other error the outcome is unknown. */
function isRefusal(error: unknown): boolean {
  if (error instanceof Mcp.ProtocolError || isUnauthorized(error)) return true
  if (error instanceof Mcp.SdkHttpError)
    return error.status !== undefined && error.status >= 400 && error.status < 500
  return error instanceof Mcp.SdkError && error.code === Mcp.SdkErrorCode.UnsupportedResultType
}

/**
 * Returns, for a model, the reason why a server did not answer. Only a failure that the server reports has the server's
 * own words.
 */
function reasonOf(error: unknown, { timeoutMs, auth }: McpServer): string {
  if (error instanceof Refused || error instanceof NotConnected) return error.message
  if (error instanceof Mcp.UnauthorizedError || (error instanceof Mcp.SdkHttpError && error.status === 401))
    return auth === 'shared' || auth === 'none'
      ? 'it does not accept the token of this system; an administrator has to look after it.'
      : 'it does not accept the grant of the user, who can connect it again under "Connections" in the menu of the chat.'
  if (error instanceof Mcp.SdkHttpError) return `it answered with status ${error.status}.`
  if (error instanceof Mcp.ProtocolError) return `it answered with an error: ${error.message}`
  if (error instanceof Mcp.SdkError && error.code === Mcp.SdkErrorCode.RequestTimeout)
    return `it did not answer within ${timeoutMs / 1000} seconds.`
  if (error instanceof Mcp.SdkError && error.code === Mcp.SdkErrorCode.UnsupportedResultType)
    return 'it asks for input while it works, which is not given.'
  return 'the connection failed, or its answer could not be read.'
}
