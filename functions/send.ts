import * as Request from '../core/chat/request.ts'
import { refuseEmpty, send } from '../core/chat/send.ts'
import { retry } from '../core/chat/start.ts'
import { ConversationAnswer, EditAnswer, NextAnswer, SendAnswer } from '../core/conversation/schema.ts'
import * as Route from './http/conversation-route.ts'
import { http } from './http/http.ts'
import { exampleId as conversationId, route } from './http/route.ts'

/** Error codes of a request with a message, and of the files and mentions beside it. */
const messageErrors = [
  'message.empty',
  'message.tooLong',
  'conversation.notFound',
  'conversation.busy',
] as const
const besideErrors = ['file.notFound', 'file.limit', 'mention.notFound'] as const

/** Error codes of a request that names a proposal by its digest. */
const pendingErrors = ['conversation.notFound', 'approval.notPending', 'approval.stale'] as const

const digest = 'b5bb9d8014a0f9b1d61e21e796d78dcc'

const viewContext = { pageId: 3, module: 'page' }

/**
 * The routes that start, change, decide on or stop a turn. Parts that `send` does not need are imported on demand, so
 * that its cold start is short.
 */
export const routes = {
  'POST /ai-chat/conversations/send': Route.starting(
    'send',
    Request.SendBody,
    {
      summary: 'Stores a message and queues a turn.',
      description: 'Without `conversationId` one is created. `content` may be empty with a file.',
      answer: SendAnswer,
      errors: [...messageErrors, ...besideErrors, 'user.tooManyConversations'],
      example: { content: 'What does the Aurora lamp cost?', viewContext },
      check: ({ content = '', fileUid }) => refuseEmpty(content, fileUid),
    },
    ({ starter, cms, conversation }, input) => send(starter, cms, conversation, input),
  ),
  'POST /ai-chat/conversations/next': route({
    input: Request.NextBody,
    summary: 'Adds, edits, removes or sends a message that waits for the end of the turn.',
    description:
      'At most 5 wait, and are sent in order, each when the turn before it has ended well; one that is added where no turn runs, at once.',
    answers: { 200: { description: 'The messages that wait.', schema: NextAnswer } },
    errors: [
      ...messageErrors,
      'message.tooManyNext',
      'conversation.changed',
      ...besideErrors,
      ...Route.startErrors,
    ],
    takesKey: true,
    example: { act: 'add', conversationId, content: 'And the Borealis desk?', viewContext },
    reads: Route.readsStart,
    run: async (visit, input) => {
      if (input.act === 'add') refuseEmpty(input.content, input.fileUid)
      const { queue } = await import('../core/chat/next.ts')
      const body = await Route.startOnce(visit, 'next', input, NextAnswer, ({ starter, cms, conversation }) =>
        queue(starter, cms, conversation, input),
      )
      return { body }
    },
  }),
  'POST /ai-chat/conversations/edit': Route.starting(
    'edit',
    Request.EditBody,
    {
      summary: 'Changes a message and runs a new turn; what followed stays as a version.',
      description:
        'The same `content` tries the turn again. `droppedRuns`: turns of the one before that changed records.',
      answer: EditAnswer,
      errors: [...messageErrors, 'conversation.changed', 'message.tooManyVersions'],
      example: {
        conversationId,
        sequence: 0,
        content: 'What does the Borealis desk cost?',
        expectedContent: 'What does the Aurora lamp cost?',
        viewContext,
      },
    },
    async ({ starter, cms, conversation }, input) =>
      (await import('../core/chat/edit.ts')).edit(starter, cms, conversation, input),
  ),
  'POST /ai-chat/conversations/retry': Route.starting(
    'retry',
    Request.OneBody,
    {
      summary: 'Continues a failed turn after its last stored step.',
      answer: ConversationAnswer,
      errors: ['conversation.notFound', 'conversation.busy', 'conversation.notFailed'],
      example: { conversationId },
    },
    ({ starter, conversation }) => retry(starter, conversation),
  ),
  'POST /ai-chat/conversations/approve': Route.starting(
    'approve',
    Request.ApproveBody,
    {
      summary: 'Approves or denies the calls that wait.',
      description:
        '`digest` is that of the `pendingApproval` which the user saw; the calls in `denied` are denied. `update_records` waits as a call for each record, with an id and a result row of its own.',
      answer: ConversationAnswer,
      errors: [...pendingErrors, 'approval.notAllowed', 'conversation.busy'],
      example: { conversationId, digest, approve: false, reason: 'Not yet.' },
    },
    async ({ starter, cms, conversation }, input) =>
      (await import('../core/chat/decision.ts')).approve(starter, cms, conversation, input),
  ),
  'POST /ai-chat/conversations/answer': Route.starting(
    'answer',
    Request.AnswerBody,
    {
      summary: 'Answers a question of the assistant.',
      description:
        'For a call with a `question`; accepted once. `choices` are positions, from 0. Neither choice nor text: the user skips it.',
      answer: ConversationAnswer,
      errors: [...pendingErrors, 'conversation.busy'],
      example: { conversationId, digest, choices: [0] },
    },
    async ({ starter, conversation }, input) =>
      (await import('../core/chat/decision.ts')).answer(starter, conversation, input),
  ),
  'POST /ai-chat/conversations/amend': route({
    input: Request.AmendBody,
    summary: 'Puts words of the user in the place of proposed ones, before the decision.',
    description:
      'For fields in `editable` of the pending call. Answers the proposal as it is then, with its new digest.',
    answers: {
      200: { description: 'The proposal with the words of the user.', schema: Request.AmendAnswer },
    },
    errors: [
      ...pendingErrors,
      'approval.notAllowed',
      'approval.refused',
      'approval.unchanged',
      'record.changed',
    ],
    example: {
      conversationId,
      digest,
      callId: 'call_1',
      field: 'title',
      value: 'Aurora desk lamp with dimmer',
    },
    reads: Route.readsOne,
    run: async (visit, input) => {
      const { amend } = await import('../core/chat/amend.ts')
      return { body: await amend(visit, visit.live.cms, Route.mine(visit, input), input) }
    },
  }),
  'POST /ai-chat/conversations/cancel': route({
    input: Request.OneBody,
    summary: 'Stops a turn at its next step and keeps what was done.',
    answers: Route.accepted(ConversationAnswer),
    errors: ['conversation.notFound'],
    example: { conversationId },
    reads: Route.readsOne,
    run: async (visit, input) => {
      const { cancel } = await import('../core/chat/cancel.ts')
      const conversation = await cancel(visit.actor, Route.mine(visit, input), visit.now)
      return { status: 202, body: { conversation } }
    },
  }),
}

/** The function for every route that starts a turn. */
export const handler = http(routes)
