import * as Request from '../../core/chat/request.ts'
import { FileInfo, FileInfoAnswer, UploadAnswer } from '../../core/file/schema.ts'
import { exampleId as conversationId, type Operation } from './operation.ts'

const accepted = (schema: Operation['answers'][number]['schema']) => ({
  202: { description: 'Stored and queued; a poll shows the result.', ...(schema && { schema }) },
})
const conversation = {
  200: { description: 'The conversation as it is now.', schema: Request.ConversationAnswer },
}
const viewContext = { pageId: 3, module: 'page' }

/** The endpoints of the chat, by route. */
export const chat: Record<string, Operation> = {
  'GET /ai-chat/status': {
    summary: 'What the interface may offer this user: formats, limits, tools, and what is wrong.',
    answers: { 200: { description: 'The status.', schema: Request.StatusAnswer } },
    example: {},
  },
  'GET /ai-chat/conversations': {
    summary: "The user's conversations, pinned first, then newest change first.",
    answers: { 200: { description: 'One page of the list.', schema: Request.ListAnswer } },
    example: { archived: 'false', search: 'lamp', limit: 20 },
  },
  'POST /ai-chat/conversations/create': {
    summary: 'Begins an empty conversation.',
    answers: { 201: { description: 'The conversation.', schema: Request.ConversationAnswer } },
    errors: ['user.tooManyConversations'],
    takesKey: true,
    example: {},
  },
  'POST /ai-chat/conversations/send': {
    summary: 'Stores a message and queues a turn.',
    description:
      'Without `conversationId` a conversation is created. `content` may be empty when a file is named.',
    answers: accepted(Request.SendAnswer),
    errors: [
      'message.empty',
      'message.tooLong',
      'conversation.notFound',
      'conversation.busy',
      'file.notFound',
      'file.limit',
      'user.tooManyActive',
      'user.tooManyConversations',
      'user.budgetSpent',
      'service.maintenance',
      'service.busy',
    ],
    takesKey: true,
    example: { content: 'What does the Aurora lamp cost?', viewContext },
  },
  'GET /ai-chat/conversations/messages': {
    summary: 'The poll: messages that the client lacks, steps of the turn, and calls that wait for approval.',
    description:
      'With the `version` that the client last saw: `unchanged` is true while nothing is new, and only `conversation` and `activity` count. `reset`: forget what you have. `more`: ask again with a higher `after`.',
    answers: { 200: { description: 'What is new.', schema: Request.MessagesAnswer } },
    errors: ['conversation.notFound'],
    example: { conversationId, after: 0, limit: 200 },
  },
  'POST /ai-chat/conversations/next': {
    summary: 'Changes the messages that wait for the end of the turn: adds, edits, removes or sends one.',
    description:
      'At most 5 wait. They are sent in order, each when the turn before it has ended well; behind a failed or cancelled turn, and while a proposal waits, they stay. A message that is added where no turn runs is sent at once. `act: send` starts a turn with one of them now.',
    answers: { 200: { description: 'The messages that wait.', schema: Request.NextAnswer } },
    errors: [
      'message.empty',
      'message.tooLong',
      'message.tooManyNext',
      'conversation.notFound',
      'conversation.busy',
      'conversation.changed',
      'file.notFound',
      'file.limit',
      'user.tooManyActive',
      'user.budgetSpent',
      'service.maintenance',
      'service.busy',
    ],
    takesKey: true,
    example: { act: 'add', conversationId, content: 'And the Borealis desk?', viewContext },
  },
  'POST /ai-chat/conversations/edit': {
    summary: 'Changes a message of the user, drops all messages after it and runs a new turn.',
    description: '`droppedRuns` names dropped turns that changed records, so that they can be taken back.',
    answers: accepted(Request.EditAnswer),
    errors: [
      'message.empty',
      'message.tooLong',
      'conversation.notFound',
      'conversation.busy',
      'conversation.changed',
      'user.tooManyActive',
      'user.budgetSpent',
      'service.maintenance',
      'service.busy',
    ],
    takesKey: true,
    example: {
      conversationId,
      sequence: 0,
      content: 'What does the Borealis desk cost?',
      expectedContent: 'What does the Aurora lamp cost?',
      viewContext,
    },
  },
  'POST /ai-chat/conversations/retry': {
    summary: 'Continues a failed turn after its last stored step.',
    answers: accepted(Request.ConversationAnswer),
    errors: [
      'conversation.notFound',
      'conversation.busy',
      'conversation.notFailed',
      'user.tooManyActive',
      'user.budgetSpent',
      'service.maintenance',
      'service.busy',
    ],
    takesKey: true,
    example: { conversationId },
  },
  'POST /ai-chat/conversations/approve': {
    summary: 'Approves or denies the calls that wait: one decision for all of them.',
    description: '`digest` is that of the `pendingApproval` which the user saw.',
    answers: accepted(Request.ConversationAnswer),
    errors: [
      'conversation.notFound',
      'approval.notPending',
      'approval.stale',
      'approval.notAllowed',
      'conversation.busy',
      'user.tooManyActive',
      'user.budgetSpent',
      'service.maintenance',
      'service.busy',
    ],
    takesKey: true,
    example: {
      conversationId,
      digest: 'b5bb9d8014a0f9b1d61e21e796d78dcc',
      approve: false,
      reason: 'Not yet.',
    },
  },
  'POST /ai-chat/conversations/cancel': {
    summary: 'Stops a turn at its next step and keeps what was done.',
    answers: accepted(Request.ConversationAnswer),
    errors: ['conversation.notFound'],
    example: { conversationId },
  },
  'POST /ai-chat/conversations/system-prompt': {
    summary: "Sets the user's own instructions for a conversation; empty removes them.",
    answers: { 200: { description: 'The instructions as stored.', schema: Request.SystemPromptAnswer } },
    errors: ['conversation.notFound', 'systemPrompt.tooLong'],
    example: { conversationId, systemPrompt: 'Answer in one sentence.' },
  },
  'POST /ai-chat/conversations/rename': {
    summary: 'Gives a conversation a title that the service never changes again.',
    answers: conversation,
    errors: ['conversation.notFound'],
    example: { conversationId, title: 'Prices of our lamps' },
  },
  'POST /ai-chat/conversations/pin': {
    summary: 'Pins a conversation, which is then never archived by itself, or unpins it.',
    answers: conversation,
    errors: ['conversation.notFound'],
    example: { conversationId, pinned: true },
  },
  'POST /ai-chat/conversations/archive': {
    summary: 'Archives a conversation, or fetches it back.',
    answers: conversation,
    errors: ['conversation.notFound', 'conversation.busy'],
    example: { conversationId, archived: true },
  },
  'POST /ai-chat/conversations/delete': {
    summary: 'Hides a conversation at once and removes it after 24 hours; until then `false` brings it back.',
    answers: conversation,
    errors: ['conversation.notFound', 'conversation.busy', 'user.tooManyConversations'],
    example: { conversationId, deleted: true },
  },
  'POST /ai-chat/conversations/undo': {
    summary: 'Takes back the record changes of a turn, except to records that changed again since.',
    answers: {
      200: { description: 'What was taken back, and what could not be.', schema: Request.UndoAnswer },
    },
    errors: ['conversation.notFound', 'conversation.busy', 'run.notFound'],
    example: { conversationId, runId: '01kag8zq4c9w3v5n7x1r2s6t8y' },
  },
  'GET /ai-chat/conversations/export': {
    summary: 'A conversation as a file.',
    answers: {
      200: {
        description: 'The file: Markdown, or JSON on request.',
        type: 'text/markdown',
        headers: ['Content-Disposition'],
      },
      303: {
        description: 'The file is larger than 5 MB ; Location is a short-lived address.',
        headers: ['Location'],
      },
    },
    errors: ['conversation.notFound'],
    example: { conversationId, format: 'markdown' },
  },
  'POST /ai-chat/file-upload': {
    summary: 'Uploads a file in a form, or asks for a direct upload.',
    description:
      'A form carries about 4.5 MB. For more, up to 20 MB, send name, type and size as JSON, post the file to the `upload.url` with its `fields`, and call `/ai-chat/file-upload/complete`.',
    answers: {
      200: { description: 'The form of a direct upload.', schema: UploadAnswer },
      201: { description: 'The stored file.', schema: FileInfo },
    },
    errors: ['file.tooLarge', 'file.unsupported', 'file.mismatch', 'file.unreadable', 'file.tooMany'],
    takesForm: true,
    example: { name: 'prices.txt', mimeType: 'text/plain', size: 1024 },
  },
  'POST /ai-chat/file-upload/complete': {
    summary: 'Ends a direct upload: the content is checked, and the file can be sent.',
    answers: { 200: { description: 'The stored file.', schema: FileInfo } },
    errors: ['file.notFound', 'file.tooLarge', 'file.unsupported', 'file.mismatch', 'file.unreadable'],
    example: { fileUid: 123456789 },
  },
  'GET /ai-chat/file-info': {
    summary: 'An own file, with a short-lived address to download it.',
    answers: { 200: { description: 'The file.', schema: FileInfoAnswer } },
    errors: ['file.notFound'],
    example: { fileUid: 123456789 },
  },
}
