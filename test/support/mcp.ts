import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer as ModernServer } from '@modelcontextprotocol/server'
import { McpServer } from '../../core/stage/settings/server.ts'
import { listingOf } from '../../core/tool/remote/listing.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

/** A server on a free port of loopback. */
export async function listen(handle: Handle) {
  const http = createServer((request, response) => void handle(request, response))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: () => {
      http.closeAllConnections()
      http.close()
    },
  }
}

/** A server in the newest version of the protocol, made with the package for servers. */
export function startModern(register: (server: ModernServer) => void) {
  const handler = createMcpHandler(() => {
    const server = new ModernServer({ name: 'shop', title: 'The shop', version: '1.0.0' })
    register(server)
    return server
  })
  const serve = toNodeHandler(handler)
  return listen((request, response) =>
    serve(request as IncomingMessage & { method: string; url: string }, response),
  )
}

/** The reference server of the protocol's project, a process of its own, in an older version of the protocol. */
export async function startEverything() {
  const probe = await listen(() => undefined)
  const { port } = new URL(probe.url)
  probe.stop()
  const script = fileURLToPath(
    new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
  )
  const child = spawn(process.execPath, [script, 'streamableHttp'], {
    env: { ...process.env, PORT: port },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of createInterface(child.stderr)) if (line.includes('listening')) break
  return { url: `http://127.0.0.1:${port}/mcp`, script, stop: () => void child.kill() }
}

/** What a server of our own answers to a call of a tool: a result, or what it does with the response. */
export type Misdeed = object | ((response: ServerResponse, request: IncomingMessage, id: unknown) => unknown)

/** A server that keeps to an older protocol up to the call of a tool, and then does what the test says. */
export async function startHostile(tools: object[]) {
  const it = {
    tools,
    calls: [] as string[],
    authorizations: [] as (string | undefined)[],
    /** Sessions that a client has begun, and those that it has ended. */
    begun: [] as string[],
    ended: [] as unknown[],
  }
  const state: { does: Misdeed } = { does: { content: [{ type: 'text', text: 'done' }] } }
  const server = await listen(async (request, response) => {
    it.authorizations.push(request.headers.authorization)
    if (request.method === 'DELETE') {
      it.ended.push(request.headers['mcp-session-id'])
      return response.writeHead(200).end()
    }
    if (request.headers['last-event-id'] && typeof state.does === 'function')
      return state.does(response, request, undefined)
    const { id, method, params } = JSON.parse((await text(request)) || '{}')
    const answer = (result: object) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }
    if (request.method !== 'POST') return response.writeHead(405).end()
    if (method === 'server/discover') return response.writeHead(400).end()
    if (id === undefined) return response.writeHead(202).end()
    if (method === 'initialize') {
      const serverInfo = { name: 'hostile', version: '1' }
      it.begun.push(`session-${it.begun.length}`)
      response.setHeader('mcp-session-id', it.begun.at(-1) ?? '')
      return answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo })
    }
    if (method === 'tools/list') return answer({ tools: it.tools })
    it.calls.push(params?.name)
    if (typeof state.does === 'function') return state.does(response, request, id)
    answer(state.does)
  })
  const does = (misdeed: Misdeed) => {
    state.does = misdeed
  }
  return { ...server, it, does }
}

async function text(request: IncomingMessage): Promise<string> {
  let whole = ''
  for await (const chunk of request) whole += chunk
  return whole
}

/** Settings of a server with these of its tools allowed, as an administrator would after a look at the list. */
export async function allowed(
  over: Partial<McpServer> & { name: string },
  classes: Record<string, 'read' | 'write' | 'off'>,
): Promise<McpServer> {
  const server = McpServer.parse(over)
  const { listing, failure } = await listingOf(server, { uid: 1, isLocal: true, now: 0 }, true)
  if (!listing) throw new Error(`The server gave no list: ${failure}`)
  const tools = Object.fromEntries(
    listing.tools.flatMap(({ name, hash }) => {
      const is = classes[name]
      return is ? [[name, { class: is, hash }]] : []
    }),
  )
  return { ...server, tools }
}
