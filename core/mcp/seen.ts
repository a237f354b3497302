import * as z from 'zod'
import { item, json, text, time } from '../aws/item.ts'
import * as Table from '../aws/table.ts'
import { hash } from '../canonical.ts'
import type { Listed } from './definition.ts'

/**
 * What consumers last saw of each server, in one partition: the status tells it to administrators without asking a
 * server itself.
 */
const Seen = z.object({
  title: z.string(),
  tools: z.array(z.object({ name: z.string(), title: z.string(), hash: z.string() })),
  /** Why the server gave no list; empty where it gave one. */
  failure: z.string(),
})

/** How it is stored. */
export const codec = item('server of tools', 1, {
  name: text('name'),
  seen: json('seen', Seen, { title: '', tools: [], failure: '' }),
  at: time('at'),
})

/** A server as it was last seen. */
export type SeenServer = z.infer<typeof Seen> & { name: string; at: string }

const partition = 'mcp'
let stored: Map<string, string> | undefined

/** Stores what was seen of a server; the same again, from the same process, writes nothing. */
export async function remember(name: string, { listing, failure = '' }: Listed, now: number): Promise<void> {
  stored ??= new Map()
  const tools = listing?.tools.map((tool) => ({ name: tool.name, title: tool.title, hash: tool.hash })) ?? []
  // A row holds 400 KB, and no person reads a longer list.
  const seen = { title: listing?.title ?? '', tools: tools.slice(0, 500), failure }
  const digest = hash(seen)
  if (stored.get(name) === digest) return
  await Table.put({
    pk: partition,
    sk: `server#${name}`,
    ...codec.encode({ name, seen, at: new Date(now).toISOString() }),
  })
  stored.set(name, digest)
}

/** What was last seen of every server. */
export async function seenServers(): Promise<SeenServer[]> {
  const rows = await Table.all({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition },
  })
  return rows.map((row) => {
    const { name, seen, at } = codec.decode(row)
    return { name, at, ...seen }
  })
}
