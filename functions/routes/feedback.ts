import { FeedbackAnswer, FeedbackBody, FeedbackQuery } from '../../core/chat/request.ts'
import { key, own } from '../../core/conversation/item.ts'
import { exampleId as conversationId, route } from '../http/route.ts'

/** Few requests are about feedback. */
const feedback = () => import('../../core/chat/feedback.ts')

const answers = { 200: { description: 'The opinion; null: none.', schema: FeedbackAnswer } }
const errors = ['conversation.notFound', 'run.notFound'] as const
const runId = '01kag8zq4c9w3v5n7x1r2s6t8y'

/** Routes for the feedback of users, which the operator of the stage reads. */
export const feedbackRoutes = {
  'GET /ai-chat/conversations/feedback': route({
    access: 'chat',
    input: FeedbackQuery,
    about: {
      summary: 'The user’s opinion of an answer.',
      answers,
      errors: [...errors],
      example: { conversationId, runId },
    },
    reads: (_, input) => [key(input.conversationId)],
    run: async ({ actor, now, rows: [row] }, input) => {
      const conversation = own(actor, input.conversationId, row)
      return { body: { feedback: await (await feedback()).read(actor, conversation, input.runId, now) } }
    },
  }),
  'POST /ai-chat/conversations/feedback': route({
    access: 'chat',
    input: FeedbackBody,
    about: {
      summary: 'Keeps the user’s opinion of an answer, in place of the last one.',
      description:
        'It names the model and the version of the prompt, expires with the run, and is for the operator (`npm run feedback`). A null `verdict` takes it back.',
      answers,
      errors: [...errors],
      example: {
        conversationId,
        runId,
        verdict: 'notHelpful',
        reason: 'incomplete',
        words: 'The price is missing.',
      },
    },
    reads: (_, input) => [key(input.conversationId)],
    run: async ({ actor, now, rows: [row] }, input) => {
      const conversation = own(actor, input.conversationId, row)
      return { body: { feedback: await (await feedback()).say(actor, conversation, input, now) } }
    },
  }),
}
