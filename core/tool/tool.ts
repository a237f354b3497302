import * as z from 'zod'
import type { Actor } from '../base/actor.ts'
import { own } from '../base/json.ts'
import { type English, fillIn, inLanguage } from '../base/language.ts'
import type { Capabilities } from '../cms/capabilities.ts'
import type { Change } from '../cms/change.ts'
import type { Cms } from '../cms/cms.ts'
import type { Preview, Question } from '../conversation/schema.ts'
import type { ImageBlock, RecordName } from '../conversation/transcript/schema.ts'
import type { PagePicture } from '../file/document/extract.ts'
import type { Extraction } from '../file/document/schema.ts'
import type { DataClass } from '../stage/settings/data-class.ts'
import type { Sign, Source, ToolWords, WriteWords } from './schema.ts'

/** The context of a tool call: the actor, and the ports of the stage. */
export type ToolContext = {
  actor: Actor
  cms: Cms
  /** The time of the call, in milliseconds since the epoch. */
  now: number
  /** Aborts when the turn is cancelled, loses its claim or runs out of time. */
  signal: AbortSignal
  files: FileLister
  /** Reads a further part of a stored file of the actor. Absent if documents cannot be read. */
  readOn?: FileReader
  operations: Operations
  /** Reports the progress of a long read: `n` of `total` records. Absent if nobody sees it. */
  progress?: (n: number, total: number) => Promise<void>
  /** Returns false when a long read must end with the records read so far. Absent if time is not limited. */
  hasTime?: () => boolean
  /** Prepares a picture for the model; undefined if it cannot be sent. Absent if the model cannot see. */
  see?: (picture: { mimeType: string; base64: string }) => Promise<ImageBlock | undefined>
}

/** Lists stored files for `list_files`; `core/file` implements it. */
type FileLister = (
  actor: Actor,
  folder: string | undefined,
) => Promise<{ uid: number; name: string; mimeType: string; size: number; folder: string }[] | undefined>

/**
 * Reads a stored file from a given page, slide, row or character, without its first `skip` characters, for `read_file`;
 * `core/file` implements it.
 */
type FileReader = (
  actor: Actor,
  place: { fileUid: number; from: number; skip?: number; sees: boolean },
  signal: AbortSignal,
) => Promise<{ name: string; extraction: Extraction; pictures: PagePicture[] } | undefined>

/** Returns the figures of the stage for `get_system_status`. */
export type Operations = () => Promise<Record<string, string | number | boolean>>

type Common<S extends z.ZodType> = {
  /** `^[a-z_]{1,64}$`, or `mcp__server__tool`; never renamed, because stored transcripts contain it. */
  name: string
  sign: Sign
  /** The description for the model: when to use the tool, and what comes back. */
  description: string
  /**
   * One or two sentences about the use of this tool with other tools, for the system prompt with this tool. A sentence
   * that names a tool the turn does not offer is left out, here and in the description.
   */
  guidance?: string
  /** A strict object; the model gets it as a JSON schema. */
  parameters: S
  /** The JSON schema for the model, if `parameters` cannot produce it, as for tools of MCP servers. */
  schema?: Record<string, unknown>
  dataClass: DataClass
  adminOnly: boolean
  /** True if the tool can only publish, hide or bring back records. */
  publishes?: true
  /** True if the tool returns a picture; only a model that can see gets such a tool. */
  shows?: true
  /** Returns true if the CMS has what the tool needs; absent if every CMS has it. */
  suits?(capabilities: Capabilities): boolean
}

/** The result of a reading tool: the text is only for the model, the rest is for the interface. */
export type Found = {
  text: string
  /** The records that the text describes. */
  records?: RecordName[]
  /** The number of entries in the text; defaults to the number of records. */
  count?: number
  /** Pictures for the model in addition to the text, until the turn ends. */
  images?: ImageBlock[]
}

/** A tool that only reads and runs at once. It may return only a text if the interface shows no records for it. */
export type ReadTool<S extends z.ZodType = z.ZodType> = Common<S> & {
  writes: false
  words: English<ToolWords>
  /** The kind of source in its results that an answer can cite; absent without one. */
  source?: Source
  run(args: z.infer<S>, context: ToolContext): Promise<string | Found>
}

/** A tool that asks the user a question: the turn waits for the answer, which is the result. It changes nothing. */
export type AskTool<S extends z.ZodType = z.ZodType> = Common<S> & {
  writes: false
  words: English<ToolWords>
  source?: undefined
  question(args: z.infer<S>): Question
}

/** A tool that changes records: it plans the change; the agent asks for approval and sends the change to the CMS. */
export type WriteTool<S extends z.ZodType = z.ZodType> = Common<S> & {
  writes: true
  words: English<WriteWords>
  /** Splits the arguments of a tool for many records into one call for each record; `write` gets one part. */
  split?(args: z.infer<S>): z.infer<S>[]
  /** Returns true if a call creates a record to which later calls of the reply can refer. Absent if no call does. */
  creates?(capabilities: Pick<Capabilities, 'locales'>): boolean
  /** Throws ToolError if the change must not reach the CMS. */
  refuse?(change: Change, capabilities: Pick<Capabilities, 'writes'>): void
  /** True if the CMS reads the record no more after the write. */
  takesAway?: true
  write(args: z.infer<S>): Change
}

/**
 * A tool of an MCP server that may change something there. It waits for an approval of server, tool and arguments, and
 * runs at most once. The chat cannot preview, compare or undo it.
 */
export type CallTool = Common<z.ZodType> & {
  writes: true
  words: English<WriteWords>
  /** Identifies the tool and its server: a hash of the address and the definition, which the approval includes. */
  definition: string
  /**
   * Returns the server's present state of the call's target, cut for a person to read; empty if the server shows
   * nothing. Absent if no tool of the server shows it.
   */
  look?(args: Record<string, unknown>, signal: AbortSignal): Promise<string>
  /**
   * Rejects with ToolError if the call would be refused, so that no person is asked for it. Absent if that cannot be
   * checked.
   */
  check?(args: Record<string, unknown>): Promise<void>
  /**
   * Calls the server. Rejects with ToolError if the server certainly did nothing, or reports a failure. After any other
   * rejection the outcome is unknown.
   */
  call(args: Record<string, unknown>, context: ToolContext): Promise<Found>
}

export type Tool = ReadTool | AskTool | WriteTool | CallTool

/**
 * A tool as its file declares it: `en` has the English words; `dataClass` defaults to `internal`, `adminOnly` to false.
 */
type Declared<T extends Tool> = Omit<T, 'writes' | 'words' | 'dataClass' | 'adminOnly'> &
  T['words'] &
  Partial<Pick<T, 'dataClass' | 'adminOnly'>>

/** Declares a tool that reads; its schema types its arguments. */
export function reads<S extends z.ZodType>(tool: Declared<ReadTool<S>>): ReadTool {
  return declared(tool, false) as ReadTool
}

/** Declares a tool that asks the user; its schema types its arguments. */
export function asks<S extends z.ZodType>(tool: Declared<AskTool<S>>): AskTool {
  return declared(tool, false) as AskTool
}

/** Declares a tool that writes after an approval; its schema types its arguments. */
export function writes<S extends z.ZodType>(tool: Declared<WriteTool<S>>): WriteTool {
  return declared(tool, true) as WriteTool
}

function declared({ en, ...tool }: English<unknown>, writes: boolean): unknown {
  return { dataClass: 'internal', adminOnly: false, ...tool, words: { en }, writes }
}

/** Returns the heading of a pending call in the given language: the action and its target. */
export function heading(
  tool: Pick<WriteTool, 'words'>,
  { label, changes }: Pick<Preview, 'label' | 'changes'>,
  lang: string,
  args: Readonly<Record<string, unknown>> = {},
): string {
  const words = inLanguage(tool.words, lang)
  const sentence = own(words.headings ?? {}, String(args.state)) ?? words.heading
  return fillIn(sentence, lang, { title: label, count: changes.length })
}

type Forms = Pick<Capabilities, 'ids' | 'states' | 'locales'>
const schemas = new WeakMap<Tool, Map<string, Record<string, unknown>>>()

/**
 * Returns the JSON schema of a tool's arguments for the ids, states and languages of a CMS (default: the reference
 * CMS). Keys keep the order of the zod schema; each schema is built once for each tool and CMS form.
 */
export function inputSchema(
  tool: Tool,
  { ids, states, locales }: Forms = { ids: 'number', states: [], locales: 'record' },
): Record<string, unknown> {
  if (tool.schema) return tool.schema
  const name = [ids, locales, ...states].join(' ')
  const made = schemas.get(tool) ?? new Map<string, Record<string, unknown>>()
  const known = made.get(name)
  if (known) return known
  const override = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    fill(jsonSchema, { ids, states, locales })
    shorten(jsonSchema)
  }
  const { $schema: _, ...schema } = z.toJSONSchema(tool.parameters, { io: 'input', override })
  schemas.set(tool, made.set(name, schema))
  return schema
}

/** Adds the ids and states of the CMS, and removes the translation check for a CMS without languages. */
function fill(schema: z.core.JSONSchema.BaseSchema, { ids, states, locales }: Forms): void {
  if (schema.of === 'state') {
    delete schema.of
    if (states.length > 0) schema.enum = [...states]
  }
  if (schema.of === 'check') {
    delete schema.of
    if (locales === 'none') schema.enum = schema.enum?.filter((check) => check !== 'translation') ?? []
  }
  if (schema.of === 'record' || schema.of === 'target') {
    const { description, of } = schema
    for (const key of Object.keys(schema)) delete schema[key]
    const own = ids === 'string' ? 'string' : 'integer'
    schema.type = own
    // zod's type of a schema allows no list of types, but JSON Schema does.
    if (of === 'target' && own === 'integer') Object.assign(schema, { type: [own, 'string'] })
    if (description) schema.description = description
  }
  if (schema.of === 'fields') {
    delete schema.of
    delete schema.propertyNames
    delete schema.additionalProperties
  }
}

/** The model's schema leaves out a maximum length of this value or more, because such long texts are rare. */
const rareLength = 500

/** Removes rules that tell a model nothing; `parameters` still enforces them. */
function shorten(schema: z.core.JSONSchema.BaseSchema): void {
  delete schema.pattern
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.enum || schema.minLength === 1) delete schema.minLength
  if (schema.enum || Number(schema.maxLength) >= rareLength) delete schema.maxLength
  if (schema.minItems === 1) delete schema.minItems
}
