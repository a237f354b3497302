import { z } from 'zod'

const Uid = z.int().positive()
const limit = (max: number) => z.int().min(1).max(max).nullable()

export const Provider = z.strictObject({
  uid: Uid,
  name: z.string().min(1),
  adapter: z.enum(['anthropic', 'bedrock', 'demo']),
  /** null: the default of the adapter's SDK. */
  baseUrl: z.url().nullable(),
  /** Name of the secret that holds the key; never the key itself. */
  secret: z.string().nullable(),
  /** Up to which data class this provider may receive tool results. */
  trustZone: z.enum(['public', 'internal', 'restricted']),
  active: z.boolean(),
})
export type Provider = z.infer<typeof Provider>

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
    .nullable(),
})
export type ModelRecord = z.infer<typeof ModelRecord>

export const Configuration = z.strictObject({
  uid: Uid,
  name: z.string().min(1),
  model: Uid,
  system_prompt: z.string(),
  maxTokens: z.int().min(256),
  maxRounds: z.int().min(1).max(100).default(20),
  /** Patterns with `*` of the tools that this configuration offers; null: all. */
  tools: z.array(z.string()).nullable(),
  /** Groups that may use this configuration; empty: every one. */
  allowedGroups: z.array(z.int()),
  active: z.boolean(),
})
export type Configuration = z.infer<typeof Configuration>

export const Task = z.strictObject({
  uid: Uid,
  name: z.string().min(1),
  configuration: Uid,
  prompt_template: z.string(),
  active: z.boolean(),
})
export type Task = z.infer<typeof Task>

const ToolRules = z.strictObject({
  disabled: z.array(z.string()),
  groups: z.record(
    z.string().regex(/^[0-9]+$/),
    z.strictObject({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() }),
  ),
})

/** The settings and the AI configuration of a stage: one flat object, unknown keys are mistakes. */
export const Settings = z.strictObject({
  llmTaskUid: z.int(),
  groupTaskMapping: z.array(z.tuple([z.int(), z.int()])),
  allowedGroups: z.array(z.int()),
  maxMessageLength: z.int().min(1).max(50_000),
  maxSystemPromptLength: z.int().min(1).max(50_000),
  maxActiveConversations: limit(1_000),
  maxConversationsPerUser: limit(100_000),
  autoArchiveDays: z.int().min(0).nullable(),
  deleteAfterDays: z.int().min(0).nullable(),
  retainRunDays: z.int().min(1).nullable(),
  pollIntervalMs: z.int().min(1_000).max(2_000),
  dailyTokensPerUser: z.int().min(1).nullable(),
  tools: ToolRules,
  embedOrigins: z.array(z.url()),
  exchange: z
    .strictObject({ issuer: z.string().min(1), audience: z.string().min(1), key: z.string().min(1) })
    .nullable(),
  providers: z.array(Provider),
  models: z.array(ModelRecord),
  configurations: z.array(Configuration),
  tasks: z.array(Task),
})
export type Settings = z.infer<typeof Settings>
