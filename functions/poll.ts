import { shown } from '../core/chat/approve.ts'
import { poll } from '../core/chat/poll.ts'
import { MessagesQuery } from '../core/chat/request.ts'
import { key } from '../core/conversation/item.ts'
import * as Activity from '../core/transcript/activity.ts'
import { http } from './http.ts'
import { route } from './route.ts'

/** `GET /ai-chat/conversations/messages`: one request to the table when nothing has changed, else two. */
export const routes = {
  'GET /ai-chat/conversations/messages': route({
    access: 'chat',
    input: MessagesQuery,
    isPoll: true,
    reads: (_, { conversationId }) => [key(conversationId), Activity.key(conversationId)],
    run: async ({ actor, live, rows: [conversation, activity] }, input) => ({
      body: await poll(actor, live.cms, shown, input, { conversation, activity }),
    }),
  }),
}

/** The function behind the poll. */
export const handler = http(routes)
