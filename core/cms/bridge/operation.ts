import * as z from 'zod'
import { Actor } from '../../actor.ts'
import { FieldChange, RecordId } from '../../conversation/schema.ts'
import { UserId } from '../../user-number/schema.ts'
import { Capabilities } from '../capabilities.ts'
import {
  CmsRecord,
  HistoryEntry,
  Language,
  LogEntry,
  LogLevel,
  Page,
  Table,
  TreePage,
  Value,
} from '../schema.ts'

/**
 * The bridge, version 2: what a CMS elsewhere answers under `POST <base>/aic/v2/<operation>`, JSON in and out. Each
 * operation is one of the `Cms` port, which says what it means; `null` stands for its `undefined`.
 */

/** An answer is at most so long, in bytes. */
export const maxAnswerBytes = 4 * 1024 * 1024
/** A batch holds at most so many calls. */
export const maxCalls = 20

const uid = RecordId
const limit = z.int().min(1).max(5_000)
const Versions = z.array(z.object({ table: z.string(), uid: RecordId, version: z.string() }))
const Place = z.object({ table: z.string(), uid: RecordId })

/** PHP writes an empty map as an empty list. */
const map = <V extends z.ZodType>(value: V) =>
  z.union([
    z.record(z.string(), value),
    z
      .array(z.never())
      .length(0)
      .transform((): Record<string, z.infer<V>> => ({})),
  ])

const BridgeRecord = CmsRecord.unwrap().extend({ fields: map(Value) })

const moment = z.iso.datetime().exactOptional()

const Write = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('update'),
    table: z.string(),
    uid,
    fields: map(z.unknown()),
    edits: z
      .array(z.object({ field: z.string(), find: z.string().min(1), replace: z.string() }))
      .exactOptional(),
    parts: z
      .array(
        z.object({
          field: z.string(),
          act: z.enum(['change', 'insert', 'remove']),
          at: z.string(),
          value: map(z.unknown()).exactOptional(),
        }),
      )
      .exactOptional(),
  }),
  z.object({ kind: z.literal('create'), table: z.string(), pid: uid, fields: map(z.unknown()) }),
  Place.extend({
    kind: z.literal('state'),
    state: z.string(),
    from: moment,
    until: moment,
  }),
  Place.extend({ kind: z.literal('move'), pid: uid.exactOptional(), after: uid.exactOptional() }),
  Place.extend({ kind: z.literal('restore'), revision: z.string().min(1) }),
  Place.extend({ kind: z.literal('translate'), locale: z.string().min(1), fields: map(z.unknown()) }),
  Place.extend({ kind: z.enum(['remove', 'delete', 'undelete']) }),
])

const Snapshot = z.object({
  fields: map(z.unknown()).exactOptional(),
  state: z.object({ state: z.string(), from: moment, until: moment }).exactOptional(),
  place: z.object({ pid: uid, after: uid.exactOptional() }).exactOptional(),
  deleted: z.boolean().exactOptional(),
})

const WritePreview = z.object({
  table: z.string(),
  uid: RecordId.nullable(),
  label: z.string(),
  page: z.object({ uid: RecordId, title: z.string() }),
  changes: z.array(FieldChange),
  original: RecordId.exactOptional(),
  versions: Versions,
})

const WriteOutcome = z.discriminatedUnion('state', [
  Place.extend({
    state: z.literal('done'),
    version: z.string(),
    changed: z.array(z.string()),
    record: BridgeRecord.nullable().exactOptional(),
    before: Snapshot.nullable().exactOptional(),
    after: Snapshot.exactOptional(),
  }),
  Place.extend({ state: z.literal('conflict') }),
  z.object({ state: z.literal('void') }),
])

/** Asked of megabytes, so that no pattern repeats a group. */
const isBase64 = (text: string) =>
  text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''))

const Picture = z.discriminatedUnion('state', [
  z.object({ state: z.literal('there'), base64: z.string().refine(isBase64, 'Not base64') }),
  z.object({ state: z.literal('none') }),
  z.object({ state: z.literal('tooLarge') }),
])

const BackendUser = z.object({
  uid: UserId,
  username: z.string(),
  name: z.string(),
  isAdmin: z.boolean(),
  disabled: z.boolean(),
  groups: z.array(z.string()),
  lang: z.string(),
  lastLogin: z.string().nullable(),
})

/** What the CMS believes of itself and of the line, so that a wrong set-up can be named. */
export const Greeting = z.object({
  base: z.string(),
  /** Milliseconds since the epoch. */
  time: z.int(),
  keyId: z.string(),
  name: z.string(),
  version: z.string(),
  protocols: z.array(z.int()),
  /** False: the settings of the CMS block requests of its own to the stage; absent: it does not say. */
  outgoing: z.boolean().exactOptional(),
})
export type Greeting = z.infer<typeof Greeting>

const operation = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output })
const Nothing = z.union([z.strictObject({}), z.array(z.never()).length(0)])

/** Every operation on the CMS, with the shapes of its question and of its answer. */
export const operations = {
  capabilities: operation(Nothing, Capabilities),
  user: operation(z.strictObject({ uid: UserId.or(z.literal(0)) }), Actor.extend({ uid: UserId }).nullable()),
  languages: operation(Nothing, z.array(Language)),
  page: operation(z.strictObject({ uid }), Page.nullable()),
  'page-tree': operation(z.strictObject({ root: uid, depth: z.int().min(1), limit }), z.array(TreePage)),
  'page-content': operation(z.strictObject({ uid }), z.array(BridgeRecord).nullable()),
  tables: operation(Nothing, z.array(Table)),
  search: operation(
    z.strictObject({ text: z.string(), table: z.string().exactOptional(), limit }),
    z.array(BridgeRecord),
  ),
  list: operation(
    z.strictObject({ table: z.string(), page: uid.exactOptional(), limit, offset: z.int().nonnegative() }),
    z.object({ records: z.array(BridgeRecord), total: z.int() }).nullable(),
  ),
  record: operation(z.strictObject({ table: z.string(), uid }), BridgeRecord.nullable()),
  picture: operation(z.strictObject({ table: z.string(), uid }), Picture.nullable()),
  history: operation(z.strictObject({ table: z.string(), uid, limit }), z.array(HistoryEntry).nullable()),
  log: operation(
    z.strictObject({ level: LogLevel, since: z.string().exactOptional(), limit }),
    z.array(LogEntry),
  ),
  exception: operation(z.strictObject({ index: z.int().nonnegative() }), LogEntry.nullable()),
  users: operation(Nothing, z.array(BackendUser)),
  facts: operation(Nothing, map(z.union([z.string(), z.number()]))),
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
    z.strictObject({ runId: z.string().min(1), now: z.int(), only: Place.exactOptional() }),
    z.object({ undone: z.array(Place), conflicts: z.array(Place.extend({ reason: z.string() })) }),
  ),
}

export type Operation = keyof typeof operations
export type Input<K extends Operation> = z.infer<(typeof operations)[K]['input']>
export type Output<K extends Operation> = z.infer<(typeof operations)[K]['output']>

/** Operations without an acting user: the user of their requests is 0. */
export const anonymous: ReadonlySet<string> = new Set(['capabilities', 'user', 'languages'])
/** Operations that change something, and so are never part of a batch. */
export const alone: ReadonlySet<string> = new Set(['write', 'settle', 'undo'])

/** Several calls as one request, answered in their order. */
export const Batch = z.strictObject({
  calls: z
    .array(z.strictObject({ operation: z.string(), input: z.unknown() }))
    .min(1)
    .max(maxCalls),
})

/** How a CMS refuses: `tool.refused` has a sentence for the model, as the port's ToolError; the rest are failures. */
export const Refusal = z.object({
  error: z.object({
    code: z.enum([
      'tool.refused',
      'answer.tooLarge',
      'request.unsigned',
      'key.unknown',
      'signature.wrong',
      'time.outside',
      'nonce.used',
      'request.invalid',
      'operation.unknown',
      'user.unknown',
    ]),
    message: z.string(),
  }),
})
export type Refusal = z.infer<typeof Refusal>
export type RefusalCode = Refusal['error']['code']

/** What a CMS answers: never a bare value, which some servers cannot send where it is null. */
export const Answer = z.union([Refusal, z.object({ result: z.unknown() })])

/** The answers to the calls of a batch, in their order. */
export const BatchAnswer = z.object({ result: z.array(Answer) })
