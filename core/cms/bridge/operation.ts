import * as z from 'zod'
import { Actor } from '../../actor.ts'
import { FieldChange } from '../../conversation/schema.ts'
import { CmsRecord, HistoryEntry, Language, LogEntry, LogLevel, Page, Table, TreePage } from '../schema.ts'

/**
 * The bridge, version 1: what a CMS elsewhere answers under `POST <base>/aic/v1/<operation>`, JSON in and out. Each
 * operation is one of the `Cms` port, which says what it means; `null` stands for its `undefined`.
 */

const uid = z.int().nonnegative()
const limit = z.int().min(1).max(5_000)
const Fields = z.record(z.string(), z.unknown())
const Versions = z.array(z.object({ table: z.string(), uid: z.int(), version: z.string() }))
const Place = z.object({ table: z.string(), uid: z.int() })

const Write = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('update'), table: z.string(), uid, fields: Fields }),
  z.object({ kind: z.literal('create'), table: z.string(), pid: uid, fields: Fields }),
])

const WritePreview = z.object({
  table: z.string(),
  uid: z.int().nullable(),
  label: z.string(),
  page: z.object({ uid: z.int(), title: z.string() }),
  changes: z.array(FieldChange),
  versions: Versions,
})

const WriteOutcome = z.discriminatedUnion('state', [
  Place.extend({ state: z.literal('done'), version: z.string(), changed: z.array(z.string()) }),
  Place.extend({ state: z.literal('conflict') }),
  z.object({ state: z.literal('void') }),
])

const BackendUser = z.object({
  uid: z.int(),
  username: z.string(),
  name: z.string(),
  isAdmin: z.boolean(),
  disabled: z.boolean(),
  groups: z.array(z.string()),
  lang: z.string(),
  lastLogin: z.string().nullable(),
})

const operation = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output })
const Nothing = z.strictObject({})

/** Every operation with the shapes of its question and of its answer. */
export const operations = {
  user: operation(z.strictObject({ uid }), Actor.nullable()),
  languages: operation(Nothing, z.array(Language)),
  page: operation(z.strictObject({ uid }), Page.nullable()),
  'page-tree': operation(z.strictObject({ root: uid, depth: z.int().min(1), limit }), z.array(TreePage)),
  'page-content': operation(z.strictObject({ uid }), z.array(CmsRecord).nullable()),
  tables: operation(Nothing, z.array(Table)),
  search: operation(
    z.strictObject({ text: z.string(), table: z.string().exactOptional(), limit }),
    z.array(CmsRecord),
  ),
  list: operation(
    z.strictObject({ table: z.string(), page: uid.exactOptional(), limit, offset: uid }),
    z.object({ records: z.array(CmsRecord), total: z.int() }).nullable(),
  ),
  record: operation(z.strictObject({ table: z.string(), uid }), CmsRecord.nullable()),
  history: operation(z.strictObject({ table: z.string(), uid, limit }), z.array(HistoryEntry).nullable()),
  log: operation(
    z.strictObject({ level: LogLevel, since: z.string().exactOptional(), limit }),
    z.array(LogEntry),
  ),
  exception: operation(z.strictObject({ index: uid }), LogEntry.nullable()),
  users: operation(Nothing, z.array(BackendUser)),
  facts: operation(Nothing, z.record(z.string(), z.union([z.string(), z.number()]))),
  preview: operation(z.strictObject({ write: Write, earlier: z.array(Write) }), WritePreview),
  write: operation(
    z.strictObject({
      write: Write,
      key: z.string().min(1),
      correlationId: z.string().min(1),
      versions: Versions,
      now: z.int(),
    }),
    WriteOutcome,
  ),
  settle: operation(z.strictObject({ key: z.string().min(1) }), WriteOutcome),
  'changes-of': operation(z.strictObject({ runId: z.string().min(1) }), z.int()),
  undo: operation(
    z.strictObject({ runId: z.string().min(1), now: z.int() }),
    z.object({ undone: z.array(Place), conflicts: z.array(Place.extend({ reason: z.string() })) }),
  ),
}

export type Operation = keyof typeof operations
export type Input<K extends Operation> = z.infer<(typeof operations)[K]['input']>
export type Output<K extends Operation> = z.infer<(typeof operations)[K]['output']>

/** How a CMS refuses: `tool.refused` has a sentence for the model, as the port's ToolError; the rest are failures. */
export const Refusal = z.object({
  error: z.object({
    code: z.enum([
      'tool.refused',
      'request.unsigned',
      'request.invalid',
      'operation.unknown',
      'user.unknown',
    ]),
    message: z.string(),
  }),
})
export type Refusal = z.infer<typeof Refusal>
