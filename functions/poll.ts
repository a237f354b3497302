import { MessagesAnswer } from '../core/chat/messages-request.ts'
import { poll } from '../core/chat/poll.ts'
import { MessagesQuery } from '../core/chat/request.ts'
import { key } from '../core/conversation/item.ts'
import * as Activity from '../core/conversation/transcript/activity.ts'
import { http } from './http/http.ts'
import { exampleId as conversationId, route } from './http/route.ts'

/** `GET /ai-chat/conversations/messages`: one request to the table when nothing has changed, else two. */
export const routes = {
  'GET /ai-chat/conversations/messages': route({
    input: MessagesQuery,
    summary: 'The poll: messages that the client lacks, steps of the turn, and calls that wait for approval.',
    description:
      'With the `version` that the client last saw: `unchanged` is true while nothing is new, and only `conversation` and `activity` count. `reset`: forget what you have. `more`: ask again with a higher `after`. `progress`: how many records a call that reads much has read (`n` of `total`). `pollAfterMs`: the turn waits for its start among many others, so poll no sooner; of an idle conversation: its next message is due, so poll again.',
    answers: { 200: { description: 'What is new.', schema: MessagesAnswer } },
    errors: ['conversation.notFound'],
    example: { conversationId, after: 0, limit: 200 },
    isPoll: true,
    reads: (_, { conversationId }) => [key(conversationId), Activity.key(conversationId)],
    run: async (visit, input) => {
      const [conversation, activity] = visit.rows
      return { body: await poll(visit, visit.live.cms, input, { conversation, activity }) }
    },
  }),
}

/** The function for the poll. */
export const handler = http(routes)
