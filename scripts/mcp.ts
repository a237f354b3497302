/**
 * `npm run mcp`: `list` requests the tools of a stage's MCP servers, and prints the state of each tool. `allow` prints
 * the settings that allow tools, after their descriptions and schemas. Neither command changes anything. Exit codes: 0
 * printed, 1 a server did not answer, 2 wrong call.
 */
import { config } from '../core/base/config.ts'
import { live } from '../core/live.ts'
import type { McpServer } from '../core/stage/settings/server.ts'
import { load } from '../core/stage/settings/settings.ts'
import { unusable } from '../core/tool/remote/definition.ts'
import { listingOf } from '../core/tool/remote/listing.ts'
import { allowance, standings } from '../core/tool/remote/review.ts'
import { complain, print, runStageCommand, text, UsageError } from './command.ts'
import { uidIn } from './user-argument.ts'

const usage =
  'npm run mcp -- list [SERVER] | allow SERVER [TOOL...] [--class read|write] [--read A,B] [--write C,D] [--user ID] [--stage NAME]'

const options = {
  /** The class of the tools that the command lists after the server's name. */
  class: { ...text, default: 'write' },
  /** The names of further tools that get the class `read` or `write`. */
  read: text,
  write: text,
  /** The user whose grant is used for a server that needs a grant of each user. */
  user: text,
  stage: text,
}
type Given = { class: string; read?: string; write?: string; user?: string }

runStageCommand(usage, { allowPositionals: true, options }, async ({ values, positionals }) => {
  const [verb, name, ...tools] = positionals
  if (values.class !== 'read' && values.class !== 'write') throw new UsageError('--class is read or write.')
  const { mcpServers } = await load(Date.now())
  const servers = mcpServers.filter((server) => name === undefined || server.name === name)
  if (name !== undefined && servers.length === 0) throw new UsageError(`The settings name no server ${name}.`)
  if (verb === 'list') {
    const answers = await Promise.all(servers.map((server) => list(server, values)))
    return answers.every(Boolean) ? 0 : 1
  }
  const [server] = servers
  if (verb === 'allow' && name !== undefined && server) return allow(server, tools, values)
  throw new UsageError('Say list, or allow with a server and its tools.')
})

async function ask(server: McpServer, { user }: Given) {
  const uid = (await uidIn('user', user)) ?? 0
  const asker = { uid, isLocal: config().isLocal, now: live().clock.now() }
  const { listing, failure } = await listingOf(server, asker, true)
  if (!listing) complain(`${server.name} gave no list: ${failure}`)
  return listing
}

async function list(server: McpServer, given: Given): Promise<boolean> {
  const listing = await ask(server, given)
  if (!listing) return false
  print(`${server.name}: ${listing.title}`)
  for (const { name, standing, hash } of standings(server, listing.tools)) {
    const definition = listing.tools.find((one) => one.name === name)
    const why = definition && unusable(definition)
    print(`  ${standing.padEnd(8)} ${name}  ${hash}${why ? `  (cannot be offered: ${why})` : ''}`)
  }
  return true
}

async function allow(server: McpServer, named: string[], given: Given): Promise<number> {
  const read = [...listed(given.read), ...(given.class === 'read' ? named : [])]
  const write = [...listed(given.write), ...(given.class === 'write' ? named : [])]
  const names = [...read, ...write]
  if (names.length === 0) throw new UsageError('Name the tools that you want to allow.')
  const listing = await ask(server, given)
  if (!listing) return 1
  const unknown = names.find((name) => !listing.tools.some((tool) => tool.name === name))
  if (unknown !== undefined) throw new UsageError(`${server.name} has no tool ${unknown}.`)
  print('What the server says of each, to be read before you allow it:')
  for (const { name, description, inputSchema } of listing.tools.filter((tool) => names.includes(tool.name)))
    print(`\n${name}: ${description}\n${JSON.stringify(inputSchema, null, 2)}`)
  print(`\nFor the server "${server.name}" in the settings, in place of its "tools":`)
  print(`"tools": ${JSON.stringify(allowance(server, listing, { read, write }), null, 2)}`)
  return 0
}

const listed = (names = ''): string[] => names.split(',').filter(Boolean)
