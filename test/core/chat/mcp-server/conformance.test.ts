import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { config } from '../../../../core/base/config.ts'
import { McpServer } from '../../../../core/stage/settings/server.ts'
import { connect, hangUp } from '../../../../core/tool/remote/connect.ts'
import * as Token from '../../../../core/user/access-token/token.ts'
import { begin, complete } from '../../../../core/user/connection/authorize.ts'
import type { PersonalServer } from '../../../../core/user/connection/grant.ts'
import { bench, benched } from '../../../support/benched.ts'
import { listen } from '../../../support/mcp.ts'
import { fetchOf } from '../../../support/program.ts'

/**
 * The protocol's own suite, run against our server and our client. A scenario that is in no table makes the test red, and
 * so does one that fails without a reason here, or holds in spite of one.
 */

benched({ accessTokens: { trustZone: 'internal' } })

const itsTool = 'asks for a tool of its own, which no CMS has'
const itsResource = 'asks for a resource of its own, which no CMS has'
const itsPrompt = 'asks for a prompt of its own, which no user has saved'
const asksBack = 'the server asks the program for nothing: a decision is the user’s, in the chat'
const noSession = 'needs a session of the transport; each request is answered by itself'

/** Scenarios of the server that do not apply, with the reason. */
const notOfServer: Record<string, string> = {
  'logging-set-level': 'the log of the stage is for its operators',
  'completion-complete': 'arguments are not completed',
  'tools-call-image': itsTool,
  'tools-call-audio': itsTool,
  'tools-call-embedded-resource': itsTool,
  'tools-call-mixed-content': itsTool,
  'tools-call-with-logging': itsTool,
  'tools-call-with-progress': itsTool,
  'tools-call-sampling': asksBack,
  'tools-call-elicitation': asksBack,
  'elicitation-sep1034-defaults': asksBack,
  'elicitation-sep1330-enums': asksBack,
  'json-schema-2020-12': itsTool,
  'server-sse-polling': noSession,
  'server-sse-multiple-streams': noSession,
  'resources-read-text': itsResource,
  'resources-read-binary': itsResource,
  'resources-templates-read': itsResource,
  'resources-subscribe': 'a notice would need a stream, which would hold the function',
  'resources-unsubscribe': 'a notice would need a stream, which would hold the function',
  'prompts-get-simple': itsPrompt,
  'prompts-get-with-args': itsPrompt,
  'prompts-get-embedded-resource': itsPrompt,
  'prompts-get-with-image': itsPrompt,
}

const ofServer = [
  'dns-rebinding-protection',
  'ping',
  'prompts-list',
  'resources-list',
  'server-initialize',
  'tools-call-error',
  'tools-call-simple-text',
  'tools-list',
]

const noUser = 'a grant is always that of a user, who consents'

/** Scenarios of the client that do not apply, with the reason. */
const notOfClient: Record<string, string> = {
  'elicitation-sep1034-client-defaults': 'the client declares no capability: a server cannot ask the user',
  'auth/basic-cimd': 'the stage registers, or has a client in its settings',
  'auth/scope-step-up': 'a call never widens a grant: the scope stands in the settings',
  'auth/2025-03-26-oauth-metadata-backcompat':
    'its metadata are those of another issuer than their address names',
  'auth/client-credentials-jwt': noUser,
  'auth/client-credentials-basic': noUser,
  'auth/cross-app-access-complete-flow': noUser,
}

/** Says how late a client asks again by the clock of the machine: `servers.test.ts` proves that ours asks. */
const timed = 'sse-retry'

const ofClient = [
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/offline-access-not-supported',
  'auth/offline-access-scope',
  'auth/pre-registration',
  'auth/resource-mismatch',
  'auth/scope-from-scopes-supported',
  'auth/scope-from-www-authenticate',
  'auth/scope-omitted-when-undefined',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-none',
  'auth/token-endpoint-auth-post',
  'initialize',
  'tools_call',
]

const cli = fileURLToPath(
  new URL('../../../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)

type Check = { id: string; status: string }

/** Runs all of one side; the scenarios of which every check held, and those of which one did not. */
async function suite(kind: 'server' | 'client', args: string[], env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  // It ends with 1 where any scenario fails: which of them is read from its results.
  await promisify(execFile)(process.execPath, [cli, kind, '--suite', 'all', ...args, '-o', folder], {
    env: { ...process.env, ...env },
  }).catch(() => undefined)
  const held: string[] = []
  const failed: string[] = []
  for (const path of await readdir(folder, { recursive: true })) {
    const [, name] = /^(?:server-)?(.*)-\d{4}-\d\d-\d\dT[\dZ-]+\/checks\.json$/.exec(path) ?? []
    if (name === undefined || name === timed) continue
    const checks = JSON.parse(await readFile(join(folder, path), 'utf8')) as Check[]
    const isGood = checks.every(({ status }) => status === 'SUCCESS' || status === 'INFO')
    if (isGood) held.push(name)
    else failed.push(name)
  }
  await rm(folder, { recursive: true, force: true })
  return { held: held.toSorted(), failed: failed.toSorted() }
}

test('our server holds every scenario that applies to it', async () => {
  const { token } = await Token.create({ uid: 2 }, { name: 'Suite', days: 7 }, bench.clock.now())
  const proxy = await listen((incoming, outgoing) => withToken(incoming, outgoing, token))

  const found = await suite('server', ['--url', proxy.url])

  proxy.stop()
  expect(found).toEqual({ held: ofServer.toSorted(), failed: Object.keys(notOfServer).toSorted() })
})

/** Stands for gateway and assistant: looks at the host, and adds the token that the suite has not. */
async function withToken(incoming: IncomingMessage, outgoing: ServerResponse, token: string): Promise<void> {
  const { host = '', origin, ...headers } = incoming.headers
  if (!/^(?:127\.0\.0\.1|localhost):/.test(host)) return void outgoing.writeHead(403).end()
  // The suite asks more often than a program may.
  await bench.clock.pass(1_000)
  const from = origin === `http://${host}` ? config().origin : origin
  const answer = await fetchOf(bench.handler, from)(new URL('/ai-chat/mcp', config().origin), {
    method: incoming.method ?? 'GET',
    headers: { ...(headers as Record<string, string>), authorization: `Bearer ${token}` },
    ...(incoming.method === 'POST' && { body: await text(incoming) }),
  })
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
}

/** The command that the suite takes for a client: it only says which scenario our client is to play. */
const player = `fetch(process.env.PLAYER,{method:'POST',body:JSON.stringify({scenario:process.env.MCP_CONFORMANCE_SCENARIO,context:process.env.MCP_CONFORMANCE_CONTEXT,url:process.argv[1]})}).then(({ok})=>process.exit(ok?0:1))`

type Play = { scenario: string; url: string; context?: string }

test('our client holds every scenario that applies to it', async () => {
  let uid = 100
  const players = await listen(async (incoming, outgoing) => {
    const play = JSON.parse(await text(incoming)) as Play
    // What fails, fails in the results of the suite.
    await asClient(play, uid++).catch(() => outgoing.writeHead(500))
    outgoing.end()
  })

  // The suite plays all scenarios at once. Its own limit of 30 seconds is too short for them on a busy machine.
  const args = ['--command', `${process.execPath} -e "${player}"`, '--timeout', '170000']
  const found = await suite('client', args, { PLAYER: players.url })

  players.stop()
  expect(found).toEqual({ held: ofClient.toSorted(), failed: Object.keys(notOfClient).toSorted() })
})

/** Connects as a turn does, with a grant of the user where the scenario is one of OAuth, and calls the first tool. */
async function asClient({ scenario, url, context = '{}' }: Play, uid: number): Promise<void> {
  const { client_id: clientId, client_secret: secret } = JSON.parse(context) as Record<string, string>
  const isOAuth = scenario.startsWith('auth/')
  const isKnown = scenario === 'auth/pre-registration'
  if (isKnown) process.env.AI_CHAT_SECRET_SUITE = secret
  const server = McpServer.parse({
    name: 'suite',
    url,
    auth: isOAuth ? 'oauth' : 'none',
    ...(isKnown && { clientId, secret: 'suite', issuer: await issuerOf(url) }),
  })
  const now = bench.clock.now()
  if (isOAuth) await grant(server as PersonalServer, uid, now)
  const client = await connect(server, { uid, isLocal: true, now })
  const { tools } = await client.listTools()
  const [tool] = tools
  if (tool)
    await client.callTool({ name: tool.name, arguments: tool.name === 'add_numbers' ? { a: 1, b: 2 } : {} })
  await hangUp(client)
}

async function issuerOf(url: string): Promise<string> {
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url))
  const {
    authorization_servers: [issuer],
  } = (await metadata.json()) as { authorization_servers: [string] }
  return issuer
}

async function grant(server: PersonalServer, uid: number, now: number): Promise<void> {
  const { url } = await begin({ uid, username: 'editor' }, server, false, now)
  const { headers } = await fetch(url, { redirect: 'manual' })
  const { state = '', code, iss } = Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)
  await complete([server], { state, code, iss, cookie: undefined, isConfirmed: true }, now)
}
