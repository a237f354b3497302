import type * as z from 'zod'
import type { Key } from '../core/aws/table.ts'
import { cancel } from '../core/chat/cancel.ts'
import { own } from '../core/chat/conversation.ts'
import * as Idempotency from '../core/chat/idempotency.ts'
import {
  AmendAnswer,
  AmendBody,
  ApproveBody,
  ConversationAnswer,
  EditAnswer,
  EditBody,
  NextAnswer,
  NextBody,
  OneBody,
  SendAnswer,
  SendBody,
} from '../core/chat/request.ts'
import { retry } from '../core/chat/retry.ts'
import { send } from '../core/chat/send.ts'
import type { ReadAlong, Starter } from '../core/chat/start.ts'
import { key } from '../core/conversation/item.ts'
import * as Waiting from '../core/conversation/waiting.ts'
import { exampleId as conversationId, type Description } from './description.ts'
import { http } from './http.ts'
import { repeatable, route, type Visit } from './route.ts'

const viewContext = { pageId: 3, module: 'page' }

/** Errors of every route that starts a turn. */
const startErrors = ['user.tooManyActive', 'user.budgetSpent', 'service.maintenance', 'service.busy'] as const

const accepted = (schema: z.ZodType): Description['answers'] => ({
  202: { description: 'Stored and queued; a poll shows the result.', schema },
})

/** The routes that start, change or stop a turn. What `send` does not need is imported on demand, for its cold start. */
export const routes = {
  'POST /ai-chat/conversations/send': route({
    access: 'chat',
    input: SendBody,
    about: {
      summary: 'Stores a message and queues a turn.',
      description:
        'Without `conversationId` a conversation is created. `content` may be empty when a file is named.',
      answers: accepted(SendAnswer),
      errors: [
        'message.empty',
        'message.tooLong',
        'conversation.notFound',
        'conversation.busy',
        'file.notFound',
        'file.limit',
        'user.tooManyConversations',
        ...startErrors,
      ],
      takesKey: true,
      example: { content: 'What does the Aurora lamp cost?', viewContext },
    },
    reads,
    run: async (visit, { conversationId, content = '', fileUid, viewContext }) => {
      const draft = { conversationId, content, fileUid, viewContext }
      return { status: 202, body: await send(starter(visit, 'send', draft), draft, rows(visit)) }
    },
  }),
  'POST /ai-chat/conversations/next': route({
    access: 'chat',
    input: NextBody,
    about: {
      summary: 'Changes the messages that wait for the end of the turn: adds, edits, removes or sends one.',
      description:
        'At most 5 wait. They are sent in order, each when the turn before it has ended well; behind a failed or cancelled turn, and while a proposal waits, they stay. A message that is added where no turn runs is sent at once. `act: send` starts a turn with one of them now.',
      answers: { 200: { description: 'The messages that wait.', schema: NextAnswer } },
      errors: [
        'message.empty',
        'message.tooLong',
        'message.tooManyNext',
        'conversation.notFound',
        'conversation.busy',
        'conversation.changed',
        'file.notFound',
        'file.limit',
        ...startErrors,
      ],
      takesKey: true,
      example: { act: 'add', conversationId, content: 'And the Borealis desk?', viewContext },
    },
    reads,
    run: async (visit, input) => {
      const { queue } = await import('../core/chat/next.ts')
      return { body: await queue(starter(visit, 'next', input), input, rows(visit)) }
    },
  }),
  'POST /ai-chat/conversations/edit': route({
    access: 'chat',
    input: EditBody,
    about: {
      summary: 'Changes a message of the user, drops all messages after it and runs a new turn.',
      description: '`droppedRuns` names dropped turns that changed records, so that they can be taken back.',
      answers: accepted(EditAnswer),
      errors: [
        'message.empty',
        'message.tooLong',
        'conversation.notFound',
        'conversation.busy',
        'conversation.changed',
        ...startErrors,
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
    reads,
    run: async (visit, input) => {
      const change = { viewContext: undefined, ...input }
      const { edit } = await import('../core/chat/edit.ts')
      const answer = await edit(starter(visit, 'edit', change), visit.live.cms, change, rows(visit))
      return { status: 202, body: answer }
    },
  }),
  'POST /ai-chat/conversations/retry': route({
    access: 'chat',
    input: OneBody,
    about: {
      summary: 'Continues a failed turn after its last stored step.',
      answers: accepted(ConversationAnswer),
      errors: ['conversation.notFound', 'conversation.busy', 'conversation.notFailed', ...startErrors],
      takesKey: true,
      example: { conversationId },
    },
    reads,
    run: async (visit, input) => ({
      status: 202,
      body: await retry(starter(visit, 'retry', input), input.conversationId, rows(visit)),
    }),
  }),
  'POST /ai-chat/conversations/approve': route({
    access: 'chat',
    input: ApproveBody,
    about: {
      summary: 'Approves or denies the calls that wait.',
      description:
        '`digest` is that of the `pendingApproval` which the user saw. One decision for all of them; of what is approved, the calls that `denied` names are denied. A call of `update_records` waits as a call for each of its records, each with an id of its own, and has a result row for each in the transcript.',
      answers: accepted(ConversationAnswer),
      errors: [
        'conversation.notFound',
        'approval.notPending',
        'approval.stale',
        'approval.notAllowed',
        'conversation.busy',
        ...startErrors,
      ],
      takesKey: true,
      example: {
        conversationId,
        digest: 'b5bb9d8014a0f9b1d61e21e796d78dcc',
        approve: false,
        reason: 'Not yet.',
      },
    },
    reads,
    run: async (visit, input) => {
      const { approve } = await import('../core/chat/approve.ts')
      return {
        status: 202,
        body: await approve(starter(visit, 'approve', input), visit.live.cms, input, rows(visit)),
      }
    },
  }),
  'POST /ai-chat/conversations/amend': route({
    access: 'chat',
    isWrite: true,
    input: AmendBody,
    about: {
      summary: 'Puts words of the user in the place of proposed ones, before the decision.',
      description:
        'For fields that `editable` of the pending call names. Nothing is stored in the CMS: the answer is the proposal as it is then, with the digest that an approval has to name.',
      answers: {
        200: { description: 'The proposal with the words of the user.', schema: AmendAnswer },
      },
      errors: [
        'conversation.notFound',
        'approval.notPending',
        'approval.stale',
        'approval.notAllowed',
        'approval.refused',
        'record.changed',
      ],
      example: {
        conversationId,
        digest: 'b5bb9d8014a0f9b1d61e21e796d78dcc',
        callId: 'call_1',
        field: 'title',
        value: 'Aurora desk lamp with dimmer',
      },
    },
    reads: (_, { conversationId }) => [key(conversationId)],
    run: async ({ actor, live, now, rows: [row] }, input) => {
      const it = own(actor, input.conversationId, row)
      const { amend } = await import('../core/chat/amend.ts')
      return { body: await amend(actor, live.cms, it, input, now) }
    },
  }),
  'POST /ai-chat/conversations/cancel': route({
    access: 'chat',
    input: OneBody,
    about: {
      summary: 'Stops a turn at its next step and keeps what was done.',
      answers: accepted(ConversationAnswer),
      errors: ['conversation.notFound'],
      example: { conversationId },
    },
    reads: (_, { conversationId }) => [key(conversationId)],
    run: async ({ actor, now, rows: [row] }, { conversationId }) => ({
      status: 202,
      body: { conversation: await cancel(actor, own(actor, conversationId, row), now) },
    }),
  }),
}

/** The function behind every start of a turn. */
export const handler = http(routes)

/** The idempotency record and the conversation, where they are named, and last how long turns wait; read with the session. */
function reads(
  { uid, idempotencyKey }: { uid: number; idempotencyKey: string | undefined },
  { conversationId }: { conversationId?: string | undefined },
): Key[] {
  return [
    ...(idempotencyKey ? [Idempotency.key(uid, idempotencyKey)] : []),
    ...(conversationId ? [key(conversationId)] : []),
    Waiting.key,
  ]
}

function rows({ rows, idempotencyKey }: Visit): ReadAlong {
  const [first, second] = rows.slice(0, -1)
  return idempotencyKey ? { known: first, conversation: second } : { known: undefined, conversation: first }
}

function starter(visit: Visit, name: string, input: unknown): Starter {
  const { actor, settings, now } = visit
  const waitMs = Waiting.decode(visit.rows.at(-1), now)
  return { actor, settings, now, waitMs, request: repeatable(visit, name, input) }
}
