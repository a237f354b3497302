import { list } from '../core/chat/list.ts'
import * as Request from '../core/chat/request.ts'
import { ConversationAnswer } from '../core/conversation/schema.ts'
import * as Route from './http/conversation-route.ts'
import { http } from './http/http.ts'
import { exampleId as conversationId, route } from './http/route.ts'
import { composing } from './routes/composing.ts'
import { ownUsageRoutes } from './routes/own-usage.ts'

const opinion = { 200: { description: 'The opinion; null: none.', schema: Request.FeedbackAnswer } }

/** The id of the run in the examples. */
const runId = conversationId.slice(2)

/** Imports the code that changes a conversation on demand, because most requests only want the list. */
const verbs = () => import('../core/chat/conversation.ts')

/** Imports the module on demand, because few requests are about feedback. */
const feedback = () => import('../core/chat/feedback.ts')

/** Routes for conversations and for the contents of messages. */
export const routes = {
  ...composing,
  ...ownUsageRoutes,
  'GET /ai-chat/conversations': route({
    input: Request.ListQuery,
    summary: "The user's conversations, pinned first, then newest change first.",
    answers: { 200: { description: 'One page of the list.', schema: Request.ListAnswer } },
    example: { archived: 'false', search: 'lamp', limit: 20 },
    isPoll: true,
    run: async ({ actor }, input) => ({ body: await list(actor, input) }),
  }),
  'POST /ai-chat/conversations/create': route({
    input: Request.CreateBody,
    summary: 'Begins an empty conversation.',
    answers: { 201: { description: 'The conversation.', schema: ConversationAnswer } },
    errors: ['user.tooManyConversations'],
    takesKey: true,
    reads: Route.readsStart,
    run: async (visit, input) => {
      const { create } = await verbs()
      const make = ({ starter }: Route.Start<object>) => create(starter)
      return { status: 201, body: await Route.startOnce(visit, 'create', input, ConversationAnswer, make) }
    },
  }),
  'POST /ai-chat/conversations/system-prompt': route({
    input: Request.SystemPromptBody,
    summary: "Sets the user's own instructions for a conversation; empty removes them.",
    answers: { 200: { description: 'The instructions as stored.', schema: Request.SystemPromptAnswer } },
    errors: ['conversation.notFound', 'systemPrompt.tooLong'],
    example: { conversationId, systemPrompt: 'Answer in one sentence.' },
    reads: Route.readsOne,
    run: async (visit, input) => {
      const { instruct } = await verbs()
      return { body: await instruct(visit, Route.mine(visit, input), input.systemPrompt) }
    },
  }),
  'POST /ai-chat/conversations/rename': Route.changing(
    Request.RenameBody,
    {
      summary: 'Renames a conversation; the service keeps this title.',
      example: { conversationId, title: 'Prices of our lamps' },
    },
    async (visit, conversation, { title }) => (await verbs()).rename(visit, conversation, title),
  ),
  'POST /ai-chat/conversations/version': Route.changing(
    Request.VersionBody,
    {
      summary: 'Shows another version of a message with all that followed it; every version is kept.',
      errors: ['conversation.busy', 'conversation.changed'],
      example: { conversationId, sequence: 0, version: 1 },
    },
    async (visit, conversation, wanted) =>
      (await import('../core/chat/version.ts')).choose(visit, conversation, wanted),
  ),
  'POST /ai-chat/conversations/pin': Route.changing(
    Request.PinBody,
    {
      summary: 'Pins a conversation, which then is never archived by itself, or unpins it.',
      example: { conversationId, pinned: true },
    },
    async (visit, conversation, { pinned }) => (await verbs()).pin(visit, conversation, pinned),
  ),
  'POST /ai-chat/conversations/archive': Route.changing(
    Request.ArchiveBody,
    {
      summary: 'Archives a conversation, or fetches it back.',
      errors: ['conversation.busy'],
      example: { conversationId, archived: true },
    },
    async (visit, conversation, { archived }) => (await verbs()).archive(visit, conversation, archived),
  ),
  'POST /ai-chat/conversations/delete': route({
    input: Request.DeleteBody,
    summary: 'Hides a conversation and removes it after 24 hours; until then `false` restores it.',
    answers: Route.changed,
    errors: ['conversation.notFound', 'conversation.busy', 'user.tooManyConversations'],
    example: { conversationId, deleted: true },
    reads: Route.readsOne,
    run: async (visit, input) => {
      const { deletable, remove, restore } = await verbs()
      const { conversationId: id, deleted } = input
      const [row] = visit.rows
      const conversation = await (deleted
        ? remove(visit, deletable(visit, id, row))
        : restore(visit, id, row))
      return { body: { conversation } }
    },
  }),
  'POST /ai-chat/conversations/undo': route({
    input: Request.UndoBody,
    summary: 'Takes back the changes of a turn, except to records that changed since.',
    description: 'More than ten records: 202; a poll shows the `progress`, then a row `undone`.',
    answers: {
      200: { description: 'The records and the conflicts.', schema: Request.UndoAnswer },
      ...Route.accepted(ConversationAnswer),
    },
    errors: [
      'conversation.notFound',
      'conversation.busy',
      'run.notFound',
      'user.tooManyActive',
      'service.maintenance',
      'service.busy',
    ],
    takesKey: true,
    example: { conversationId, runId },
    reads: Route.readsStart,
    run: async (visit, input) => {
      const { undoOnce } = await import('../core/chat/undo.ts')
      const takeBack = ({ starter, cms, conversation }: Route.Start<typeof input>) =>
        undoOnce(starter, cms, conversation, input)
      const body = await Route.startOnce(
        visit,
        'undo',
        input,
        ConversationAnswer.or(Request.UndoAnswer),
        takeBack,
      )
      return { status: 'conversation' in body ? 202 : 200, body }
    },
  }),
  'GET /ai-chat/conversations/feedback': route({
    input: Request.FeedbackQuery,
    summary: 'The user’s opinion of an answer.',
    answers: opinion,
    errors: ['conversation.notFound', 'run.notFound'],
    example: { conversationId, runId },
    reads: Route.readsOne,
    run: async (visit, input) => {
      const { read } = await feedback()
      return { body: { feedback: await read(visit, Route.mine(visit, input), input.runId) } }
    },
  }),
  'POST /ai-chat/conversations/feedback': route({
    input: Request.FeedbackBody,
    summary: 'Keeps the user’s opinion of an answer, in place of the last one.',
    description:
      'It names the model and the version of the prompt, expires with the run, and is for the operator (`npm run feedback`). A null `verdict` takes it back.',
    answers: opinion,
    errors: ['conversation.notFound', 'run.notFound'],
    example: {
      conversationId,
      runId,
      verdict: 'notHelpful',
      reason: 'incomplete',
      words: 'The price is missing.',
    },
    reads: Route.readsOne,
    run: async (visit, input) => {
      const { say } = await feedback()
      return { body: { feedback: await say(visit, Route.mine(visit, input), input) } }
    },
  }),
  'GET /ai-chat/conversations/export': route({
    input: Request.ExportQuery,
    summary: 'A conversation as a file.',
    answers: {
      200: {
        description: 'The file: Markdown, or JSON on request.',
        type: ['text/markdown', 'application/json'],
        headers: ['Content-Disposition'],
      },
      303: {
        description: 'The file is larger than 5 MB; Location is a short-lived address.',
        headers: ['Location'],
      },
    },
    errors: ['conversation.notFound'],
    example: { conversationId, format: 'markdown' },
    reads: Route.readsOne,
    run: async (visit, input) => {
      const { actor, settings, now } = visit
      const conversation = Route.mine(visit, input)
      const resources = [{ type: 'conversation', uid: conversation.id }]
      const [Audit, { exported }] = await Promise.all([
        import('../core/user/audit.ts'),
        import('../core/chat/export.ts'),
      ])
      const act = { act: 'export', uid: actor.uid, source: 'web', resources } as const
      await Audit.note(act, settings.retainAuditDays, now)
      return exported(actor, conversation, input.format)
    },
  }),
}

/** The function for the routes of conversations. */
export const handler = http(routes)
