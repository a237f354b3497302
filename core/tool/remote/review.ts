import * as z from 'zod'
import { item, json, text, time } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { hash } from '../../base/hash.ts'
import { own } from '../../base/json.ts'
import { type English, fillIn, inLanguage } from '../../base/language.ts'
import type { McpServer } from '../../stage/settings/server.ts'
import { isPersonal } from '../../user/connection/grant.ts'
import type { Listed, Listing } from './definition.ts'

/**
 * The last state that a consumer saw of each server; one partition has the states of all servers. The status shows the
 * states to administrators without a request to the servers.
 */
const Seen = z.object({
  title: z.string(),
  tools: z.array(z.object({ name: z.string(), title: z.string(), hash: z.string() })),
  /** The reason why the server gave no list; empty if it gave a list. */
  failure: z.string(),
})

/** The stored form of a server's last seen state. */
export const codec = item('server of tools', 1, {
  name: text('name'),
  seen: json('seen', Seen, { title: '', tools: [], failure: '' }),
  at: time('at'),
})

/** The last seen state of a server. */
type SeenServer = z.infer<typeof Seen> & { name: string; at: string }

const partition = 'mcp'
let stored: Map<string, { digest: string; until: number }> | undefined

/** The time after which a process stores an unchanged state again, in milliseconds: others may have stored another. */
const knownMs = 5 * 60_000

/** Stores the seen state of a server; skips the write if this process has just stored the same state. */
export async function remember(name: string, { listing, failure = '' }: Listed, now: number): Promise<void> {
  stored ??= new Map()
  const tools = listing?.tools.map((tool) => ({ name: tool.name, title: tool.title, hash: tool.hash })) ?? []
  const seen = { title: listing?.title ?? '', tools, failure }
  const digest = hash(seen)
  const known = stored.get(name)
  if (known?.digest === digest && now < known.until) return
  await Table.put({
    pk: partition,
    sk: `server#${name}`,
    ...codec.encode({ name, seen, at: new Date(now).toISOString() }),
  })
  stored.set(name, { digest, until: now + knownMs })
}

/** Returns the last seen state of every server. */
export async function seenServers(): Promise<SeenServer[]> {
  const rows = await Table.below({ pk: partition })
  return rows.map((row) => {
    const { name, seen, at } = codec.decode(row)
    return { name, at, ...seen }
  })
}

/** The state of a tool compared with the settings; only an `allowed` tool can be used. */
export type Standing = 'allowed' | 'off' | 'changed' | 'gone' | 'new'

/** Compares a server's tools with its settings, and returns the standing of each tool in either of them. */
export function standings(
  { tools }: Pick<McpServer, 'tools'>,
  seen: readonly { name: string; hash: string }[],
): { name: string; standing: Standing; hash: string }[] {
  const standingOf = (name: string, hash: string): Standing => {
    const allowed = own(tools, name)
    if (!allowed || allowed.class === 'off') return allowed ? 'off' : 'new'
    return allowed.hash === hash ? 'allowed' : 'changed'
  }
  const listed = seen.map(({ name, hash }) => ({ name, hash, standing: standingOf(name, hash) }))
  const gone = Object.entries(tools)
    .filter(([name, allowed]) => allowed.class !== 'off' && !seen.some((tool) => tool.name === name))
    .map(([name, { hash }]) => ({ name, hash, standing: 'gone' as const }))
  return [...listed, ...gone]
}

/**
 * Returns the `tools` of a server's settings with these tools allowed in their present form. Other entries stay; a tool
 * that is allowed again keeps its `look`.
 */
export function allowance(
  server: Pick<McpServer, 'tools'>,
  { tools }: Listing,
  classes: Record<'read' | 'write', readonly string[]>,
): McpServer['tools'] {
  const added = (['read', 'write'] as const).flatMap((of) =>
    tools
      .filter(({ name }) => classes[of].includes(name))
      .map(({ name, hash }) => {
        const look = of === 'write' ? own(server.tools, name)?.look : undefined
        return [name, { class: of, hash, ...(look && { look }) }] as const
      }),
  )
  return { ...server.tools, ...Object.fromEntries(added) }
}

const sentences: Record<'silent' | 'changed' | 'away' | 'waiting', English> = {
  silent: { en: 'The tool server “{server}” does not answer: {failure}' },
  changed: {
    en: 'The server “{server}” has changed or removed tools; they are off until they are allowed again: {names}.',
  },
  away: { en: 'The server does not answer at the moment.' },
  waiting: { en: 'The server has changed tools. An administrator has to allow them again: {names}.' },
}

/** Returns a sentence for administrators about each server with a problem; empty if there is no problem. */
export function concerns(servers: readonly McpServer[], seen: readonly SeenServer[], lang: string): string[] {
  return servers.flatMap((server) => {
    const wrong = concernOf(server, seen)
    if (!wrong) return []
    const params = { ...wrong, server: server.name }
    return [fillIn(inLanguage(sentences[wrong.failure ? 'silent' : 'changed'], lang), lang, params)]
  })
}

/**
 * Returns the reason why tools of a server are off, for a user who cannot change it; undefined without a known problem.
 */
export function concernOfUser(
  server: McpServer,
  seen: readonly SeenServer[],
  lang: string,
): string | undefined {
  const wrong = concernOf(server, seen)
  return wrong && fillIn(inLanguage(sentences[wrong.failure ? 'away' : 'waiting'], lang), lang, wrong)
}

/** Returns the reason why the server gave no list, or the names of tools without an allowed definition. */
function concernOf(
  server: McpServer,
  seen: readonly SeenServer[],
): { failure: string; names: string } | undefined {
  const it = seen.find(({ name }) => name === server.name)
  if (!it) return undefined
  if (it.failure) return { failure: it.failure, names: '' }
  // A server with personal rights may hide a tool from one user. A missing tool therefore does not count as `gone`.
  const wrong: Standing[] = isPersonal(server) ? ['changed'] : ['changed', 'gone']
  const off = standings(server, it.tools).filter(({ standing }) => wrong.includes(standing))
  return off.length === 0 ? undefined : { failure: '', names: off.map(({ name }) => name).join(', ') }
}
