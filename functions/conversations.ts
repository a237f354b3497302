import * as Conversation from '../core/conversation/conversation.ts'
import { exported } from '../core/conversation/export.ts'
import { key } from '../core/conversation/item.ts'
import { list } from '../core/conversation/list.ts'
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
} from '../core/conversation/request.ts'
import { VisibleError } from '../core/error.ts'
import * as Idempotency from '../core/idempotency.ts'
import { undo } from '../core/turn/undo.ts'
import { http } from './http.ts'
import { route, type Visit } from './route.ts'

const reads = (_: unknown, { conversationId }: { conversationId: string }) => [key(conversationId)]

const mine = ({ actor, rows: [row] }: Visit, { conversationId }: { conversationId: string }) =>
  Conversation.own(actor, conversationId, row)

/** What users do with their conversations. */
export const routes = {
  'GET /ai-chat/conversations': route({
    access: 'chat',
    input: ListQuery,
    isPoll: true,
    run: async ({ actor }, input) => ({
      body: await list(actor, { search: undefined, cursor: undefined, ...input }),
    }),
  }),
  'POST /ai-chat/conversations/create': route({
    access: 'chat',
    input: CreateBody,
    reads: ({ uid, idempotencyKey }) => (idempotencyKey ? [Idempotency.key(uid, idempotencyKey)] : []),
    run: async ({ actor, settings, idempotencyKey: key, rows, now }, input) => {
      const request = key === undefined ? undefined : { uid: actor.uid, key, route: 'create', input }
      return { status: 201, body: await Conversation.create(actor, settings, request, rows, now) }
    },
  }),
  'POST /ai-chat/conversations/system-prompt': route({
    access: 'chat',
    input: SystemPromptBody,
    reads,
    run: async (visit, { conversationId, systemPrompt }) => {
      const it = mine(visit, { conversationId })
      const max = visit.settings.maxSystemPromptLength
      if ([...systemPrompt].length > max) {
        throw new VisibleError('systemPrompt.tooLong', {
          params: { max },
          fields: { systemPrompt: `at most ${max}` },
        })
      }
      const conversation = await Conversation.instruct(visit.actor, it, systemPrompt.trim())
      return { body: { conversation, systemPrompt: systemPrompt.trim() } }
    },
  }),
  'POST /ai-chat/conversations/rename': route({
    access: 'chat',
    input: RenameBody,
    reads,
    run: async (visit, input) => ({
      body: {
        conversation: await Conversation.rename(visit.actor, mine(visit, input), input.title, visit.now),
      },
    }),
  }),
  'POST /ai-chat/conversations/pin': route({
    access: 'chat',
    input: PinBody,
    reads,
    run: async (visit, input) => ({
      body: { conversation: await Conversation.pin(visit.actor, mine(visit, input), input.pinned) },
    }),
  }),
  'POST /ai-chat/conversations/archive': route({
    access: 'chat',
    input: ArchiveBody,
    reads,
    run: async (visit, input) => ({
      body: {
        conversation: await Conversation.archive(visit.actor, mine(visit, input), input.archived, visit.now),
      },
    }),
  }),
  'POST /ai-chat/conversations/delete': route({
    access: 'chat',
    input: DeleteBody,
    reads,
    run: async (visit, input) => {
      const { actor, settings, rows, now } = visit
      const conversation = input.deleted
        ? await Conversation.remove(actor, mine(visit, input), now)
        : await Conversation.restore(actor, input.conversationId, rows[0], settings, now)
      return { body: { conversation } }
    },
  }),
  'POST /ai-chat/conversations/undo': route({
    access: 'chat',
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
