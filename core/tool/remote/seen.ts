import * as z from 'zod'
import { item, json, text, time } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { hash } from '../../base/hash.ts'
import type { Listed } from './definition.ts'

/**
 * The last state of each server that a consumer saw, all in one partition. The status shows it to administrators
 * without asking a server.
 */
const Seen = z.object({
  title: z.string(),
  tools: z.array(z.object({ name: z.string(), title: z.string(), hash: z.string() })),
  /** The reason why the server gave no list; empty if it gave one. */
  failure: z.string(),
})

/** The stored form. */
export const codec = item('server of tools', 1, {
  name: text('name'),
  seen: json('seen', Seen, { title: '', tools: [], failure: '' }),
  at: time('at'),
})

/** The last seen state of a server. */
export type SeenServer = z.infer<typeof Seen> & { name: string; at: string }

const partition = 'mcp'
let stored: Map<string, string> | undefined

/** Stores the seen state of a server; skips the write if this process has already stored the same state. */
export async function remember(name: string, { listing, failure = '' }: Listed, now: number): Promise<void> {
  stored ??= new Map()
  const tools = listing?.tools.map((tool) => ({ name: tool.name, title: tool.title, hash: tool.hash })) ?? []
  // A row holds 400 KB, and a person would not read a longer list.
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

/** Reads the last seen state of every server. */
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
