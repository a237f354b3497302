import type { Key } from '../core/aws/table.ts'
import { approve } from '../core/chat/approve.ts'
import { cancel } from '../core/chat/cancel.ts'
import { own } from '../core/chat/conversation.ts'
import { edit } from '../core/chat/edit.ts'
import * as Idempotency from '../core/chat/idempotency.ts'
import { queue } from '../core/chat/next.ts'
import { ApproveBody, EditBody, NextBody, OneBody, SendBody } from '../core/chat/request.ts'
import { retry } from '../core/chat/retry.ts'
import { send } from '../core/chat/send.ts'
import type { ReadAlong, Starter } from '../core/chat/start.ts'
import { key } from '../core/conversation/item.ts'
import * as Waiting from '../core/conversation/waiting.ts'
import { http } from './http.ts'
import { repeatable, route, type Visit } from './route.ts'

/** Every way into a turn, and out of it. */
export const routes = {
  'POST /ai-chat/conversations/send': route({
    access: 'chat',
    input: SendBody,
    reads,
    run: async (visit, { conversationId, content = '', fileUid, viewContext }) => {
      const draft = { conversationId, content, fileUid, viewContext }
      return { status: 202, body: await send(starter(visit, 'send', draft), draft, rows(visit)) }
    },
  }),
  'POST /ai-chat/conversations/next': route({
    access: 'chat',
    input: NextBody,
    reads,
    run: async (visit, input) => ({
      body: await queue(starter(visit, 'next', input), input, rows(visit)),
    }),
  }),
  'POST /ai-chat/conversations/edit': route({
    access: 'chat',
    input: EditBody,
    reads,
    run: async (visit, input) => {
      const change = { viewContext: undefined, ...input }
      const answer = await edit(starter(visit, 'edit', change), visit.live.cms, change, rows(visit))
      return { status: 202, body: answer }
    },
  }),
  'POST /ai-chat/conversations/retry': route({
    access: 'chat',
    input: OneBody,
    reads,
    run: async (visit, input) => ({
      status: 202,
      body: await retry(starter(visit, 'retry', input), input.conversationId, rows(visit)),
    }),
  }),
  'POST /ai-chat/conversations/approve': route({
    access: 'chat',
    input: ApproveBody,
    reads,
    run: async (visit, input) => ({
      status: 202,
      body: await approve(starter(visit, 'approve', input), visit.live.cms, input, rows(visit)),
    }),
  }),
  'POST /ai-chat/conversations/cancel': route({
    access: 'chat',
    input: OneBody,
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
