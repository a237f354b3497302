import * as z from 'zod'
import { objectOf, strictObjectOf } from '../base/lazy-schema.ts'
import { TimeZone, TimeZoneName } from '../base/time-zone.ts'

/** The states of a conversation: the states of the specification, and the pause of a run that waits for the user. */
export const Status = z.enum(['idle', 'processing', 'locked', 'tool_loop', 'failed', 'awaiting_approval'])
export type Status = z.infer<typeof Status>

/** Reasons why a turn failed, as far as clients can distinguish them. */
export const FailureCode = z.enum([
  'chat.notConfigured',
  'model.unavailable',
  'model.unpaid',
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

/** The id of a record in a CMS whose ids are texts. */
export const TextId = z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9_.~-]{0,127}$/)

/**
 * The id of a record within its type, as its CMS has it: a whole number, or a text of at most 128 characters that need
 * no encoding in a URL. 0: no record.
 */
export const RecordId = z.union([z.int().min(0), TextId])
export type RecordId = z.infer<typeof RecordId>

/** A name that a CMS may give its types and fields. */
export const Name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/)

/** The kinds of mentions in a message: a page, another record, a file of the CMS, or a backend user. */
export const MentionKind = z.enum(['page', 'record', 'file', 'user'])
export type MentionKind = z.infer<typeof MentionKind>

/** A mention as a client sends it; the table of a user is `users`. */
export const MentionName = strictObjectOf(() => ({
  kind: MentionKind,
  table: z.string().min(1).max(64),
  uid: RecordId,
}))
export type MentionName = z.infer<typeof MentionName>

/** A mention with its title as the CMS had it; `page` is the uid of its page. */
export const Mention = objectOf(() => ({
  ...MentionName.unwrap().shape,
  title: z.string(),
  page: RecordId.optional(),
}))
export type Mention = z.infer<typeof Mention>

/** The maximum number of mentions in a message. */
export const maxMentions = 10

/**
 * The open page or record, and the open module, when the user last sent or edited a message. `pageId` is 0 if no page
 * or record is open.
 */
export const ViewContext = z.strictObject({
  pageId: z.int().min(0),
  /** The page's id if the id is a text. `pageId` is then 0. */
  page: TextId.optional(),
  /** The type of the open record if the record is no page; `pageId` or `page` then holds the record's id. */
  table: Name.optional(),
  module: z.string().regex(/^[A-Za-z0-9_./-]{0,64}$/),
  /** The time zone of the browser; by default the stage's time zone. */
  timeZone: TimeZone.optional(),
})
export type ViewContext = z.infer<typeof ViewContext>
/** A stored view context, without the fields of earlier releases. */
export const StoredViewContext = ViewContext.extend({ timeZone: TimeZoneName.optional() }).strip()

/** A step of the current turn. Only the run record has its arguments and results. */
export const Activity = objectOf(() => ({
  kind: z.enum(['llm', 'tool', 'approval']),
  round: z.int(),
  ms: z.int(),
  tool: z.string().optional(),
  error: z.string().optional(),
  approved: z.boolean().optional(),
  /** The id of the fallback model that answered in place of the configured model. */
  model: z.string().optional(),
}))
export type Activity = z.infer<typeof Activity>

/** Progress of a long read: the call has read the first `n` of `total` records. */
export const Progress = z.object({ call: z.string(), n: z.int(), total: z.int() })
export type Progress = z.infer<typeof Progress>

/** The fields of a conversation that lists and headers show. */
export const Summary = objectOf(() => ({
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
  /** The title of the last page or record that was open during a turn. */
  pageTitle: z.string().exactOptional(),
}))
export type Summary = z.infer<typeof Summary>

/** A message that waits for the end of the turn. */
export const NextMessage = objectOf(() => ({
  id: z.string(),
  content: z.string(),
  fileUid: z.int().optional(),
  mentions: z.array(Mention).optional(),
  /** True if the message comes next: at the next step of the running turn, or first after its end. */
  now: z.boolean().optional(),
}))
export type NextMessage = z.infer<typeof NextMessage>

const text = z.string().nullable()
const values = {
  before: text,
  after: text,
  /** The text of the original, for a translation. */
  original: text.exactOptional(),
}

/** A field that a write would change, with its whole value before and after; null for no value. */
export const FieldChange = objectOf(() => ({
  field: z.string(),
  label: z.string(),
  ...values,
  /** The same values in readable form, for rich text and blocks in a proposal. */
  readable: z.object(values).exactOptional(),
  /** The values that the field accepts, if it accepts no other text. */
  options: z.array(z.string()).exactOptional(),
}))
export type FieldChange = z.infer<typeof FieldChange>

/** The effect of a pending call; the CMS computes it from the current record. */
export const Preview = objectOf(() => ({
  table: z.string(),
  uid: RecordId.nullable(),
  label: z.string(),
  /** The page of the record: a page itself, or the parent of a new page. Absent in proposals of old releases. */
  page: z.object({ uid: RecordId, title: z.string() }).optional(),
  changes: z.array(FieldChange),
  /** The original record, if the new record is its translation. */
  original: RecordId.exactOptional(),
  /** Further effects of the write on the record, in whole sentences. */
  notes: z.array(z.string()).exactOptional(),
}))
export type Preview = z.infer<typeof Preview>

/**
 * A question of the assistant to the user. The user may answer freely if there are no choices, or if `freeText` is
 * true.
 */
export const Question = objectOf(() => ({
  text: z.string(),
  choices: z.array(z.string()),
  /** True if the user may take more than one choice. */
  several: z.boolean(),
  /** True if the user may answer in their own words. */
  freeText: z.boolean(),
}))
export type Question = z.infer<typeof Question>

/**
 * The effect of a write for visitors of the site. `hidden`: none, because visitors do not see the record. `beside`:
 * none, because the CMS stores a draft next to the published version. `publish`: visitors see the change.
 */
export const DraftEffect = z.enum(['hidden', 'beside', 'publish'])
export type DraftEffect = z.infer<typeof DraftEffect>

/** A call that waits for a decision, with its changes; `preview` is null if the CMS could not compute them. */
export const PendingCall = objectOf(() => ({
  id: z.string(),
  tool: z.string(),
  title: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  preview: Preview.nullable(),
  /** The preview of another server for this call, in that server's words. */
  word: z.string().optional(),
  /** The question for the user. Such a call waits without other calls, and for an answer instead of an approval. */
  question: Question.optional(),
  /** The fields whose proposed text is shown completely, so that the user may replace it. */
  editable: z.array(z.string()).optional(),
  /** The user's texts that replace the proposed texts, by field. */
  wording: z.record(z.string(), z.string()).optional(),
  /** The effect of the write for visitors; set only if the settings require drafts first. */
  effect: DraftEffect.optional(),
  /** The values that the settings add to the values of the call, so that the CMS stores a draft. */
  added: z.record(z.string(), z.string()).optional(),
  /**
   * The id of the call that creates the record, or the page, of this call; without that record, this call is not
   * made. The preview comes from the planned record; the CMS checks the call when it is made.
   */
  needs: z.string().optional(),
}))
export type PendingCall = z.infer<typeof PendingCall>

/** The calls of a paused run that wait for one decision. `digest` identifies exactly the calls that the user saw. */
export const PendingApproval = objectOf(() => ({
  runId: z.string(),
  digest: z.string(),
  expiresAt: z.iso.datetime(),
  mayDecide: z.boolean(),
  calls: z.array(PendingCall),
}))
export type PendingApproval = z.infer<typeof PendingApproval>

/**
 * The conversation after the request. It is in this file because consumers also start turns, and load no schema of a
 * request.
 */
export const ConversationAnswer = objectOf(() => ({ conversation: Summary }))
export type ConversationAnswer = z.infer<typeof ConversationAnswer>

/** The conversation, and the sequence of the sent message. */
export const SendAnswer = objectOf(() => ({ conversation: Summary, sequence: z.int() }))
export type SendAnswer = z.infer<typeof SendAnswer>

/** The answer to an edit: the answer to a send, with the turns of the replaced version that had changed records. */
export const EditAnswer = z.lazy(() =>
  SendAnswer.unwrap().extend({
    droppedRuns: z.array(z.object({ runId: z.string(), changes: z.int() })).exactOptional(),
  }),
)
export type EditAnswer = z.infer<typeof EditAnswer>

/** The conversation, and the messages that wait in it. */
export const NextAnswer = objectOf(() => ({ conversation: Summary, next: z.array(NextMessage) }))
export type NextAnswer = z.infer<typeof NextAnswer>

/** The allowed moves between states; any other move is a bug. */
const moves: Record<Status, readonly Status[]> = {
  idle: ['processing'],
  processing: ['locked', 'idle', 'failed'],
  locked: ['idle', 'failed', 'awaiting_approval', 'processing'],
  tool_loop: ['failed', 'idle'],
  failed: ['processing', 'idle'],
  awaiting_approval: ['processing', 'idle'],
}

/** Throws if a conversation may not move from one state to the other, because such a move is a bug. */
export function checkMove(from: Status, to: Status): void {
  if (from !== to && !moves[from].includes(to))
    throw new Error(`No conversation moves from ${from} to ${to}.`)
}

/**
 * Returns true if a consumer has the conversation or is about to claim it, so that nothing else may start. Only old
 * releases stored `tool_loop`.
 */
export function isBusy(status: Status): boolean {
  return status === 'processing' || status === 'locked' || status === 'tool_loop'
}
