import * as z from 'zod'
import {
  Activity,
  MentionName,
  maxMentions,
  NextMessage,
  PendingApproval,
  Progress,
  RecordId,
  Summary,
  ViewContext,
} from '../conversation/schema.ts'
import { type Code, codes } from '../error.ts'
import { Message } from '../transcript/schema.ts'

/** What the chat's endpoints take and answer: strict objects, so that unknown fields are refused. */

const Count = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'a whole number')
  .transform(Number)
const between = (min: number, max: number) => Count.refine((n) => n >= min && n <= max, `${min} to ${max}`)
const Flag = z.enum(['true', 'false']).transform((value) => value === 'true')
const FileUid = z.int().positive()
const Mentions = z.array(MentionName).max(maxMentions).optional()
/** Texts of at most so many code points. */
export const text = (max: number) =>
  z.string().refine((value) => [...value].length <= max, `at most ${max} characters`)
/** A request may name any text: a text that is no id gets `notFound`, like the id of another user's conversation. */
export const ConversationId = z.string().min(1).max(200)

/** The one shape of every refusal. */
export const ErrorAnswer = z.lazy(() =>
  z.object({
    error: z.object({
      code: z.enum(Object.keys(codes) as [Code, ...Code[]]),
      message: z.string().describe('A sentence for the user in their language.'),
      requestId: z.string(),
      retryAfterMs: z.int().optional(),
      fields: z.record(z.string(), z.string()).optional().describe('What is wrong, by name of the field.'),
    }),
  }),
)
export type ErrorAnswer = z.infer<typeof ErrorAnswer>

/** `GET /conversations` */
export const ListQuery = z.lazy(() =>
  z.strictObject({
    archived: Flag.default(false),
    search: text(255).optional(),
    limit: between(1, 100).default(50),
    cursor: z.string().max(200).optional(),
  }),
)
/** One page of the list, and where the next begins; null: it was the last. */
export const ListAnswer = z.object({
  conversations: z.array(Summary),
  nextCursor: z.string().nullable(),
  /** Of a search, what was said with its words, by id of the conversation; of a title that has them, nothing. */
  excerpts: z.record(z.string(), z.string()).optional(),
})
export type ListAnswer = z.infer<typeof ListAnswer>

/** `POST /conversations/create` */
export const CreateBody = z.strictObject({})
/** The conversation as it is after the request. */
export const ConversationAnswer = z.object({ conversation: Summary })
export type ConversationAnswer = z.infer<typeof ConversationAnswer>

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
/** The conversation, and the sequence of the message that was sent. */
export const SendAnswer = z.object({ conversation: Summary, sequence: z.int() })
export type SendAnswer = z.infer<typeof SendAnswer>

/** `GET /conversations/messages` */
export const MessagesQuery = z.lazy(() =>
  z.strictObject({
    conversationId: ConversationId,
    after: Count.default(0),
    version: Count.optional(),
    limit: between(1, 200).default(200),
    before: Count.optional(),
    tail: between(1, 200).optional(),
  }),
)
/** Tokens that models read and wrote for a conversation, and their cost; null where it is not known or not shown. */
export const ConversationUsage = z.object({ tokens: z.int(), dollars: z.number().nullable() })
export type ConversationUsage = z.infer<typeof ConversationUsage>

/** What is new since the version that the client names. */
export const MessagesAnswer = z.lazy(() =>
  z.object({
    conversation: Summary,
    messages: z.array(Message),
    activity: z.array(Activity),
    /** How far the running call is that reads much; null where none says so. */
    progress: Progress.nullable(),
    pendingApproval: PendingApproval.nullable(),
    systemPrompt: z.string(),
    /** The messages with more than one version: which of them this transcript has, counted from 1, and how many there are. */
    versions: z.array(z.object({ sequence: z.int(), at: z.int(), of: z.int() })),
    /** The messages that wait for the end of the turn, in their order. */
    next: z.array(NextMessage),
    /** What the conversation has used since it began; null where the settings do not show it. */
    usage: ConversationUsage.nullable(),
    /** The turn waits until then, because the provider of its model takes no more requests now; null where it does not. */
    deferredUntil: z.iso.datetime().nullable(),
    /** The next poll comes after so many milliseconds or later; null where the interval of the status holds. */
    pollAfterMs: z.int().nullable(),
    unchanged: z.boolean(),
    reset: z.boolean(),
    more: z.boolean(),
  }),
)
export type MessagesAnswer = z.infer<typeof MessagesAnswer>

/** `POST /conversations/edit` */
export const EditBody = z.strictObject({
  conversationId: ConversationId,
  sequence: z.int().min(0),
  content: z.string(),
  expectedContent: z.string(),
  viewContext: ViewContext.optional(),
})
/** As for a send, with the turns of the version that was left that had changed records. */
export const EditAnswer = z.lazy(() =>
  SendAnswer.extend({
    droppedRuns: z.array(z.object({ runId: z.string(), changes: z.int() })).optional(),
  }),
)
export type EditAnswer = z.infer<typeof EditAnswer>

/** `POST /conversations/version`: another version of a message is to be shown, with all that followed it. */
export const VersionBody = z.strictObject({
  conversationId: ConversationId,
  sequence: z.int().min(0),
  version: z.int().min(1),
})

/** `POST /conversations/next`: a change of the messages that wait for the end of the turn. */
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
      act: z.enum(['remove', 'send']),
      conversationId: ConversationId,
      id: z.string().min(1).max(60),
    }),
  ]),
)
/** The conversation, and the messages that wait in it. */
export const NextAnswer = z.object({ conversation: Summary, next: z.array(NextMessage) })
export type NextAnswer = z.infer<typeof NextAnswer>

/** `POST /conversations/retry` and `/cancel` */
export const OneBody = z.strictObject({ conversationId: ConversationId })

/** `POST /conversations/system-prompt`; how long it may be, the settings say. */
export const SystemPromptBody = z.strictObject({ conversationId: ConversationId, systemPrompt: z.string() })
/** The instructions as they are stored. */
export const SystemPromptAnswer = z.object({ conversation: Summary, systemPrompt: z.string() })

/** `POST /conversations/rename` */
export const RenameBody = z.lazy(() =>
  z.strictObject({
    conversationId: ConversationId,
    title: z
      .string()
      .trim()
      .refine((title) => title !== '' && [...title].length <= 255, '1 to 255 characters'),
  }),
)

/** `POST /conversations/pin` */
export const PinBody = z.strictObject({ conversationId: ConversationId, pinned: z.boolean() })

/** `POST /conversations/archive` */
export const ArchiveBody = z.strictObject({ conversationId: ConversationId, archived: z.boolean() })

/** `POST /conversations/delete` */
export const DeleteBody = z.strictObject({ conversationId: ConversationId, deleted: z.boolean() })

/** `POST /conversations/undo` */
export const UndoBody = z.lazy(() =>
  z.strictObject({
    conversationId: ConversationId,
    runId: z.string().min(1).max(100),
    /** Takes back what the turn did to this record alone. */
    record: z.strictObject({ table: z.string().min(1).max(64), uid: RecordId }).optional(),
  }),
)
const RecordName = z.object({ table: z.string(), uid: RecordId })
/** What was taken back, and what could not be. */
export const UndoAnswer = z.object({
  undone: z.array(RecordName),
  conflicts: z.array(RecordName.extend({ reason: z.string() })),
})
export type UndoAnswer = z.infer<typeof UndoAnswer>

/** `GET /conversations/export` */
export const ExportQuery = z.lazy(() =>
  z.strictObject({
    conversationId: ConversationId,
    format: z.enum(['markdown', 'json']).default('markdown'),
  }),
)
