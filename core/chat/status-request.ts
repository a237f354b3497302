import * as z from 'zod'
import { maxCharacters } from '../base/characters.ts'
import { languages } from '../base/language.ts'
import { objectOf, strictObjectOf } from '../base/lazy-schema.ts'
import { RecordId } from '../conversation/schema.ts'
import { ToolStatus } from '../tool/schema.ts'

/** `GET /status` */
export const StatusQuery = strictObjectOf(() => ({
  /** The language of the messages; by default the user's language. */
  lang: z.enum(languages).optional(),
}))
/** The features, limits and faults that the interface shows to this user. */
export const StatusAnswer = objectOf(() => ({
  /** True if a configuration, a model and the provider's secret exist. */
  available: z.boolean(),
  /**
   * The missing parts of the configuration, and the reasons why no turn may start now: maintenance or a spent budget.
   */
  issues: z.array(z.object({ code: z.string(), message: z.string() })),
  provider: z.object({ name: z.string(), model: z.string(), isAI: z.boolean() }),
  supportedFormats: z.array(z.string()),
  accept: z.string(),
  /** Formats that cannot be read, by extension, each with a readable format that its program can save. */
  saveAs: z.record(z.string(), z.string()),
  maxFileSize: z.int(),
  maxFilesPerConversation: z.int(),
  maxMessageLength: z.int(),
  maxSystemPromptLength: z.int(),
  /** The limits of the other texts that a user writes. */
  maxCharacters: z.record(z.enum(Object.keys(maxCharacters) as (keyof typeof maxCharacters)[]), z.int()),
  pollIntervalMs: z.int(),
  activeConversations: z.int(),
  maxActiveConversations: z.int().nullable(),
  tools: z.array(ToolStatus),
  /** The type of the site's pages; null if the CMS has no page tree. */
  pages: z.string().nullable(),
  /** The home page; null for a site without one. */
  home: RecordId.nullable(),
  /** True if tool servers need a grant of this user; `/connections` lists them. */
  connections: z.boolean(),
  /** True if the site has file records, so that a message can mention a file. */
  siteFiles: z.boolean(),
  /** True if users may make access tokens for their own programs; `/access-tokens` lists them. */
  accessTokens: z.boolean(),
  /** True if a model writes the title of a conversation after its first answer. */
  titles: z.boolean().optional(),
  usage: z.object({
    todayTokens: z.int(),
    dailyTokens: z.int().nullable(),
    /** The usage of the whole stage for administrators; null for others, or if the stage has no limit. */
    stage: z.object({ todayTokens: z.int(), dailyTokens: z.int() }).nullable(),
  }),
  /** The version of the product. */
  version: z.string(),
}))
export type StatusAnswer = z.infer<typeof StatusAnswer>
