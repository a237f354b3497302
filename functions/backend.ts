import type { Actor } from '../core/base/actor.ts'
import { VisibleError } from '../core/base/error.ts'
import type { Cms } from '../core/cms/cms.ts'
import * as Shape from '../core/cms/schema.ts'
import { numbered } from '../core/cms/user-number/user-number.ts'
import type { RecordId } from '../core/conversation/schema.ts'
import { answerOf, csvFile, type Person, reportRows } from '../core/stage/usage/report.ts'
import { Days, UsageAnswer } from '../core/stage/usage/schema.ts'
import { http } from './http/http.ts'
import { route } from './http/route.ts'
import { sessionRoutes } from './routes/session.ts'

/** Limits of the page tree, which is shown as a whole; a larger site shows its first pages. */
const tree = { depth: 50, limit: 5_000 }
const historyLength = 50
/** Input and description of the two usage reports. */
const report = {
  input: Days,
  description:
    'At most 92 days. Days are left out, the oldest first, where they hold more than 10,000 days of users.',
  example: { from: '2026-11-01', to: '2026-11-30' },
}

/** Routes of the reference backend's modules. The CMS filters every answer by the rights of the user. */
export const routes = {
  ...sessionRoutes,
  'GET /backend/usage': route({
    ...report,
    summary: 'Turns, failures, tokens and cost by user, group, model and day.',
    answers: { 200: { description: 'The sums.', schema: UsageAnswer } },
    run: async ({ actor, live, settings }, asked) => {
      const [rows, people] = await Promise.all([reportRows(asked), peopleOf(live.cms, actor)])
      const budget = { stage: settings.dailyTokens, user: settings.dailyTokensPerUser }
      return { body: { ...answerOf(asked, rows, people), budget } }
    },
  }),
  'GET /backend/usage/export': route({
    ...report,
    summary: 'The same as a file: a row for each day, user and model.',
    answers: { 200: { description: 'CSV in UTF-8.', type: 'text/csv', headers: ['Content-Disposition'] } },
    run: async ({ actor, live }, asked) => {
      const [{ rows }, people] = await Promise.all([reportRows(asked), peopleOf(live.cms, actor)])
      return csvFile(asked, rows, people)
    },
  }),
  'GET /backend/pages': route({
    input: Shape.PagesQuery,
    summary: 'The page tree, as the user may see it.',
    answers: { 200: { description: 'Pages in the order of the tree.', schema: Shape.PagesAnswer } },
    example: { root: 1 },
    run: async ({ actor, live }, { root }) => ({
      body: { pages: await live.cms.pageTree(actor, { root, ...tree }) } satisfies Shape.PagesAnswer,
    }),
  }),
  'GET /backend/pages/{uid}': route({
    input: Shape.PageQuery,
    summary: 'A page with its content elements.',
    answers: { 200: { description: 'The page.', schema: Shape.PageAnswer } },
    errors: ['record.notFound'],
    example: { uid: 3 },
    run: async ({ actor, live: { cms } }, { uid }) => {
      const [page, content, languages] = await Promise.all([
        cms.page(actor, { uid }),
        cms.pageContent(actor, { uid }),
        cms.languages(),
      ])
      if (!page) throw new VisibleError('record.notFound')
      return { body: { page, content: content ?? [], languages } satisfies Shape.PageAnswer }
    },
  }),
  'GET /backend/records': route({
    input: Shape.TablesQuery,
    summary: 'The tables that the user may select, with their fields.',
    answers: { 200: { description: 'The tables.', schema: Shape.TablesAnswer } },
    run: async ({ actor, live }) => ({
      body: { tables: await live.cms.tables(actor) } satisfies Shape.TablesAnswer,
    }),
  }),
  'GET /backend/records/{table}': route({
    input: Shape.RecordsQuery,
    summary: 'Records of a table, a page at a time.',
    answers: { 200: { description: 'The records.', schema: Shape.RecordsAnswer } },
    errors: ['record.notFound'],
    example: { table: 'content', page: 3, limit: 50, offset: 0 },
    run: async ({ actor, live: { cms } }, { page, ...query }) => {
      const [table, list] = await Promise.all([
        tableOf(cms, actor, query.table),
        cms.list(actor, page === undefined ? query : { ...query, page }),
      ])
      if (!list) throw new VisibleError('record.notFound')
      return { body: { table, ...list } satisfies Shape.RecordsAnswer }
    },
  }),
  'POST /backend/records/{table}': route({
    input: Shape.RecordDraft,
    summary: 'Adds a record to a page, always hidden.',
    answers: { 201: { description: 'The record as stored.', schema: Shape.RecordAnswer } },
    errors: ['record.notFound', 'record.notAllowed', 'record.changed'],
    example: {
      table: 'content',
      pid: 3,
      fields: { type: 'text', header: 'Care', body: 'Wipe with a dry cloth.' },
    },
    run: async ({ actor, live: { cms, reference }, now }, draft) => {
      if (!reference) throw new VisibleError('record.notAllowed')
      const outcome = await reference.add(actor, draft, now)
      if (outcome.state === 'conflict') throw new VisibleError('record.changed')
      return { status: 201, body: await record(cms, actor, draft.table, outcome.uid) }
    },
  }),
  'GET /backend/records/{table}/{uid}': route({
    input: Shape.RecordQuery,
    summary: 'A record with its latest changes.',
    answers: { 200: { description: 'The record.', schema: Shape.RecordAnswer } },
    errors: ['record.notFound'],
    example: { table: 'pages', uid: 3 },
    run: async ({ actor, live }, { table, uid }) => ({ body: await record(live.cms, actor, table, uid) }),
  }),
  'POST /backend/records/{table}/{uid}': route({
    input: Shape.RecordEdit,
    summary: 'Changes a record, unless another user changed it since it was read.',
    answers: { 200: { description: 'The record as stored.', schema: Shape.RecordAnswer } },
    errors: ['record.notFound', 'record.notAllowed', 'record.changed'],
    example: { table: 'pages', uid: 3, version: '1', fields: { title: 'Aurora desk lamp' } },
    run: async ({ actor, live: { cms, reference }, now }, edit) => {
      // A connected CMS has its own backend, where its records are edited.
      if (!reference) throw new VisibleError('record.notAllowed')
      const outcome = await reference.save(actor, edit, now)
      if (outcome.state === 'conflict') throw new VisibleError('record.changed')
      return { body: await record(cms, actor, edit.table, edit.uid) }
    },
  }),
  'GET /backend/log': route({
    input: Shape.LogQuery,
    summary: 'Entries of the log, newest first; none for users who may not read it.',
    answers: { 200: { description: 'The entries.', schema: Shape.LogAnswer } },
    example: { level: 'warning', limit: 20 },
    run: async ({ actor, live }, query) => ({
      body: { entries: await live.cms.log(actor, query) } satisfies Shape.LogAnswer,
    }),
  }),
}

async function record(cms: Cms, actor: Actor, tableName: string, uid: RecordId): Promise<Shape.RecordAnswer> {
  const [table, found, history] = await Promise.all([
    tableOf(cms, actor, tableName),
    cms.record(actor, { table: tableName, uid }),
    cms.history(actor, { table: tableName, uid, limit: historyLength }),
  ])
  if (!found) throw new VisibleError('record.notFound')
  const pageUid = tableName === 'pages' ? uid : found.pid
  const page = pageUid !== 0 ? await cms.page(actor, { uid: pageUid }) : undefined
  return { table, record: found, page: page ?? null, history: history ?? [] }
}

async function tableOf(cms: Cms, actor: Actor, name: string): Promise<Shape.Table> {
  const table = (await cms.tables(actor)).find((known) => known.name === name)
  if (!table) throw new VisibleError('record.notFound')
  return table
}

/**
 * The function for the routes of the backend. It also answers requests without a route: 404, or 405 if only the method
 * is wrong.
 */
export const handler = http(routes)

/** Returns the backend users as the CMS names them; empty if the CMS lists no users, so that reports show only ids. */
async function peopleOf(cms: Cms, actor: Actor): Promise<Person[]> {
  return (await cms.capabilities()).users ? numbered(await cms.users(actor)) : []
}
