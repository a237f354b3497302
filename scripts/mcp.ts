/**
 * `npm run mcp`: `list` asks the servers of tools of a stage what they offer and prints how each tool stands to the
 * settings; `allow` prints what to put into the settings for one tool, after its description and schema. Neither changes
 * anything. 0 printed, 1 a server did not answer, 2 wrong call.
 */
import { parseArgs } from 'node:util'
import { live } from '../core/live.ts'
import { unusable } from '../core/mcp/definition.ts'
import { listingOf } from '../core/mcp/listing.ts'
import { standings } from '../core/mcp/review.ts'
import type { McpServer } from '../core/settings/schema.ts'
import { load } from '../core/settings/settings.ts'
import { config } from '../core/stage/config.ts'
import { command, complain, print, UsageError } from './command.ts'
import { isLinked, throughShell } from './stage-shell.ts'
import { uidIn } from './user.ts'

const usage =
  'npm run mcp -- list [SERVER] | allow SERVER TOOL [--class read|write] [--user ID] [--stage NAME]'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    class: { type: 'string', default: 'write' },
    /** With whose grant a server is asked that wants one of each user. */
    user: { type: 'string' },
    stage: { type: 'string' },
  },
})
if (values.stage && values.stage !== 'local' && !isLinked()) process.exit(throughShell(values.stage))

command(usage, async () => {
  const [verb, name, tool] = positionals
  const { mcpServers } = await load(Date.now())
  const servers = mcpServers.filter((server) => name === undefined || server.name === name)
  if (name !== undefined && servers.length === 0) throw new UsageError(`The settings name no server ${name}.`)
  if (verb === 'list') {
    const answers = await Promise.all(servers.map(list))
    return answers.every(Boolean) ? 0 : 1
  }
  const [server] = servers
  if (verb === 'allow' && server && tool !== undefined) return allow(server, tool)
  throw new UsageError('Say list, or allow with a server and a tool.')
})

async function ask(server: McpServer) {
  const asker = {
    uid: (await uidIn('user', values.user)) ?? 0,
    isLocal: config().isLocal,
    now: live().clock.now(),
  }
  const { listing, failure } = await listingOf(server, asker, true)
  if (!listing) complain(`${server.name} gave no list: ${failure}`)
  return listing
}

async function list(server: McpServer): Promise<boolean> {
  const listing = await ask(server)
  if (!listing) return false
  print(`${server.name}: ${listing.title}`)
  for (const { name, standing, hash } of standings(server, listing.tools)) {
    const definition = listing.tools.find((one) => one.name === name)
    const why = definition && unusable(definition)
    print(`  ${standing.padEnd(8)} ${name}  ${hash}${why ? `  (cannot be offered: ${why})` : ''}`)
  }
  return true
}

async function allow(server: McpServer, name: string): Promise<number> {
  if (values.class !== 'read' && values.class !== 'write') throw new UsageError('--class is read or write.')
  const listing = await ask(server)
  if (!listing) return 1
  const tool = listing.tools.find((one) => one.name === name)
  if (!tool) throw new UsageError(`${server.name} has no tool ${name}.`)
  print(`What the server says of it, to be read before it is allowed:\n${tool.description}\n`)
  print(`${JSON.stringify(tool.inputSchema, null, 2)}\n`)
  print(`For "tools" of the server "${server.name}" in the settings:`)
  print(`${JSON.stringify(name)}: ${JSON.stringify({ class: values.class, hash: tool.hash })}`)
  return 0
}
