import * as z from 'zod'
import { Actor } from '../base/actor.ts'
import { isRecord } from '../base/json.ts'
import { RecordId } from '../conversation/schema.ts'
import { Capabilities } from './capabilities.ts'
import * as Shape from './schema.ts'
import { UserId } from './user-number/schema.ts'

/**
 * Every operation on a CMS, with the shapes of its question and its answer: one list for the port of core and for the
 * bridge. The types of `Cms`, its client, and the tables of docs/connect/bridge.md come from this list. A connected CMS
 * serves each operation at `POST <base>/aic/v2/<operation>`, JSON in and out; `null` stands for `undefined` of the
 * port.
 */

/** The maximum size of an answer in bytes. */
export const maxAnswerBytes = 4 * 1024 * 1024
/** The maximum number of calls in a batch. */
export const maxCalls = 20

const uid = RecordId
const limit = z.int().min(1).max(5_000)
const offset = z.int().nonnegative()
const Place = z.object({ table: z.string(), uid: RecordId })
const Versions = z.array(Place.extend({ version: z.string() }))

/** An empty list becomes an empty map, because PHP encodes an empty map as an empty list. */
const emptyList = <V>() =>
  z
    .array(z.never())
    .length(0)
    .transform((): Record<string, V> => ({}))
const map = <V extends z.ZodType>(value: V) => z.union([z.record(z.string(), value), emptyList<z.infer<V>>()])

const BridgeRecord = Shape.CmsRecord.unwrap().extend({ fields: map(Shape.Value) })

const moment = z.iso.datetime().exactOptional()

/**
 * One change of a record: of fields, state or position; or a new record, a translation, a move to or from the bin, or a
 * removal.
 */
export const Put = z.strictObject({
  table: z.string(),
  /** Null: a new record. */
  uid: uid.nullable(),
  /** Whole values by the name of the field. */
  fields: map(z.unknown()).exactOptional(),
  /** Sets the record to another state that the CMS offers; visitors see it between `from` and `until`. */
  state: z.strictObject({ state: z.string(), from: moment, until: moment }).exactOptional(),
  /**
   * The target page `pid` (absent: the same page), and `after`, the record directly before the new position (0: the
   * first position; absent: the last).
   */
  place: z.strictObject({ pid: uid.exactOptional(), after: uid.exactOptional() }).exactOptional(),
  /** True: into the bin with everything on it; false: out of the bin, unchanged. */
  bin: z.boolean().exactOptional(),
  /** Removes a record that a run created: into the bin, or permanently if its type has no bin. */
  remove: z.literal(true).exactOptional(),
  /** The original, if the new record is a translation; `locale` is the language of the translation. */
  original: uid.exactOptional(),
  locale: z.string().min(1).exactOptional(),
})

/** A record before or after a put. */
export const Standing = z.object({
  /** The record in the form of `record`; null if it does not exist or the user may not see it. */
  record: BridgeRecord.nullable(),
  /** The position of the record, if the put changes the position. */
  place: z.object({ pid: uid, after: uid.exactOptional() }).exactOptional(),
  /** True if the record is in the bin; present only if the put concerns the bin. */
  bin: z.boolean().exactOptional(),
})

const PutAnswer = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('done'),
    table: z.string(),
    /** Null for a new record that was not stored. */
    uid: uid.nullable(),
    /** The version after the put; if nothing was stored, the current version. */
    version: z.string(),
    /** Null if the put creates the record. */
    before: Standing.nullable(),
    after: Standing,
    /** The names of the fields that differ, in the language of the user. */
    labels: map(z.string()),
    /** The page of the record; for a page, the page itself. */
    page: z.object({ uid: RecordId, title: z.string() }),
    /** The records that go into or out of the bin with the record: one entry for each kind. */
    along: z.array(z.object({ field: z.string(), label: z.string(), text: z.string() })).exactOptional(),
    /** The stored versions of the records that the put is based on. */
    versions: Versions,
  }),
  Place.extend({ state: z.literal('conflict') }),
  z.object({ state: z.literal('void') }),
])

/** True for base64. No pattern here repeats a group, because the text may have megabytes. */
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

/** The report of a CMS about itself and the connection, so that an administrator can find a wrong set-up. */
export const Greeting = z.object({
  base: z.string(),
  /** Milliseconds since the epoch. */
  time: z.int(),
  keyId: z.string(),
  name: z.string(),
  version: z.string(),
  protocols: z.array(z.int()),
  /** False if the settings of the CMS block its own requests to the stage; absent if the CMS does not report it. */
  outgoing: z.boolean().exactOptional(),
})
export type Greeting = z.infer<typeof Greeting>

/** A function of the CMS or of one of its plugins. The schema of its input describes an object. */
const Ability = z.object({
  name: z.string().min(1).max(200),
  title: z.string(),
  description: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** False if it may change anything: a person then approves each call. */
  readOnly: z.boolean(),
  /** Changes whenever the input or `readOnly` of the function changes; a call names the version that was planned. */
  version: z.string().min(1),
})
export type Ability = z.infer<typeof Ability>

const operation = <I extends z.ZodType, O extends z.ZodType>(does: string, input: I, output: O) => ({
  does,
  input,
  output,
})
const Nothing = z.union([z.strictObject({}), emptyList<never>()])

/** Every operation by its name: its description for docs/connect/bridge.md, its question and its answer. */
export const operations = {
  capabilities: operation('what this CMS has, the same for every user', Nothing, Capabilities),
  user: operation(
    'a user; null: gone, disabled, or not active now',
    z.strictObject({ uid: UserId.or(z.literal(0)) }),
    Actor.extend({ uid: UserId }).nullable(),
  ),
  languages: operation('the languages of the site, the default first', Nothing, z.array(Shape.Language)),
  page: operation('a page; null: none that the user may see', z.strictObject({ uid }), Shape.Page.nullable()),
  pageTree: operation(
    'the pages below `root` (0: the whole site), depth first in menu order, those directly below at depth 1',
    z.strictObject({ root: uid, depth: z.int().min(1), limit }),
    z.array(Shape.TreePage),
  ),
  pageContent: operation(
    'the elements on a page in their order, hidden ones included; null: no such page',
    z.strictObject({ uid }),
    z.array(BridgeRecord).nullable(),
  ),
  tables: operation(
    'the types that the user may read, with their fields as the user may',
    Nothing,
    z.array(Shape.Table),
  ),
  search: operation(
    'the records with every word of the text, newest change first',
    z.strictObject({ text: z.string(), table: z.string().exactOptional(), limit }),
    z.array(BridgeRecord),
  ),
  list: operation(
    'the records of a type, of one page where `page` is given; `total` counts what the user may see; the order is stable. null: no such type',
    z.strictObject({ table: z.string(), page: uid.exactOptional(), limit, offset }),
    z.object({ records: z.array(BridgeRecord), total: z.int() }).nullable(),
  ),
  record: operation(
    'a record; with `revision` its content as it was after that entry of `history`. null: none that the user may see',
    z.strictObject({ table: z.string(), uid, revision: z.string().min(1).exactOptional() }),
    BridgeRecord.nullable(),
  ),
  picture: operation(
    'the picture of a record of media; asked where `capabilities` has `pictures: true`. null like `record`',
    z.strictObject({ table: z.string(), uid }),
    Picture.nullable(),
  ),
  history: operation(
    'the changes of a record, newest first; null: no such record',
    z.strictObject({ table: z.string(), uid, limit }),
    z.array(Shape.HistoryEntry).nullable(),
  ),
  log: operation(
    'entries at that level and worse, newest first; with `exceptions` each different exception once. Administrators; others get `[]`',
    z.strictObject({
      level: Shape.LogLevel,
      since: z.string().exactOptional(),
      exceptions: z.literal(true).exactOptional(),
      offset: offset.exactOptional(),
      limit,
    }),
    z.array(Shape.LogEntry),
  ),
  users: operation('all users who may edit; administrators, others get `[]`', Nothing, z.array(BackendUser)),
  facts: operation(
    'texts and numbers about the system; administrators, others get `{}`',
    Nothing,
    map(z.union([z.string(), z.number()])),
  ),
  abilities: operation(
    'the functions of the CMS and its plugins that an administrator there has allowed; asked where `capabilities` has `abilities: true`',
    Nothing,
    z.array(Ability),
  ),
  ability: operation(
    'calls one: its own rights are asked. With `dry` it says only whether the user may; with `key` it runs once. null: the key came before, and how that call ended is not known',
    z.strictObject({
      name: z.string(),
      version: z.string(),
      input: z.record(z.string(), z.unknown()),
      dry: z.literal(true).exactOptional(),
      key: z.string().min(1).exactOptional(),
    }),
    z.object({ output: z.unknown() }).nullable(),
  ),
  put: operation(
    'shows a change (`dry`) or makes it, once for each `key`',
    z.union([
      z.strictObject({
        put: Put,
        dry: z.literal(true),
        versions: Versions,
        earlier: z.array(Put).exactOptional(),
      }),
      z.strictObject({
        put: Put,
        key: z.string().min(1),
        correlationId: z.string().min(1),
        versions: Versions,
        now: z.int(),
      }),
    ]),
    PutAnswer,
  ),
  settle: operation(
    'how a put ended whose answer did not come; a key that is not known is `void` from then on',
    z.strictObject({ key: z.string().min(1) }),
    PutAnswer,
  ),
}

export type Operation = keyof typeof operations
export type Input<K extends Operation> = z.infer<(typeof operations)[K]['input']>
export type Output<K extends Operation> = z.infer<(typeof operations)[K]['output']>

/** Operations without an acting user: the user of their requests is 0. */
export const anonymous: ReadonlySet<string> = new Set(['capabilities', 'user', 'languages'])

/** True for a call that may change something and therefore is never part of a batch. */
export const isAlone = (operation: string, input: unknown): boolean =>
  operation === 'settle' ||
  (operation === 'put' && !(isRecord(input) && input.dry === true)) ||
  (operation === 'ability' && isRecord(input) && 'key' in input)

/** Several calls in one request; the CMS answers them in the same order. */
export const Batch = z.strictObject({
  calls: z
    .array(z.strictObject({ operation: z.string(), input: z.unknown() }))
    .min(1)
    .max(maxCalls),
})

/**
 * An error answer of a CMS. The code `tool.refused` has a message for the model, like the port's ToolError. Every other
 * code is a failure.
 */
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

/** The answer of a CMS, always an object, because some servers cannot send a bare null. */
export const Answer = z.union([Refusal, z.object({ result: z.unknown() })])

/** The answers to the calls of a batch, in their order. */
export const BatchAnswer = z.object({ result: z.array(Answer) })
