import * as z from 'zod'
import type { Actor } from '../actor.ts'
import type { Cms, Write } from '../cms/cms.ts'
import type { Bilingual } from '../language.ts'

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
}

/** Lists stored files for `list_files`; implemented by the file noun. */
export type FileLister = (
  actor: Actor,
  folder: string | undefined,
) => Promise<{ uid: number; name: string; mimeType: string; size: number; folder: string }[] | undefined>

/** Real figures of the stage for `get_system_status`. */
export type Operations = () => Promise<Record<string, string | number | boolean>>

type Common<S extends z.ZodType> = {
  /** `^[a-z_]{1,64}$`, fixed for ever: stored transcripts name it. */
  name: string
  /** What a person reads in lists of tools. */
  title: Bilingual
  /** What the model reads: when to use it, what comes back. */
  description: string
  /** Strict object; becomes the JSON schema that the model gets. */
  parameters: S
  dataClass: DataClass
  adminOnly: boolean
}

/** A tool that only reads: runs at once and answers with text for the model. */
export type ReadTool<S extends z.ZodType = z.ZodType> = Common<S> & {
  writes: false
  run(args: z.infer<S>, context: ToolContext): Promise<string>
}

/** A tool that changes records: says which write it means; the agent asks for approval and has the CMS do it. */
export type WriteTool<S extends z.ZodType = z.ZodType> = Common<S> & {
  writes: true
  write(args: z.infer<S>): Write
}

export type Tool = ReadTool | WriteTool

/** Declares a tool that reads, its arguments typed by its schema. */
export function reads<S extends z.ZodType>(tool: Omit<ReadTool<S>, 'writes'>): ReadTool {
  return { ...tool, writes: false } as unknown as ReadTool
}

/** Declares a tool that writes after an approval, its arguments typed by its schema. */
export function writes<S extends z.ZodType>(tool: Omit<WriteTool<S>, 'writes'>): WriteTool {
  return { ...tool, writes: true } as unknown as WriteTool
}

const schemas = new WeakMap<Tool, Record<string, unknown>>()

/** The JSON schema of a tool's arguments, with keys in the fixed order of its zod schema; made once for each tool. */
export function inputSchema(tool: Tool): Record<string, unknown> {
  const known = schemas.get(tool)
  if (known) return known
  const { $schema: _, ...schema } = z.toJSONSchema(tool.parameters, { io: 'input' })
  schemas.set(tool, schema)
  return schema
}
