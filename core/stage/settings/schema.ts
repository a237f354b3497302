import * as z from 'zod'
import { strictObjectOf } from '../../base/lazy-schema.ts'
import { TimeZoneName } from '../../base/time-zone.ts'
import { DataClass } from './data-class.ts'
import { McpServer, SecretName } from './server.ts'

const Uid = z.int().positive()
/** The id of a group in the CMS: a number or a text. */
const Group = z.union([z.int(), z.string().min(1).max(200)])
/** An origin as browsers send it in `Origin`: only scheme, host and port. */
const Origin = z.url().refine((text) => URL.parse(text)?.origin === text, {
  error:
    'has to be an origin as browsers send it: scheme, host and port, without a slash at its end or a path',
})
/** Returns the schema of a whole number from 1 to `most`, or null; `usual` is the default. */
const limit = (usual: number, most: number) => z.int().min(1).max(most).nullable().default(usual)
/** A limit of characters in a text. */
const Length = z.int().min(1).max(50_000).default(10_000)
/** Returns the schema of a whole number of at least `least`, or null; `usual` is the default. */
const some = (usual: number | null, least = 1) => z.int().min(least).nullable().default(usual)

/** A provider of models, with its trust zone for data. */
export const Provider = z.strictObject({
  uid: Uid,
  name: z.string().min(1),
  adapter: z.enum(['anthropic', 'bedrock', 'demo']),
  /** null: the default of the adapter's SDK. */
  baseUrl: z.url().nullable().default(null),
  /** Name of the secret that holds the key; never the key itself. */
  secret: SecretName.nullable().default(null),
  /** The highest data class of tool results that this provider may receive. */
  trustZone: DataClass,
  /** Rate limits per minute for all consumers together; turns above them wait in the queue. null: no limit. */
  requestsPerMinute: some(null),
  tokensPerMinute: some(null),
  active: z.boolean().default(true),
})
export type Provider = z.infer<typeof Provider>

const rates = {
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** Price of tokens that are written to the cache for an hour; if absent, the price of `cacheWrite` applies. */
  cacheWriteHour: z.number().exactOptional(),
}

/** List prices in US dollars per million tokens. */
export const Prices = z.strictObject({
  ...rates,
  /** Other prices for all tokens of a request whose prompt is longer than `above` tokens. */
  steps: z.array(z.strictObject({ above: z.int().positive(), ...rates })).exactOptional(),
})
export type Prices = z.infer<typeof Prices>

/** A model of a provider, with its capabilities and limits; the card of a known model supplies missing facts. */
export const ModelRecord = z.strictObject({
  uid: Uid,
  provider: Uid,
  modelId: z.string().min(1),
  capabilities: z.array(z.enum(['vision', 'pdf', 'tools'])),
  contextTokens: z.int().min(4_000),
  maxOutputTokens: z.int().min(256),
  /** null if unknown: then no cost in dollars is computed. */
  prices: Prices.nullable().default(null),
  /** The day on which the prices were looked up, `YYYY-MM-DD`. */
  pricesAsOf: z.iso.date().nullable().default(null),
  /** Version of the Messages API; null: the version that suits the model. */
  apiVersion: z.string().min(1).nullable().default(null),
  /**
   * True if the model accepts system messages within the messages. If absent, the model's card decides at Anthropic and
   * on Bedrock, and other servers get no such messages.
   */
  systemMessages: z.boolean().exactOptional(),
  /**
   * True if the model cites its sources, in blocks of the Messages API. If absent, the model's card decides at
   * Anthropic and on Bedrock, and other servers are not asked for citations.
   */
  citations: z.boolean().exactOptional(),
  /** Fallback model, of this or another provider, which answers if this model is not available; null: no fallback. */
  fallback: Uid.nullable().default(null),
})
export type ModelRecord = z.infer<typeof ModelRecord>

/** Settings for the use of a model: prompt, limits, tools, groups. */
export const Configuration = z.strictObject({
  uid: Uid,
  name: z.string().min(1),
  model: Uid,
  system_prompt: z.string().default(''),
  maxTokens: z.int().min(256),
  maxRounds: z.int().min(1).max(100).default(20),
  /** Limit of the model's thinking and writing; null: the model's default. */
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullable().default(null),
  /** Times at which the model thinks; null: the model's default. Not every model accepts every value. */
  thinking: z.enum(['adaptive', 'between_tools', 'disabled']).nullable().default(null),
  /** Patterns with `*` of the tools that this configuration offers; null: all. */
  tools: z.array(z.string()).nullable().default(null),
  /** Groups that may use this configuration; empty: all. */
  allowedGroups: z.array(Group).default([]),
  active: z.boolean().default(true),
})
export type Configuration = z.infer<typeof Configuration>

/** A task of the chat: a configuration, and a prompt for one purpose. */
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

/** The tools that are off for everyone, and the rights of groups, as patterns with `*`. A deny takes precedence. */
const ToolRules = z.strictObject({
  disabled: z.array(z.string()).default([]),
  groups: byGroup(
    z.strictObject({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() }),
  ).default({}),
})

/** A list in which no two rows have the same value of a member. */
const distinct = <K extends string, S extends z.ZodType<Record<K, unknown>>>(row: S, member: K) =>
  z.array(row).superRefine((list, context) => {
    for (const [at, { [member]: value }] of list.entries()) {
      if (list.findIndex((other) => other[member] === value) < at)
        context.addIssue({
          code: 'custom',
          path: [at, member],
          message: `the ${member} ${value} is there twice`,
        })
    }
  })
const records = <S extends z.ZodType<{ uid: number }>>(record: S) => distinct(record, 'uid')

const Line = (max: number) => z.string().trim().min(1).max(max)

/**
 * Limits changes to published content. `off`: the chat may do what its user may. `first`: it writes drafts and hidden
 * records, and publishing is a separate proposal. `only`: it writes drafts and hidden records and never publishes.
 */
const DraftsMode = z.enum(['off', 'first', 'only'])
export type DraftsMode = z.infer<typeof DraftsMode>

/** The mode of the stage, and the modes of groups; the strictest mode of a user's groups applies. */
const Drafts = z.strictObject({ mode: DraftsMode.default('off'), groups: byGroup(DraftsMode).default({}) })

/** A prompt that the interface offers after `/`; `{word}` in its text is a variable that the user fills in. */
const SharedPrompt = strictObjectOf(() => ({
  title: Line(100),
  text: Line(2_000),
  /** Groups that see the prompt; empty: all. */
  groups: z.array(Group).default([]),
  /** Modules in which the prompt is offered; empty: all. */
  modules: z.array(z.string().min(1).max(64)).default([]),
}))

/** The settings and the AI configuration of a stage: one flat object; an unknown key is a mistake. */
export const Settings = z.strictObject({
  llmTaskUid: z.int().default(1),
  groupTaskMapping: z.array(z.tuple([Group, z.int()])).default([]),
  allowedGroups: z.array(Group).default([1, 2]),
  maxMessageLength: Length,
  maxSystemPromptLength: Length,
  maxActiveConversations: limit(3, 1_000),
  maxConversationsPerUser: limit(200, 100_000),
  /** Limit per user of uploaded files that no message refers to; cleanup removes such a file after a day. */
  maxUnsentFilesPerUser: limit(50, 1_000),
  /** Days without a change after which an idle conversation is archived. Pinned conversations stay. */
  autoArchiveDays: some(30, 0),
  /** Days after which an archived conversation is removed with its files. Pinned conversations stay. */
  deleteAfterDays: some(90, 0),
  retainRunDays: some(30),
  /** Retention of the audit in days; null: for ever. */
  retainAuditDays: some(365),
  pollIntervalMs: z.int().min(1_000).max(2_000).default(1_500),
  dailyTokensPerUser: some(null),
  /** Limit of the tokens of all users per UTC day; no turn starts once they are used up. null: no limit. */
  dailyTokens: some(null),
  /**
   * Limit of tokens of earlier turns in a request. Above it, older results are shortened to one line each, then old
   * turns are left out. null: the limit is the context window of the model.
   */
  historyTokens: some(120_000, 10_000),
  /** The model sums up old turns before they are left out; false: they are left out without a summary. */
  summaries: z.boolean().default(true),
  /**
   * The model that writes the title of a conversation after its first answer. `cheaper`: the cheapest model of the
   * settings, if it is cheaper than the model that answered. `always`: as `cheaper`; if no model is cheaper, the model
   * that answered, or its fallback if the model that answered has no prices. `off`: no model; the title stays the first
   * message.
   */
  titles: z.enum(['off', 'cheaper', 'always']).default('cheaper'),
  /** The usage of a conversation that users see: nothing, tokens, or tokens and dollars. */
  showUsage: z.enum(['nothing', 'tokens', 'cost']).default('tokens'),
  /** If true, no turn starts, but running turns end and everything else works. */
  maintenance: z.boolean().default(false),
  /** No turn starts if others have waited this long for a consumer, in milliseconds; null: every turn is queued. */
  refuseAfterWaitMs: z.int().min(30_000).max(240_000).nullable().default(120_000),
  /** Shares of groups when a provider has too little capacity for all; a group without an entry has weight 1. */
  groupWeights: byGroup(z.int().min(1).max(20)).default({}),
  tools: ToolRules.prefault({}),
  /** Limits changes to published content; see `DraftsMode`. */
  drafts: Drafts.prefault({}),
  /** Servers of tools. Their calls pass the same checks of permission as calls of the chat's own tools. */
  mcpServers: distinct(McpServer, 'name').default([]),
  /**
   * Allows users to create access tokens, with which their programs call the chat's own tools. `trustZone` is the
   * highest data class of results for these programs. Unless `oauth` is false, programs may also get access by OAuth,
   * which hosted assistants need. null: no access tokens.
   */
  accessTokens: z
    .strictObject({
      trustZone: DataClass.default('internal'),
      oauth: z.boolean().exactOptional(),
    })
    .nullable()
    .default(null),
  /** House style of the site's texts: part of every system prompt, after the prompts of configuration and task. */
  houseStyle: z.string().max(10_000).default(''),
  /** The time zone of the site. The assistant uses it for dates if the browser sends no time zone. */
  timeZone: TimeZoneName.default('UTC'),
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
 * The schema of an overlay for the settings of a stage: any members of the settings; records need only their uid. Use
 * it only for checks: parsing would fill in defaults that the file does not contain.
 */
export const Overlay = strictObjectOf(() => ({
  ...Settings.partial().shape,
  providers: records(Provider.partial().extend({ uid: Uid })).optional(),
  models: records(ModelRecord.partial().extend({ uid: Uid })).optional(),
  configurations: records(Configuration.partial().extend({ uid: Uid })).optional(),
  tasks: records(Task.partial().extend({ uid: Uid })).optional(),
}))

/** Returns the row with the uid. */
export const byUid = <R extends { uid: number }>(rows: readonly R[], uid: number): R | undefined =>
  rows.find((row) => row.uid === uid)
