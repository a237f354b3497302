import type * as z from 'zod'
import * as Conversations from '../core/chat/conversation.ts'
import { exported } from '../core/chat/export.ts'
import * as Idempotency from '../core/chat/idempotency.ts'
import { list } from '../core/chat/list.ts'
import {
  ArchiveBody,
  CreateBody,
  DeleteBody,
  ExportQuery,
  ListQuery,
  PinBody,
  RenameBody,
  SystemPromptBody,
  UndoBody,
} from '../core/chat/request.ts'
import { undo } from '../core/chat/undo.ts'
import { type Conversation, key } from '../core/conversation/item.ts'
import type { Summary } from '../core/conversation/schema.ts'
import { http } from './http.ts'
import { repeatable, route, type Visit } from './route.ts'

type Named = { conversationId: string }

const reads = (_: unknown, { conversationId }: Named) => [key(conversationId)]

const mine = ({ actor, rows: [row] }: Visit, { conversationId }: Named) =>
  Conversations.own(actor, conversationId, row)

/** A route that changes one conversation and answers it as it is then. */
const changing = <S extends z.ZodType<Named>>(
  input: S,
  change: (visit: Visit, it: Conversation, input: z.infer<S>) => Promise<Summary>,
) =>
  route({
    access: 'chat',
    input,
    reads,
    run: async (visit, body) => ({ body: { conversation: await change(visit, mine(visit, body), body) } }),
  })

/** What users do with their conversations. */
export const routes = {
  'GET /ai-chat/conversations': route({
    access: 'chat',
    input: ListQuery,
    isPoll: true,
    run: async ({ actor }, input) => ({ body: await list(actor, input) }),
  }),
  'POST /ai-chat/conversations/create': route({
    access: 'chat',
    input: CreateBody,
    reads: ({ uid, idempotencyKey }) => (idempotencyKey ? [Idempotency.key(uid, idempotencyKey)] : []),
    run: async (visit, input) => {
      const { actor, settings, rows, now } = visit
      const request = repeatable(visit, 'create', input)
      return { status: 201, body: await Conversations.create(actor, settings, request, rows, now) }
    },
  }),
  'POST /ai-chat/conversations/system-prompt': route({
    access: 'chat',
    input: SystemPromptBody,
    reads,
    run: async (visit, input) => ({
      body: await Conversations.instruct(visit.actor, mine(visit, input), input.systemPrompt, visit.settings),
    }),
  }),
  'POST /ai-chat/conversations/rename': changing(RenameBody, ({ actor, now }, it, { title }) =>
    Conversations.rename(actor, it, title, now),
  ),
  'POST /ai-chat/conversations/pin': changing(PinBody, ({ actor }, it, { pinned }) =>
    Conversations.pin(actor, it, pinned),
  ),
  'POST /ai-chat/conversations/archive': changing(ArchiveBody, ({ actor, now }, it, { archived }) =>
    Conversations.archive(actor, it, archived, now),
  ),
  'POST /ai-chat/conversations/delete': route({
    access: 'chat',
    input: DeleteBody,
    reads,
    run: async (visit, input) => {
      const { actor, settings, rows, now } = visit
      const conversation = input.deleted
        ? await Conversations.remove(actor, mine(visit, input), now)
        : await Conversations.restore(actor, input.conversationId, rows[0], settings, now)
      return { body: { conversation } }
    },
  }),
  'POST /ai-chat/conversations/undo': route({
    access: 'chat',
    isWrite: true,
    input: UndoBody,
    reads,
    run: async (visit, input) => ({
      body: await undo(visit.actor, visit.live.cms, mine(visit, input), input.runId, visit.now),
    }),
  }),
  'GET /ai-chat/conversations/export': route({
    access: 'chat',
    input: ExportQuery,
    reads,
    run: async (visit, input) => exported(visit.actor, mine(visit, input), input.format),
  }),
}

/** The function behind the conversations' routes. */
export const handler = http(routes)
