import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Actor } from '../actor.ts'
import { has } from './group.ts'

/** A tool of the same server that reads; its arguments, each by the argument of the writing tool that it takes. */
const Look = z.lazy(() =>
  z.strictObject({
    tool: z.string().min(1).max(200),
    arguments: z.record(z.string().min(1).max(64), z.string().min(1).max(64)),
  }),
)

/** What a tool of a server may do: nothing, read at once, or write after an approval. */
const ServerTool = z.lazy(() =>
  z.strictObject({
    class: z.enum(['read', 'write', 'off']).default('write'),
    /** What was allowed: the hash that `npm run mcp -- list` prints for the tool. */
    hash: z.string().regex(/^[a-f0-9]{64}$/, 'has to be the hash that `npm run mcp -- list` prints'),
    /** For a tool that writes: the tool that shows what it is about, before and after. */
    look: Look.optional(),
  }),
)

/** Tokens go to this address: no user, no password and no fragment belong in it. */
const Address = z.lazy(() =>
  z.url({ protocol: /^https?$/ }).refine(
    (text) => {
      const url = URL.parse(text)
      return url !== null && url.username === '' && url.password === '' && url.hash === ''
    },
    { error: 'has to be an address without user, password or fragment' },
  ),
)

/** Every field of a server but the name of its secret, which the settings check as every such name. */
const fields = () => ({
  /** Part of the name of each of its tools, fixed for ever: stored transcripts name it. */
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,23}$/, 'has to be lower-case letters, digits and hyphens, at most 24'),
  transport: z.enum(['http', 'stdio']).default('http'),
  /** Where the server answers Streamable HTTP; null for `stdio`. */
  url: Address.nullable().default(null),
  /** Program and arguments of a server over stdio; on the local stage alone. */
  command: z.array(z.string().min(1)).max(50).nullable().default(null),
  /**
   * How the server knows who asks: not at all; by one token of the stage for all, which may only read; by a token that
   * each user puts; or by a grant (OAuth 2.1) that each user gives.
   */
  auth: z.enum(['none', 'shared', 'token', 'oauth']).default('none'),
  /** Who the stage is to the server of grants, where it takes no registration; `secret` names its secret then. */
  clientId: z.string().min(1).max(500).nullable().default(null),
  /** What is asked for, in place of what the server names itself. */
  scope: z.string().min(1).max(500).nullable().default(null),
  /** The tools that an administrator has allowed, under the server's own names. */
  tools: z.record(z.string().min(1).max(200), ServerTool).default({}),
  /** Groups whose members may use the server; empty: everyone who may chat. */
  groups: z.array(z.union([z.int(), z.string().min(1).max(200)])).default([]),
  /** How sensitive its answers are; a provider of a lower trust zone gets none of its tools. */
  trustZone: z.enum(['public', 'internal', 'restricted']).default('internal'),
  /** How long a call may take, connection included, in milliseconds. */
  timeoutMs: z.int().min(1_000).max(120_000).default(30_000),
  /** How many bytes one answer of the server may have. */
  maxBytes: z.int().min(10_000).max(20_000_000).default(2_000_000),
})

/** A server of tools that speaks the Model Context Protocol; `secret` is the name of its token. */
export function serverOf<S extends z.ZodType<string>>(secretName: S) {
  return z
    .strictObject({ ...fields(), secret: secretName.nullable().default(null) })
    .superRefine((server, context) => {
      const wrong = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
      if (server.transport === 'http' && server.url === null) wrong(['url'], 'is needed for http')
      if (server.transport === 'stdio' && !server.command?.length) wrong(['command'], 'is needed for stdio')
      if (server.transport === 'stdio' && server.auth !== 'none')
        wrong(['auth'], 'has to be "none" for stdio')
      if (server.auth === 'shared' && server.secret === null)
        wrong(['secret'], 'is needed for a shared token')
      if (server.auth !== 'oauth' && (server.clientId !== null || server.scope !== null))
        wrong(['auth'], 'has to be "oauth" for a clientId or a scope')
      for (const [name, tool] of Object.entries(server.tools)) {
        if (server.auth === 'shared' && tool.class === 'write')
          wrong(['tools', name, 'class'], 'has to be "read" or "off": a shared token may only read')
        if (tool.look && tool.class !== 'write') wrong(['tools', name, 'look'], 'is for a tool that writes')
        if (tool.look && server.tools[tool.look.tool]?.class !== 'read')
          wrong(['tools', name, 'look', 'tool'], 'has to be a tool of the class "read"')
      }
      const names = Object.keys(server.tools).map((tool) => toolName(server.name, tool))
      if (new Set(names).size < names.length) wrong(['tools'], 'two of the names are the same in the chat')
    })
}

/** The longest name that a tool may have at every provider. */
const maxName = 64

/** Under which name the chat has a tool of a server: `mcp__server__tool`, at most 64 of `A-Z a-z 0-9 _ -`. */
export function toolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`
  if (name.length <= maxName) return name
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, 8)
  return `${name.slice(0, maxName - mark.length - 1)}_${mark}`
}

/** Whether a tool of this name is one of a server, and none of the chat's own. */
export const isOfServer = (name: string): boolean => name.startsWith('mcp__')

/** Whether the actor is in a group that has the tools of the server; administrators always are. */
export function mayUse(
  actor: Pick<Actor, 'groups' | 'isAdmin'>,
  { groups }: { groups: readonly (number | string)[] },
): boolean {
  return has(groups, actor)
}
