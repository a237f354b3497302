import type { Actor } from '../core/actor.ts'
import type { Cms } from '../core/cms/cms.ts'
import {
  type LogAnswer,
  LogQuery,
  type PageAnswer,
  PageQuery,
  type PagesAnswer,
  PagesQuery,
  type RecordAnswer,
  RecordDraft,
  RecordEdit,
  RecordQuery,
  type RecordsAnswer,
  RecordsQuery,
  type Table,
  type TablesAnswer,
  TablesQuery,
} from '../core/cms/schema.ts'
import { VisibleError } from '../core/error.ts'
import { http } from './http.ts'
import { route } from './route.ts'
import { sessionRoutes } from './session.ts'

/** The tree is shown whole; a site beyond this shows its first pages. */
const tree = { depth: 50, limit: 5_000 }
const historyLength = 50

/** What the modules of the reference backend show and edit, filtered by the CMS as the user. */
export const routes = {
  ...sessionRoutes,
  'GET /backend/pages': route({
    access: 'session',
    input: PagesQuery,
    run: async ({ actor, live }, { root }) => {
      const body: PagesAnswer = { pages: await live.cms.pageTree(actor, { root, ...tree }) }
      return { body }
    },
  }),
  'GET /backend/pages/{uid}': route({
    access: 'session',
    input: PageQuery,
    run: async ({ actor, live: { cms } }, { uid }) => {
      const [page, content, languages] = await Promise.all([
        cms.page(actor, uid),
        cms.pageContent(actor, uid),
        cms.languages(),
      ])
      if (!page) throw new VisibleError('record.notFound')
      const body: PageAnswer = { page, content: content ?? [], languages }
      return { body }
    },
  }),
  'GET /backend/records': route({
    access: 'session',
    input: TablesQuery,
    run: async ({ actor, live }) => {
      const body: TablesAnswer = { tables: await live.cms.tables(actor) }
      return { body }
    },
  }),
  'GET /backend/records/{table}': route({
    access: 'session',
    input: RecordsQuery,
    run: async ({ actor, live: { cms } }, { page, ...query }) => {
      const [table, list] = await Promise.all([
        tableOf(cms, actor, query.table),
        cms.list(actor, page === undefined ? query : { ...query, page }),
      ])
      if (!list) throw new VisibleError('record.notFound')
      const body: RecordsAnswer = { table, ...list }
      return { body }
    },
  }),
  'POST /backend/records/{table}': route({
    access: 'session',
    input: RecordDraft,
    run: async ({ actor, live: { cms, reference }, now }, draft) => {
      if (!reference) throw new VisibleError('record.notAllowed')
      const outcome = await reference.add(actor, draft, now)
      if (outcome.state === 'conflict') throw new VisibleError('record.changed')
      return { status: 201, body: await record(cms, actor, draft.table, outcome.uid) }
    },
  }),
  'GET /backend/records/{table}/{uid}': route({
    access: 'session',
    input: RecordQuery,
    run: async ({ actor, live }, { table, uid }) => ({ body: await record(live.cms, actor, table, uid) }),
  }),
  'POST /backend/records/{table}/{uid}': route({
    access: 'session',
    input: RecordEdit,
    run: async ({ actor, live: { cms, reference }, now }, edit) => {
      // A CMS elsewhere has a backend of its own, where its records are edited.
      if (!reference) throw new VisibleError('record.notAllowed')
      const outcome = await reference.save(actor, edit, now)
      if (outcome.state === 'conflict') throw new VisibleError('record.changed')
      return { body: await record(cms, actor, edit.table, edit.uid) }
    },
  }),
  'GET /backend/log': route({
    access: 'session',
    input: LogQuery,
    run: async ({ actor, live }, query) => {
      const body: LogAnswer = { entries: await live.cms.log(actor, query) }
      return { body }
    },
  }),
}

async function record(cms: Cms, actor: Actor, tableName: string, uid: number): Promise<RecordAnswer> {
  const [table, found, history] = await Promise.all([
    tableOf(cms, actor, tableName),
    cms.record(actor, tableName, uid),
    cms.history(actor, tableName, uid, historyLength),
  ])
  if (!found) throw new VisibleError('record.notFound')
  const pageUid = tableName === 'pages' ? uid : found.pid
  const page = pageUid > 0 ? await cms.page(actor, pageUid) : undefined
  return { table, record: found, page: page ?? null, history: history ?? [] }
}

async function tableOf(cms: Cms, actor: Actor, name: string): Promise<Table> {
  const table = (await cms.tables(actor)).find((known) => known.name === name)
  if (!table) throw new VisibleError('record.notFound')
  return table
}

/** Answers the routes of the backend, and whatever no route matches: 404, or 405 where only the method is wrong. */
export const handler = http(routes)
