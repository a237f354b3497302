import * as z from 'zod'
import type { Actor } from '../actor.ts'
import { type Capabilities, hasUsualTables } from '../cms/capabilities.ts'
import type { Cms, Write } from '../cms/cms.ts'
import type { Preview, Question } from '../conversation/schema.ts'
import { filled, inLanguage, type Translated } from '../language.ts'
import type { ImageBlock } from '../model/model.ts'
import type { RecordName } from '../transcript/schema.ts'
import type { Sign, Source, ToolWords, WriteWords } from './schema.ts'

/** How sensitive what a tool returns is; a provider's trust zone says up to which class it may receive. */
export const dataClasses = ['public', 'internal', 'restricted'] as const
export type DataClass = (typeof dataClasses)[number]

/** What a tool gets beside its arguments: who it acts for, and the ports of this stage. */
export type ToolContext = {
  actor: Actor
  cms: Cms
  /** Milliseconds since the epoch, at the moment of the call. */
  now: number
  /** Ends when the turn is cancelled, loses its claim or runs out of time. */
  signal: AbortSignal
  files: FileLister
  operations: Operations
  /** Tells how far a call that reads much is: it has read so many records of so many. Absent where none is shown. */
  progress?: (n: number, total: number) => Promise<void>
  /** False when a call that reads much has to end with what it has. Absent where it has all the time it needs. */
  hasTime?: () => boolean
  /** Looks at a picture; undefined where it cannot be sent. Absent where the model in use sees none. */
  see?: (picture: { mimeType: string; base64: string }) => Promise<ImageBlock | undefined>
}

/** Lists stored files for `list_files`; implemented by the file noun. */
export type FileLister = (
  actor: Actor,
  folder: string | undefined,
) => Promise<{ uid: number; name: string; mimeType: string; size: number; folder: string }[] | undefined>

/** Real figures of the stage for `get_system_status`. */
export type Operations = () => Promise<Record<string, string | number | boolean>>

type Common<S extends z.ZodType> = {
  /** `^[a-z_]{1,64}$`, or `mcp__server__tool`; fixed for ever: stored transcripts name it. */
  name: string
  sign: Sign
  /** What the model reads: when to use it, what comes back. */
  description: string
  /** Strict object; becomes the JSON schema that the model gets. */
  parameters: S
  /** The JSON schema for the model where `parameters` is not made of one, as for tools of other servers. */
  schema?: Record<string, unknown>
  dataClass: DataClass
  adminOnly: boolean
  /** True for a tool that does nothing but change what visitors see. */
  publishes?: true
  /** What it returns is a picture: only a model that sees has a use for it. */
  shows?: true
  /** Whether a CMS has what the tool needs; absent: every CMS does. */
  suits?(capabilities: Capabilities): boolean
}

/** What a tool has read: the text is for the model alone, the rest for the interface. */
export type Found = {
  text: string
  /** The records that the text is about. */
  records?: RecordName[]
  /** How many entries the text has; the number of records when absent. */
  count?: number
  /** For the model beside the text, as long as the turn runs. */
  images?: ImageBlock[]
}

/** A tool that only reads: runs at once. A text alone is enough where the interface names no record. */
export type ReadTool<S extends z.ZodType = z.ZodType> = Common<S> & {
  writes: false
  words: Translated<ToolWords>
  /** How its results are named as a source of the answer; not at all when absent. */
  source?: Source
  run(args: z.infer<S>, context: ToolContext): Promise<string | Found>
}

/** A tool that asks the user something: the turn waits for the answer, which is its result. It changes nothing. */
export type AskTool<S extends z.ZodType = z.ZodType> = Common<S> & {
  writes: false
  words: Translated<ToolWords>
  source?: undefined
  question(args: z.infer<S>): Question
}

/** A tool that changes records: says which write it means; the agent asks for approval and has the CMS do it. */
export type WriteTool<S extends z.ZodType = z.ZodType> = Common<S> & {
  writes: true
  words: Translated<WriteWords>
  /** The arguments of a call for each record, for a tool that changes many at once; `write` gets one of those. */
  split?(args: z.infer<S>): z.infer<S>[]
  write(args: z.infer<S>): Write
}

/**
 * A tool of another server that may change something there: it waits for an approval of server, tool and arguments, and
 * is called at most once. Nothing of it can be shown before, compared, or taken back.
 */
export type CallTool = Common<z.ZodType> & {
  writes: true
  words: Translated<WriteWords>
  /** Which tool of which server this is: a hash over its address and its definition, part of what is approved. */
  definition: string
  /**
   * What the server shows now of what the call is about, cut to what a person reads, empty where it shows nothing; absent
   * where no tool shows it.
   */
  look?(args: Record<string, unknown>, signal: AbortSignal): Promise<string>
  /**
   * Calls the server. Throws ToolError when the server certainly did not do it, or says that it failed; after any other
   * rejection the end of the call is unknown.
   */
  call(args: Record<string, unknown>, context: ToolContext): Promise<Found>
}

export type Tool = ReadTool | AskTool | WriteTool | CallTool

/** Declares a tool that reads, its arguments typed by its schema. */
export function reads<S extends z.ZodType>(tool: Omit<ReadTool<S>, 'writes'>): ReadTool {
  return { ...tool, writes: false } as unknown as ReadTool
}

/** Declares a tool that asks the user, its arguments typed by its schema. */
export function asks<S extends z.ZodType>(tool: Omit<AskTool<S>, 'writes'>): AskTool {
  return { ...tool, writes: false } as unknown as AskTool
}

/** Declares a tool that writes after an approval, its arguments typed by its schema. */
export function writes<S extends z.ZodType>(tool: Omit<WriteTool<S>, 'writes'>): WriteTool {
  return { ...tool, writes: true } as unknown as WriteTool
}

/** The heading over a pending call, in the reader's language: what it would do to what. */
export function heading(
  tool: Pick<WriteTool, 'words'>,
  { label, changes }: Pick<Preview, 'label' | 'changes'>,
  lang: string,
): string {
  return filled(inLanguage(tool.words, lang).heading, lang, { title: label, count: changes.length })
}

type Forms = Pick<Capabilities, 'ids' | 'states' | 'tree'>
/** How a table is asked for where its CMS has none of the names that an example could have. */
const elsewhere = 'Name of the table. describe_table answers a name that is none with those that there are'
const schemas = new WeakMap<Tool, Map<string, Record<string, unknown>>>()

/**
 * The JSON schema of a tool's arguments for a CMS with such ids, states and pages (those of the reference CMS where absent),
 * with keys in the fixed order of its zod schema; made once for each tool.
 */
export function inputSchema(
  tool: Tool,
  { ids, states, tree }: Forms = {
    ids: 'number',
    states: [],
    tree: { pages: 'pages', content: 'content' },
  },
): Record<string, unknown> {
  if (tool.schema) return tool.schema
  const isUsual = hasUsualTables({ tree })
  const name = [ids, isUsual, ...states].join(' ')
  const made = schemas.get(tool) ?? new Map<string, Record<string, unknown>>()
  const known = made.get(name)
  if (known) return known
  const override = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) =>
    asked(jsonSchema, { ids, states, isUsual })
  const { $schema: _, ...schema } = z.toJSONSchema(tool.parameters, { io: 'input', override })
  schemas.set(tool, made.set(name, schema))
  return schema
}

type Had = Pick<Capabilities, 'ids' | 'states'> & { isUsual: boolean }

/** Says of ids, states and tables what the CMS has; the home page is 1 only where ids are numbers. */
function asked(schema: z.core.JSONSchema.BaseSchema, { ids, states, isUsual }: Had): void {
  if (schema.of === 'table') {
    delete schema.of
    if (!isUsual) schema.description = elsewhere
  }
  if (schema.of === 'state') {
    delete schema.of
    if (states.length > 0) schema.enum = [...states]
  }
  if (schema.of === 'record') {
    const { anyOf: [number, text] = [], of: _, ...words } = schema
    for (const key of Object.keys(schema)) delete schema[key]
    Object.assign(schema, ids === 'string' ? text : number, words)
  }
  if (schema.type !== 'string' || typeof schema.default !== 'number') return
  delete schema.default
  schema.description = 'Id of the page to start at; absent: the whole site'
}
