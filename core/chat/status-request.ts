import * as z from 'zod'
import { languages } from '../base/language.ts'
import { RecordId } from '../conversation/schema.ts'
import { ToolStatus } from '../tool/schema.ts'

/** `GET /status` */
export const StatusQuery = z.lazy(() =>
  z.strictObject({
    /** The language of the words; the user's own when absent. */
    lang: z.enum(languages).optional(),
  }),
)
/** The offers of the interface for this user. */
export const StatusAnswer = z.lazy(() =>
  z.object({
    /** A configuration, a model and its secret are there. */
    available: z.boolean(),
    /** The faults of these, and the reasons why no turn may start now: maintenance, a spent budget. */
    issues: z.array(z.object({ code: z.string(), message: z.string() })),
    provider: z.object({ name: z.string(), model: z.string(), isAI: z.boolean() }),
    supportedFormats: z.array(z.string()),
    accept: z.string(),
    /** Formats that cannot be read, by extension, with the one in which their programs can save a file. */
    saveAs: z.record(z.string(), z.string()),
    maxFileSize: z.int(),
    maxFilesPerConversation: z.int(),
    maxMessageLength: z.int(),
    maxSystemPromptLength: z.int(),
    pollIntervalMs: z.int(),
    activeConversations: z.int(),
    maxActiveConversations: z.int().nullable(),
    tools: z.array(ToolStatus),
    /** The type of the site's pages; null: the CMS has no page tree. */
    pages: z.string().nullable(),
    /** The home page among them; null for a site without one. */
    home: RecordId.nullable(),
    /** There are servers of tools that want a grant of this user; `/connections` lists them. */
    connections: z.boolean(),
    /** Files are among the records of the site, so that a message can name them. */
    siteFiles: z.boolean(),
    /** Users may make access tokens for programs of theirs; `/access-tokens` lists them. */
    accessTokens: z.boolean(),
    /** A model writes the title of a conversation after its first answer. */
    titles: z.boolean().optional(),
    usage: z.object({
      todayTokens: z.int(),
      dailyTokens: z.int().nullable(),
      /** The same of the whole stage, for administrators; null for others, and where the stage has no limit. */
      stage: z.object({ todayTokens: z.int(), dailyTokens: z.int() }).nullable(),
    }),
    /** The version of the product. */
    version: z.string(),
  }),
)
export type StatusAnswer = z.infer<typeof StatusAnswer>
