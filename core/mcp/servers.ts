import {
  type CallToolResult,
  type Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { Actor } from '../actor.ts'
import { hash } from '../canonical.ts'
import { isConnected, isPersonal, ofUser } from '../connection/grant.ts'
import { NotConnected } from '../connection/token.ts'
import { ToolError } from '../error.ts'
import { Refused } from '../safety/guard.ts'
import type { McpServer, Settings } from '../settings/schema.ts'
import { mayUse } from '../settings/server.ts'
import type { Tool } from '../tool/tool.ts'
import { foundIn } from './answer.ts'
import { type Asker, connect } from './connect.ts'
import type { Definition, Listing } from './definition.ts'
import { isUnauthorized, listingOf } from './listing.ts'
import { type Act, remoteTools } from './remote-tool.ts'

/** The servers of tools that a turn has. */
export type Servers = {
  /** The tools that the actor may have by these settings, of the lists that the turn began with. */
  tools(actor: Pick<Actor, 'groups' | 'isAdmin'>, settings: Pick<Settings, 'mcpServers'>): Tool[]
  /** Names of the servers that the user could use and has not connected. */
  unconnected: readonly string[]
  /** Ends every connection of the turn. */
  close(): Promise<void>
}

/** Asks the servers of an actor for their tools, all at once and each for a bounded time. Never rejects for a server. */
export async function openServers(
  actor: Pick<Actor, 'uid' | 'groups' | 'isAdmin'>,
  settings: Pick<Settings, 'mcpServers'>,
  { now, isLocal }: { now(): number; isLocal: boolean },
): Promise<Servers> {
  const usable = settings.mcpServers.filter((server) => mayUse(actor, server))
  const grants = usable.some(isPersonal) ? await ofUser(actor.uid) : new Map()
  const isOpen = (server: McpServer) => !isPersonal(server) || isConnected(grants.get(server.name), server)
  const mine = usable.filter(isOpen)
  const asker = ({ name }: McpServer): Asker => {
    const since = grants.get(name)?.since
    return { uid: actor.uid, isLocal, now: now(), ...(since && { since }) }
  }
  const listed = await Promise.all(mine.map((server) => listingOf(server, asker(server))))
  const listings = new Map<string, Listing>()
  for (const [at, { listing }] of listed.entries()) {
    const server = mine[at]
    if (server && listing) listings.set(server.name, listing)
  }
  const made = new Map<string, Tool[]>()
  const connections: Connections = { open: new Map(), opened: [] }
  return {
    tools: (who, { mcpServers }) =>
      mcpServers.flatMap((server) => {
        const listing = listings.get(server.name)
        if (!listing || !mayUse(who, server)) return []
        // The same tools as before where nothing has changed: who acts now is compared with who acted before.
        const key = hash(server)
        const tools =
          made.get(key) ??
          remoteTools(
            server,
            listing,
            actOf(server, () => asker(server), connections),
          )
        made.set(key, tools)
        return tools
      }),
    unconnected: usable.filter((server) => !isOpen(server)).map(({ name }) => name),
    close: async () => {
      const clients = await Promise.allSettled(connections.opened)
      await Promise.allSettled(
        clients.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)),
      )
    },
  }
}

/** Those of a turn that are in use, by the name of their server, and all that were opened, to be closed. */
type Connections = { open: Map<string, Promise<Client>>; opened: Promise<Client>[] }

/** Calls over one connection for each server and turn; one that failed is not used again. */
function actOf(server: McpServer, asker: () => Asker, { open, opened }: Connections): Act {
  return async (definition, args, { signal, see }, mayChange) => {
    if (mayChange) await proveUnchanged(server, asker(), definition)
    const client = await connected().catch((error: unknown) => {
      throw new ToolError(`The server ${server.name} was not reached: ${reasonOf(error, server)}`, {
        cause: error,
      })
    })
    const result = await call(client).catch((error: unknown) => {
      if (signal.aborted && !mayChange) throw signal.reason
      open.delete(server.name)
      if (mayChange && !isRefusal(error)) throw error
      throw new ToolError(`The server ${server.name} did not do it: ${reasonOf(error, server)}`, {
        cause: error,
      })
    })
    const found = await foundIn(result, result.isError ? undefined : see)
    if (!result.isError) return found
    throw new ToolError(`The server ${server.name} says that the call failed:\n${found.text}`)

    function connected(): Promise<Client> {
      const known = open.get(server.name)
      if (known) return known
      const opening = connect(server, asker())
      open.set(server.name, opening)
      opened.push(opening)
      opening.catch(() => open.delete(server.name))
      return opening
    }

    /** What was approved is not broken off with the turn: its end would be unknown. */
    function call(client: Client): Promise<CallToolResult> {
      const timeout = { timeout: server.timeoutMs, maxTotalTimeout: server.timeoutMs }
      return client.callTool(
        { name: definition.name, arguments: args },
        { ...timeout, toolDefinition: definition.raw, ...(!mayChange && { signal }) },
      )
    }
  }
}

/** Days may pass between a proposal and its approval: this asks the server for the tool as it is now. */
async function proveUnchanged(server: McpServer, asker: Asker, { name, hash }: Definition): Promise<void> {
  const { listing, failure } = await listingOf(server, asker, true)
  if (!listing) throw new ToolError(`Not called: the server ${server.name} was not reached: ${failure}`)
  if (listing.tools.some((tool) => tool.name === name && tool.hash === hash)) return
  throw new ToolError(
    'Not called: the server has changed this tool since it was allowed. It is off until an administrator allows it again.',
    { outcome: 'notPermitted' },
  )
}

/** Whether the server said itself that it did not do what was asked; after anything else that is unknown. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ProtocolError || isUnauthorized(error)) return true
  if (error instanceof SdkHttpError)
    return error.status !== undefined && error.status >= 400 && error.status < 500
  return error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType
}

/** For a model, why a server did not answer; never its own words beyond those of a failure that it reports. */
function reasonOf(error: unknown, { timeoutMs, auth }: McpServer): string {
  if (error instanceof Refused || error instanceof NotConnected) return error.message
  if (error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401))
    return auth === 'shared' || auth === 'none'
      ? 'it does not accept the token of this system; an administrator has to look after it.'
      : 'it does not accept the grant of the user, who can connect it again under "Connections" in the menu of the chat.'
  if (error instanceof SdkHttpError) return `it answered with status ${error.status}.`
  if (error instanceof ProtocolError) return `it answered with an error: ${error.message}`
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return `it did not answer within ${timeoutMs / 1000} seconds.`
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType)
    return 'it asks for input while it works, which is not given.'
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return 'its answer does not have the form that it promised.'
  return 'the connection failed, or its answer could not be read.'
}
