import * as z from 'zod'
import { sha256 } from '../../base/hash.ts'
import { own } from '../../base/json.ts'
import { strictObjectOf } from '../../base/lazy-schema.ts'
import { DataClass } from './data-class.ts'

/** Forms of API keys, which no secret name has: the prefixes of the large providers, hashes, and long mixtures. */
const keyForms = [
  /^(sk|pk|rk|gsk|hf|xox[a-z]|gh[a-z]|glpat)[_-].{12,}$/i,
  /^(AKIA|ASIA|AIza)[A-Za-z0-9_-]{12,}$/,
  /^[a-f0-9]{32,}$/i,
  /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{20,}$/,
]
/**
 * The name of a secret of the stage. Its form is so short and simple that it refuses a pasted key. The mistake does not
 * repeat the value.
 */
export const SecretName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)*$/, 'has to be the name of a secret')
  .max(40, 'has to be the name of a secret, never the key itself')
  .refine(
    (name) => !keyForms.some((form) => form.test(name)),
    'looks like a key; it has to be the name of a secret, never the key itself',
  )
/** A reading tool of the same server; maps each of its arguments to an argument of the writing tool. */
const Look = strictObjectOf(() => ({
  tool: z.string().min(1).max(200),
  arguments: z.record(z.string().min(1).max(64), z.string().min(1).max(64)),
}))

/** Permission of a server's tool: not allowed, read at once, or write after an approval. */
const ServerTool = strictObjectOf(() => ({
  class: z.enum(['read', 'write', 'off']).default('write'),
  /** The approved definition: the hash that `npm run mcp -- list` prints for the tool. */
  hash: z.string().regex(/^[a-f0-9]{64}$/, 'has to be the hash that `npm run mcp -- list` prints'),
  /** For a writing tool: the tool that shows the affected content before and after the write. */
  look: Look.optional(),
}))

/** The service sends tokens to this URL, so it may contain no user, password or fragment. */
const Address = z.lazy(() =>
  z.url({ protocol: /^https?$/ }).refine(
    (text) => {
      const url = URL.parse(text)
      return url !== null && url.username === '' && url.password === '' && url.hash === ''
    },
    { error: 'has to be an address without user, password or fragment' },
  ),
)

/** Returns the schemas of the fields of a server. */
const fields = () => ({
  /** Part of the name of each of its tools. It never changes, since stored transcripts contain it. */
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,23}$/, 'has to be lower-case letters, digits and hyphens, at most 24'),
  transport: z.enum(['http', 'stdio']).default('http'),
  /** The URL of the Streamable HTTP endpoint; null for `stdio`. */
  url: Address.nullable().default(null),
  /** Program and arguments of a server over stdio; only on the local stage. */
  command: z.array(z.string().min(1)).max(50).nullable().default(null),
  /**
   * Authentication at the server. `none`: no authentication. `shared`: one token of the stage for all users, which
   * allows only reading. `token`: each user enters a token. `oauth`: each user grants access (OAuth 2.1).
   */
  auth: z.enum(['none', 'shared', 'token', 'oauth']).default('none'),
  /** OAuth client id that an administrator registered for the stage; `secret` then names the client secret. */
  clientId: z.string().min(1).max(500).nullable().default(null),
  /** The authorization server of the `clientId`; no other server gets the id and secret. */
  issuer: Address.nullable().default(null),
  /** The OAuth scope to request instead of the advertised one. */
  scope: z.string().min(1).max(500).nullable().default(null),
  /** The allowed tools, under the server's own names. */
  tools: z.record(z.string().min(1).max(200), ServerTool).default({}),
  /** Groups that may use the server; empty: everyone who may chat. */
  groups: z.array(z.union([z.int(), z.string().min(1).max(200)])).default([]),
  /** Data class of the server's answers; a provider with a lower trust zone gets none of the server's tools. */
  trustZone: DataClass.default('internal'),
  /** Time limit of a call with its connection, in milliseconds. */
  timeoutMs: z.int().min(1_000).max(120_000).default(30_000),
  /** Size limit of one answer of the server in bytes. */
  maxBytes: z.int().min(10_000).max(20_000_000).default(2_000_000),
  /** Name of the secret that holds the shared token, or the client secret of the `clientId`. */
  secret: SecretName.nullable().default(null),
})

type Fields = z.infer<z.ZodObject<ReturnType<typeof fields>>>

/** The rules between the fields of a server: the condition for a mistake, its field, and its message. */
const rules: [isWrong: (server: Fields) => boolean, field: keyof Fields, message: string][] = [
  [({ transport, url }) => transport === 'http' && url === null, 'url', 'is needed for http'],
  [({ transport, command }) => transport === 'stdio' && !command?.length, 'command', 'is needed for stdio'],
  [({ transport, auth }) => transport === 'stdio' && auth !== 'none', 'auth', 'has to be "none" for stdio'],
  [({ auth, secret }) => auth === 'shared' && secret === null, 'secret', 'is needed for a shared token'],
  [
    ({ auth, clientId, scope }) => auth !== 'oauth' && (clientId !== null || scope !== null),
    'auth',
    'has to be "oauth" for a clientId or a scope',
  ],
  [
    ({ clientId, issuer }) => (clientId === null) !== (issuer === null),
    'issuer',
    'belongs to a clientId: the authorization server at which it is registered',
  ],
  [
    ({ name, tools }) => {
      const names = Object.keys(tools).map((tool) => toolName(name, tool))
      return new Set(names).size < names.length
    },
    'tools',
    'two of the names are the same in the chat',
  ],
]

/** Yields the faults of one tool of a server, each with its path below the tool. */
function* faultsOf(
  { class: kind, look }: Fields['tools'][string],
  { auth, tools }: Fields,
): Generator<[path: string[], message: string]> {
  if (auth === 'shared' && kind === 'write')
    yield [['class'], 'has to be "read" or "off": a shared token may only read']
  if (!look) return
  if (kind !== 'write') yield [['look'], 'is for a tool that writes']
  if (own(tools, look.tool)?.class !== 'read')
    yield [['look', 'tool'], 'has to be a tool of the class "read"']
}

/** A server that speaks the Model Context Protocol, whose tools are available in the chat. */
export const McpServer = z.lazy(() =>
  z.strictObject(fields()).superRefine((server, context) => {
    const wrong = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    for (const [isWrong, field, message] of rules) if (isWrong(server)) wrong([field], message)
    for (const [name, tool] of Object.entries(server.tools)) {
      for (const [path, message] of faultsOf(tool, server)) wrong(['tools', name, ...path], message)
    }
  }),
)
export type McpServer = z.infer<typeof McpServer>

/** The longest tool name that every provider accepts. */
const maxName = 64

/** Returns the name of a server's tool in the chat: `mcp__server__tool`, at most 64 characters of `A-Z a-z 0-9 _ -`. */
export function toolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`
  if (name.length <= maxName) return name
  const mark = sha256(tool).slice(0, 8)
  return `${name.slice(0, maxName - mark.length - 1)}_${mark}`
}

/** True for the name of a server's tool; false for the name of one of the chat's own tools. */
export const isOfServer = (name: string): boolean => name.startsWith('mcp__')
