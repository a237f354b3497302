import * as z from 'zod'

/** The states of a conversation: those of the specification, and the pause that only a paused run leads to. */
export const Status = z.enum(['idle', 'processing', 'locked', 'tool_loop', 'failed', 'awaiting_approval'])
export type Status = z.infer<typeof Status>

/** Why a turn failed, as a client may tell it from others. */
export const FailureCode = z.enum([
  'chat.notConfigured',
  'model.unavailable',
  'model.rejected',
  'model.unauthorized',
  'model.tooLarge',
  'turn.stuck',
  'turn.notStarted',
  'turn.tooLong',
  'table.unavailable',
  'user.budgetSpent',
  'access.lost',
  'cms.unavailable',
  'cms.misconfigured',
  'internal.error',
])
export type FailureCode = z.infer<typeof FailureCode>

/** `<uid of the owner>-<ulid>`: the owner is part of the id, so that all keys of a request are known before a read. */
export const ConversationId = z
  .string()
  .max(60)
  .regex(/^[1-9][0-9]{0,15}-[0-9a-z]{26}$/)
export type ConversationId = z.infer<typeof ConversationId>

/** The id of a record in a CMS whose ids are texts. */
export const TextId = z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9_.~-]{0,127}$/)

/**
 * Names a record among those of its type, as its CMS does: a whole number, or a text of at most 128 characters that an
 * address can hold as they are. 0: no record.
 */
export const RecordId = z.union([z.int().min(0), TextId])
export type RecordId = z.infer<typeof RecordId>

/** What a CMS may call its types and fields. */
export const Name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/)

/** What of the site a message can name: a page, another record, a file among the records, or a backend user. */
export const MentionKind = z.enum(['page', 'record', 'file', 'user'])
export type MentionKind = z.infer<typeof MentionKind>

/** Names something of the site as a client sends it; the table of a user is `users`. */
export const MentionName = z.lazy(() =>
  z.strictObject({
    kind: MentionKind,
    table: z.string().min(1).max(64),
    uid: RecordId,
  }),
)
export type MentionName = z.infer<typeof MentionName>

/** Something of the site that the user named, with its title as the CMS had it; `page` is the uid of its page. */
export const Mention = z.lazy(() =>
  z.object({ ...MentionName.unwrap().shape, title: z.string(), page: RecordId.optional() }),
)
export type Mention = z.infer<typeof Mention>

/** How many of them one message can name. */
export const maxMentions = 10

/** The page or record shown in the module frame and the open module when the user last sent or edited; pageId 0: none. */
export const ViewContext = z.strictObject({
  pageId: z.int().min(0),
  /** The page where its id is a text; `pageId` is then 0. */
  page: TextId.optional(),
  /** The type of the record that is open, where it is no page: `pageId` or `page` is then its id. */
  table: Name.optional(),
  module: z.string().regex(/^[A-Za-z0-9_./-]{0,64}$/),
})
export type ViewContext = z.infer<typeof ViewContext>

/** A step of the current turn, without arguments and results: those are in the run record alone. */
export const Activity = z.lazy(() =>
  z.object({
    kind: z.enum(['llm', 'tool', 'approval']),
    round: z.int(),
    ms: z.int(),
    tool: z.string().optional(),
    error: z.string().optional(),
    approved: z.boolean().optional(),
    /** Id of the model that answered in the place of the configured one, which was not available. */
    model: z.string().optional(),
  }),
)
export type Activity = z.infer<typeof Activity>

/** How far a call is that reads much: of so many records it has read the first `n`. */
export const Progress = z.object({ call: z.string(), n: z.int(), total: z.int() })
export type Progress = z.infer<typeof Progress>

/** What lists and headers show of a conversation. */
export const Summary = z.lazy(() =>
  z.object({
    id: ConversationId,
    title: z.string(),
    status: Status,
    messageCount: z.int(),
    version: z.int(),
    pinned: z.boolean(),
    archived: z.boolean(),
    errorMessage: z.string().nullable(),
    errorCode: FailureCode.nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  }),
)
export type Summary = z.infer<typeof Summary>

/** A message that waits for the end of the turn. */
export const NextMessage = z.lazy(() =>
  z.object({
    id: z.string(),
    content: z.string(),
    fileUid: z.int().optional(),
    mentions: z.array(Mention).optional(),
  }),
)
export type NextMessage = z.infer<typeof NextMessage>

const text = z.string().nullable()
const values = {
  before: text,
  after: text,
  /** Of a translation: what the original says. */
  original: text.exactOptional(),
}

/** A field that a write would change: the whole value before and after, null where there is none. */
export const FieldChange = z.lazy(() =>
  z.object({
    field: z.string(),
    label: z.string(),
    ...values,
    /** Of rich text and of blocks in a proposal: all of them as a person reads them. */
    readable: z.object(values).exactOptional(),
  }),
)
export type FieldChange = z.infer<typeof FieldChange>

/** What a pending call would do, computed by the CMS from the record as it is now. */
export const Preview = z.lazy(() =>
  z.object({
    table: z.string(),
    uid: RecordId.nullable(),
    label: z.string(),
    /** Where the record lies: for a page itself, for a new one its parent. Absent in what has waited since before. */
    page: z.object({ uid: RecordId, title: z.string() }).optional(),
    changes: z.array(FieldChange),
    /** The record that a new one is the translation of. */
    original: RecordId.exactOptional(),
  }),
)
export type Preview = z.infer<typeof Preview>

/** A question of the assistant to the user. Without choices, or beside them, the user answers in words of their own. */
export const Question = z.lazy(() =>
  z.object({
    text: z.string(),
    choices: z.array(z.string()),
    /** More than one choice may be taken. */
    several: z.boolean(),
    /** The user may answer in words of their own. */
    freeText: z.boolean(),
  }),
)
export type Question = z.infer<typeof Question>

/**
 * What a write does for visitors of the site: nothing, since they do not see the record (`hidden`); nothing, since it is
 * stored as a draft beside what they see (`beside`); or it changes what they see (`publish`).
 */
export const DraftEffect = z.enum(['hidden', 'beside', 'publish'])
export type DraftEffect = z.infer<typeof DraftEffect>

/** A call that waits, with what it would change; null where the CMS could not tell. */
export const PendingCall = z.lazy(() =>
  z.object({
    id: z.string(),
    tool: z.string(),
    title: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    preview: Preview.nullable(),
    /** What another server shows of the subject of a call before it: the word of that server. */
    word: z.string().optional(),
    /** What the user is asked; such a call waits alone, for an answer and for no approval. */
    question: Question.optional(),
    /** Fields whose proposed text is shown whole, so that the user may put other words in its place. */
    editable: z.array(z.string()).optional(),
    /** Words that the user has put in the place of the proposed ones, by field. */
    wording: z.record(z.string(), z.string()).optional(),
    /** Where the settings ask for drafts first: what the write does for visitors. */
    effect: DraftEffect.optional(),
    /** Values that the settings add to those of the call, so that it is stored as a draft. */
    added: z.record(z.string(), z.string()).optional(),
  }),
)
export type PendingCall = z.infer<typeof PendingCall>

/** The calls of a paused run that wait for one decision; `digest` names exactly what was shown. */
export const PendingApproval = z.lazy(() =>
  z.object({
    runId: z.string(),
    digest: z.string(),
    expiresAt: z.iso.datetime(),
    mayDecide: z.boolean(),
    calls: z.array(PendingCall),
  }),
)
export type PendingApproval = z.infer<typeof PendingApproval>
