import * as z from 'zod'
import { serverOf } from './server.ts'

const Uid = z.int().positive()
/** A group as the CMS names it: a number, or a word. */
const Group = z.union([z.int(), z.string().min(1).max(200)])
/** What keys look like and names do not: the prefixes of the large providers, hashes, and long mixtures. */
const keyForms = [
  /^(sk|pk|rk|gsk|hf|xox[a-z]|gh[a-z]|glpat)[_-].{12,}$/i,
  /^(AKIA|ASIA|AIza)[A-Za-z0-9_-]{12,}$/,
  /^[a-f0-9]{32,}$/i,
  /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{20,}$/,
]
/**
 * The name under which the stage has a secret, so short and simple that a key pasted in its place is refused. The
 * mistake does not repeat the value.
 */
const SecretName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)*$/, 'has to be the name of a secret')
  .max(40, 'has to be the name of a secret, never the key itself')
  .refine(
    (name) => !keyForms.some((form) => form.test(name)),
    'looks like a key; it has to be the name of a secret, never the key itself',
  )
/** As browsers send it in `Origin`: scheme, host and port, nothing behind them. */
const Origin = z.url().refine((text) => URL.parse(text)?.origin === text, {
  error:
    'has to be an origin as browsers send it: scheme, host and port, without a slash at its end or a path',
})
const limit = (max: number) => z.int().min(1).max(max).nullable()
/** The most characters of a text. */
const Length = z.int().min(1).max(50_000).default(10_000)
/** A whole number from `least` on, or null. */
const some = (usual: number | null, least = 1) => z.int().min(least).nullable().default(usual)

/** A server of models, and how far it is trusted with data. */
export const Provider = z.strictObject({
  uid: Uid,
  name: z.string().min(1),
  adapter: z.enum(['anthropic', 'bedrock', 'demo']),
  /** null: the default of the adapter's SDK. */
  baseUrl: z.url().nullable().default(null),
  /** Name of the secret that holds the key; never the key itself. */
  secret: SecretName.nullable().default(null),
  /** Up to which data class this provider may receive tool results. */
  trustZone: z.enum(['public', 'internal', 'restricted']),
  /** Requests and tokens a minute that all consumers together ask of it; turns beyond wait in the queue. null: no limit. */
  requestsPerMinute: some(null),
  tokensPerMinute: some(null),
  active: z.boolean().default(true),
})
export type Provider = z.infer<typeof Provider>

/** A model of a provider, with what it can and how much it takes; what a known model leaves out, its card says. */
export const ModelRecord = z.strictObject({
  uid: Uid,
  provider: Uid,
  modelId: z.string().min(1),
  capabilities: z.array(z.enum(['vision', 'pdf', 'tools'])),
  contextTokens: z.int().min(4_000),
  maxOutputTokens: z.int().min(256),
  /** List prices in US dollars per million tokens; null where none are known. */
  prices: z
    .strictObject({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() })
    .nullable()
    .default(null),
  /** The day on which the prices were looked up, `YYYY-MM-DD`. */
  pricesAsOf: z.iso.date().nullable().default(null),
  /** Version of the Messages API that is asked for; null: what fits the model. */
  apiVersion: z.string().min(1).nullable().default(null),
  /** The model, of this or another provider, that answers when this one is not available; null: none. */
  fallback: Uid.nullable().default(null),
})
export type ModelRecord = z.infer<typeof ModelRecord>

/** How a model is used: prompt, limits, tools, groups. */
export const Configuration = z.strictObject({
  uid: Uid,
  name: z.string().min(1),
  model: Uid,
  system_prompt: z.string().default(''),
  maxTokens: z.int().min(256),
  maxRounds: z.int().min(1).max(100).default(20),
  /** How much the model may think and write; null: what the model does by itself. */
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullable().default(null),
  /** When the model thinks; null: what the model does by itself. Not every model takes every value. */
  thinking: z.enum(['adaptive', 'between_tools', 'disabled']).nullable().default(null),
  /** Patterns with `*` of the tools that this configuration offers; null: all. */
  tools: z.array(z.string()).nullable().default(null),
  /** Groups that may use this configuration; empty: every one. */
  allowedGroups: z.array(Group).default([]),
  active: z.boolean().default(true),
})
export type Configuration = z.infer<typeof Configuration>

/** A configuration with what it is to do. */
export const Task = z.strictObject({
  uid: Uid,
  name: z.string().min(1),
  configuration: Uid,
  prompt_template: z.string().default(''),
  active: z.boolean().default(true),
})
export type Task = z.infer<typeof Task>

const byGroup = <V extends z.ZodType>(value: V) =>
  z.record(z.string().min(1, 'the key must be the uid or the name of a group').max(200), value)

/** Which tools are off for everyone, and what groups may; patterns with `*`, a deny wins. */
const ToolRules = z.strictObject({
  disabled: z.array(z.string()).default([]),
  groups: byGroup(
    z.strictObject({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() }),
  ).default({}),
})

/** A list of records, each uid once. */
const records = <S extends z.ZodType<{ uid: number }>>(record: S) =>
  z.array(record).superRefine((list, context) => {
    for (const [at, { uid }] of list.entries()) {
      if (list.findIndex((other) => other.uid === uid) < at)
        context.addIssue({ code: 'custom', path: [at, 'uid'], message: `the uid ${uid} is there twice` })
    }
  })

/** A server whose tools work in the chat; see `server.ts` for its fields. */
export const McpServer = z.lazy(() => serverOf(SecretName))
export type McpServer = z.infer<typeof McpServer>

const McpServers = z.array(McpServer).superRefine((list, context) => {
  for (const [at, { name }] of list.entries()) {
    if (list.findIndex((other) => other.name === name) < at)
      context.addIssue({ code: 'custom', path: [at, 'name'], message: `the name ${name} is there twice` })
  }
})

const Line = (max: number) => z.string().trim().min(1).max(max)

/**
 * Whether the chat may change what visitors see: `off`: as its user may; `first`: it writes drafts and hidden records, and
 * publishing is a proposal of its own; `only`: it writes them and never publishes.
 */
const DraftsMode = z.enum(['off', 'first', 'only'])
export type DraftsMode = z.infer<typeof DraftsMode>

/** The mode of the stage, and those of groups, of which the strictest holds for a user. */
const Drafts = z.strictObject({ mode: DraftsMode.default('off'), groups: byGroup(DraftsMode).default({}) })

/** A prompt that the interface offers behind `/`; `{word}` in its text is a variable that the user fills in. */
const SharedPrompt = z.lazy(() =>
  z.strictObject({
    title: Line(100),
    text: Line(2_000),
    /** Groups that are offered it; empty: every one. */
    groups: z.array(Group).default([]),
    /** Modules beside which it is offered; empty: all. */
    modules: z.array(z.string().min(1).max(64)).default([]),
  }),
)

/** The settings and the AI configuration of a stage: one flat object, unknown keys are mistakes. */
export const Settings = z.strictObject({
  llmTaskUid: z.int().default(1),
  groupTaskMapping: z.array(z.tuple([Group, z.int()])).default([]),
  allowedGroups: z.array(Group).default([1, 2]),
  maxMessageLength: Length,
  maxSystemPromptLength: Length,
  maxActiveConversations: limit(1_000).default(3),
  maxConversationsPerUser: limit(100_000).default(200),
  /** Uploaded files of a user that no message names; each goes after a day. */
  maxUnsentFilesPerUser: limit(1_000).default(50),
  autoArchiveDays: some(30, 0),
  deleteAfterDays: some(90, 0),
  retainRunDays: some(30),
  /** How long the audit is kept, in days; null: for ever. */
  retainAuditDays: some(365),
  pollIntervalMs: z.int().min(1_000).max(2_000).default(1_500),
  dailyTokensPerUser: some(null),
  /** Tokens of all users together a UTC day; no turn starts once they are used up. null: no limit. */
  dailyTokens: some(null),
  /** What users see of what a conversation has used: nothing, tokens, or tokens and dollars. */
  showUsage: z.enum(['nothing', 'tokens', 'cost']).default('tokens'),
  /** True: no turn starts; those that run end, and everything else works. */
  maintenance: z.boolean().default(false),
  /** No turn starts while others have waited this long for a consumer, in milliseconds; null: it is queued in any case. */
  refuseAfterWaitMs: z.int().min(30_000).max(240_000).nullable().default(120_000),
  /** How much groups get of a provider that has too little for all, beside 1 of each that is not named. */
  groupWeights: byGroup(z.int().min(1).max(20)).default({}),
  tools: ToolRules.prefault({}),
  /** How far the chat may change what visitors see; see `drafts.ts`. */
  drafts: Drafts.prefault({}),
  /** Servers of tools, each under the same gate as the chat's own. */
  mcpServers: McpServers.default([]),
  /**
   * Users make access tokens, with which programs of theirs have the chat's own tools; up to which data class these
   * programs may receive results. null: there are no such tokens.
   */
  accessTokens: z
    .strictObject({ trustZone: z.enum(['public', 'internal', 'restricted']).default('internal') })
    .nullable()
    .default(null),
  /** How texts of the site are written: part of every system prompt, after the prompts of configuration and task. */
  houseStyle: z.string().max(10_000).default(''),
  prompts: z.array(SharedPrompt).max(100).default([]),
  embedOrigins: z.array(Origin).default([]),
  exchange: z
    .strictObject({ issuer: z.string().min(1), audience: z.string().min(1), key: z.string().min(1) })
    .nullable()
    .default(null),
  providers: records(Provider),
  models: records(ModelRecord),
  configurations: records(Configuration),
  tasks: records(Task),
})
export type Settings = z.infer<typeof Settings>

/**
 * What a file that is merged over the settings of a stage may say: any of their members, and records of which only the
 * uid is needed. For checking alone: parsing would fill in defaults that the file does not name.
 */
export const Overlay = z.lazy(() =>
  z.strictObject({
    ...Settings.partial().shape,
    providers: records(Provider.partial().extend({ uid: Uid })).optional(),
    models: records(ModelRecord.partial().extend({ uid: Uid })).optional(),
    configurations: records(Configuration.partial().extend({ uid: Uid })).optional(),
    tasks: records(Task.partial().extend({ uid: Uid })).optional(),
  }),
)
