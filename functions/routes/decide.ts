import { AmendAnswer, AmendBody, AnswerBody, ApproveBody } from '../../core/chat/request.ts'
import { ConversationAnswer } from '../../core/chat/start-request.ts'
import { key, own } from '../../core/conversation/item.ts'
import { exampleId as conversationId, route } from '../http/route.ts'
import { accepted, reads, rows, startErrors, starter } from '../http/start-turn.ts'

/** Error codes of a request that names a proposal by its digest. */
const pendingErrors = ['conversation.notFound', 'approval.notPending', 'approval.stale'] as const

const digest = 'b5bb9d8014a0f9b1d61e21e796d78dcc'

/** The routes by which a user decides on a proposal or a question. */
export const routes = {
  'POST /ai-chat/conversations/approve': route({
    access: 'chat',
    input: ApproveBody,
    about: {
      summary: 'Approves or denies the calls that wait.',
      description:
        '`digest` is that of the `pendingApproval` which the user saw; the calls in `denied` are denied. `update_records` waits as a call for each record, with an id and a result row of its own.',
      answers: accepted(ConversationAnswer),
      errors: [...pendingErrors, 'approval.notAllowed', 'conversation.busy', ...startErrors],
      takesKey: true,
      example: {
        conversationId,
        digest,
        approve: false,
        reason: 'Not yet.',
      },
    },
    reads,
    run: async (visit, input) => {
      const { approve } = await import('../../core/chat/decision.ts')
      return {
        status: 202,
        body: await approve(starter(visit, 'approve', input), visit.live.cms, input, rows(visit)),
      }
    },
  }),
  'POST /ai-chat/conversations/answer': route({
    access: 'chat',
    input: AnswerBody,
    about: {
      summary: 'Answers a question of the assistant.',
      description:
        'For a call with a `question`; accepted once. `choices` are positions, from 0. Neither choice nor text: the user skips it.',
      answers: accepted(ConversationAnswer),
      errors: [...pendingErrors, 'conversation.busy', ...startErrors],
      takesKey: true,
      example: {
        conversationId,
        digest,
        choices: [0],
      },
    },
    reads,
    run: async (visit, input) => {
      const { answer } = await import('../../core/chat/decision.ts')
      return { status: 202, body: await answer(starter(visit, 'answer', input), input, rows(visit)) }
    },
  }),
  'POST /ai-chat/conversations/amend': route({
    access: 'chat',
    isWrite: true,
    input: AmendBody,
    about: {
      summary: 'Puts words of the user in the place of proposed ones, before the decision.',
      description:
        'For fields in `editable` of the pending call. Answers the proposal as it is then, with its new digest.',
      answers: {
        200: { description: 'The proposal with the words of the user.', schema: AmendAnswer },
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
    },
    reads: (_, { conversationId }) => [key(conversationId)],
    run: async ({ actor, live, now, rows: [row] }, input) => {
      const conversation = own(actor, input.conversationId, row)
      const { amend } = await import('../../core/chat/amend.ts')
      return { body: await amend(actor, live.cms, conversation, input, now) }
    },
  }),
}
