import * as z from 'zod'
import { characters, maxCharacters, oneLine, trimmed } from '../base/characters.ts'
import { type Code, codes } from '../base/error.ts'
import { strictObjectOf as input, objectOf as output } from '../base/lazy-schema.ts'
import { uid } from '../cms/schema.ts'
import {
  Mention,
  MentionKind,
  MentionName,
  maxMentions,
  Name,
  PendingApproval,
  RecordId,
  Summary,
  TextId,
  ViewContext,
} from '../conversation/schema.ts'
import { Feedback, PromptId, PromptText, PromptTitle, Reason, SavedPrompt, Verdict } from '../user/schema.ts'

/** Requests and answers of the chat's endpoints; requests are strict objects, which refuse unknown fields. */

const Count = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'a whole number')
  .transform(Number)
const between = (min: number, max: number) =>
  Count.refine((n) => n >= min && n <= max, `${min} to ${max}`).meta({ minimum: min, maximum: max })
const Flag = z.enum(['true', 'false']).transform((value) => value === 'true')
const FileUid = z.int().positive()
const Mentions = z.lazy(() => z.array(MentionName).max(maxMentions).optional())
/**
 * A request may contain any text as an id. A text that is no id gets `notFound`, like the id of another user's
 * conversation.
 */
const ConversationId = z.string().min(1).max(200)

/** Returns the schema of an input about one conversation. */
const inConversation = <S extends z.ZodRawShape>(shape: () => S) =>
  input(() => ({ conversationId: ConversationId, ...shape() }))

/** The body of every refusal. */
export const ErrorAnswer = output(() => ({
  error: z.object({
    code: z.enum(Object.keys(codes) as [Code, ...Code[]]),
    message: z.string().describe('A sentence for the user in their language.'),
    requestId: z.string(),
    retryAfterMs: z.int().optional(),
    fields: z.record(z.string(), z.string()).optional().describe('What is wrong, by name of the field.'),
  }),
}))
export type ErrorAnswer = z.infer<typeof ErrorAnswer>

/** `GET /conversations` */
export const ListQuery = input(() => ({
  archived: Flag.default(false),
  /** Lists only conversations that wait for a decision of the user. */
  waiting: Flag.default(false),
  search: characters(255).optional(),
  limit: between(1, 100).default(50),
  cursor: z.string().max(200).optional(),
}))
export type ListQuery = z.infer<typeof ListQuery>
/** One page of the list, and the cursor of the next page; null after the last page. */
export const ListAnswer = output(() => ({
  conversations: z.array(Summary),
  nextCursor: z.string().nullable(),
  /** The text around each search match in the messages, by conversation id; absent if the title has all words. */
  excerpts: z.record(z.string(), z.string()).optional(),
}))
export type ListAnswer = z.infer<typeof ListAnswer>

/** `POST /conversations/create` */
export const CreateBody = input(() => ({}))
/** `POST /conversations/send` */
export const SendBody = z.lazy(() =>
  z
    .strictObject({
      conversationId: ConversationId.optional(),
      content: z.string().optional(),
      fileUid: FileUid.optional(),
      mentions: Mentions,
      viewContext: ViewContext.optional(),
    })
    .refine((body) => body.content !== undefined || body.fileUid !== undefined, {
      path: ['content'],
      message: 'required where no file is sent',
    }),
)
export type SendBody = z.infer<typeof SendBody>
/** `GET /conversations/messages` */
export const MessagesQuery = inConversation(() => ({
  after: Count.default(0),
  version: Count.optional(),
  limit: between(1, 200).default(200),
  before: Count.optional(),
  tail: between(1, 200).optional(),
}))
export type MessagesQuery = z.infer<typeof MessagesQuery>
/** `POST /conversations/edit` */
export const EditBody = inConversation(() => ({
  sequence: z.int().min(0),
  content: z.string(),
  expectedContent: z.string(),
  viewContext: ViewContext.optional(),
}))
export type EditBody = z.infer<typeof EditBody>
/** `POST /conversations/version`: shows another version of a message, with the messages after it. */
export const VersionBody = inConversation(() => ({ sequence: z.int().min(0), version: z.int().min(1) }))

/** `POST /conversations/next`: changes the messages that wait for the end of the turn. */
export const NextBody = z.lazy(() =>
  z.discriminatedUnion('act', [
    z.strictObject({
      act: z.literal('add'),
      conversationId: ConversationId,
      content: z.string(),
      fileUid: FileUid.optional(),
      mentions: Mentions,
      viewContext: ViewContext.optional(),
    }),
    z.strictObject({
      act: z.literal('edit'),
      conversationId: ConversationId,
      id: z.string().min(1).max(60),
      content: z.string(),
    }),
    z.strictObject({
      act: z.enum(['remove', 'send', 'hold', 'release']),
      conversationId: ConversationId,
      id: z.string().min(1).max(60),
    }),
  ]),
)
export type NextBody = z.infer<typeof NextBody>
/** `POST /conversations/retry` and `/cancel` */
export const OneBody = inConversation(() => ({}))

/** `POST /conversations/system-prompt`; the settings limit its length. */
export const SystemPromptBody = inConversation(() => ({ systemPrompt: z.string() }))
/** The stored instructions. */
export const SystemPromptAnswer = output(() => ({ conversation: Summary, systemPrompt: z.string() }))

/** `POST /conversations/rename` */
export const RenameBody = inConversation(() => ({ title: oneLine(maxCharacters.title, 1) }))

/** `POST /conversations/pin` */
export const PinBody = inConversation(() => ({ pinned: z.boolean() }))

/** `POST /conversations/archive` */
export const ArchiveBody = inConversation(() => ({ archived: z.boolean() }))

/** `POST /conversations/delete` */
export const DeleteBody = inConversation(() => ({ deleted: z.boolean() }))

/** `POST /conversations/undo` */
export const UndoBody = inConversation(() => ({
  runId: z.string().min(1).max(100),
  /** Limits the undo to the turn's changes of this record. */
  record: z.strictObject({ table: z.string().min(1).max(64), uid: RecordId }).optional(),
}))
const RecordName = output(() => ({ table: z.string(), uid: RecordId }))
/** The records whose changes were undone, and the records whose changes could not be undone, each with the reason. */
export const UndoAnswer = output(() => ({
  undone: z.array(RecordName),
  conflicts: z.array(RecordName.unwrap().extend({ reason: z.string() })),
}))
export type UndoAnswer = z.infer<typeof UndoAnswer>

/** `GET /conversations/export` */
export const ExportQuery = inConversation(() => ({
  format: z.enum(['markdown', 'json']).default('markdown'),
}))

const runId = z.string().min(1).max(64)

/** `GET /conversations/feedback` */
export const FeedbackQuery = inConversation(() => ({ runId }))
/** `POST /conversations/feedback`: replaces the user's earlier feedback; a null `verdict` removes it. */
export const FeedbackBody = inConversation(() => ({
  runId,
  verdict: Verdict.nullable(),
  reason: Reason.nullable().default(null),
  words: trimmed(maxCharacters.feedback).default(''),
}))
export type FeedbackBody = z.infer<typeof FeedbackBody>
/** The user's feedback on the answer, or null. */
export const FeedbackAnswer = output(() => ({ feedback: Feedback.nullable() }))
export type FeedbackAnswer = z.infer<typeof FeedbackAnswer>

/** `POST /conversations/approve` */
export const ApproveBody = inConversation(() => ({
  digest: z.string().min(1).max(200),
  approve: z.boolean(),
  reason: characters(maxCharacters.reason).default(''),
  /** The ids of the denied calls; the other calls are approved. */
  denied: z.array(z.string().max(300)).max(300).default([]),
}))
export type ApproveBody = z.infer<typeof ApproveBody>

/**
 * `POST /conversations/answer`: the user's answer to a question; without choices and text, the user skips the question.
 */
export const AnswerBody = inConversation(() => ({
  digest: z.string().min(1).max(200),
  /** Positions of the chosen answers, from 0. */
  choices: z.array(z.int().min(0).max(8)).max(9).default([]),
  text: characters(maxCharacters.answer).default(''),
}))
export type AnswerBody = z.infer<typeof AnswerBody>

/** `POST /conversations/amend`: the user's own words for a field of a pending call. */
export const AmendBody = inConversation(() => ({
  digest: z.string().min(1).max(200),
  callId: z.string().min(1).max(9_000),
  field: Name,
  value: characters(maxCharacters.wording),
}))
export type AmendBody = z.infer<typeof AmendBody>
/** The conversation, and the proposal with the user's words and its new digest. */
export const AmendAnswer = output(() => ({ conversation: Summary, pendingApproval: PendingApproval }))
export type AmendAnswer = z.infer<typeof AmendAnswer>

/**
 * `GET /mentions`: the records and files that a message could mention. `page` is the open page; without a query, its
 * contents come first. With `kind`, `table` and `uid`, returns only that record.
 */
export const MentionsQuery = input(() => ({
  query: characters(100).default(''),
  kind: MentionKind.optional(),
  page: TextId.optional(),
  table: Name.optional(),
  uid: uid.optional(),
}))
export type MentionsQuery = z.infer<typeof MentionsQuery>
/** At most 20 mentions, best matches first. */
export const MentionsAnswer = output(() => ({ mentions: z.array(Mention) }))
export type MentionsAnswer = z.infer<typeof MentionsAnswer>

/** `GET /prompts`: prompts for the message input; `module` is the module that is open in the backend. */
export const PromptsQuery = input(() => ({ module: ViewContext.shape.module.default('') }))
const Own = output(() => ({ own: z.array(SavedPrompt) }))
/** The stage's prompts for this user and module, and the user's own prompts. */
export const PromptsAnswer = z.lazy(() =>
  Own.unwrap().extend({ shared: z.array(SavedPrompt.omit({ id: true })) }),
)
export type PromptsAnswer = z.infer<typeof PromptsAnswer>
/** `POST /prompts/save`: with an `id`, replaces that prompt; without an `id`, adds a prompt. */
export const SavePromptBody = input(() => ({ id: PromptId.optional(), title: PromptTitle, text: PromptText }))
/** `POST /prompts/delete` */
export const DeletePromptBody = input(() => ({ id: PromptId }))
/** All own prompts of the user after the change. */
export const OwnPromptsAnswer = Own
export type OwnPromptsAnswer = z.infer<typeof OwnPromptsAnswer>

/** `GET /picture`: a picture by its record. */
export const PictureQuery = input(() => ({ table: Name, uid }))
/** The picture of a media record: at most 3,000,000 bytes; the type is detected from the content. */
export const PictureAnswer = output(() => ({
  mimeType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  base64: z.string(),
  /** In pixels. */
  width: z.int(),
  height: z.int(),
}))
export type PictureAnswer = z.infer<typeof PictureAnswer>
