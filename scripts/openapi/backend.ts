import * as Cms from '../../core/cms/schema.ts'
import * as Session from '../../core/session/schema.ts'
import type { Operation } from './operation.ts'

const loggedIn = (schema: NonNullable<Operation['answers'][number]['schema']>) => ({
  200: { description: 'Who is logged in, and the CSRF token.', schema, headers: ['Set-Cookie'] },
})

/** The endpoints of the reference backend, by route. */
export const backend: Record<string, Operation> = {
  'POST /backend/login': {
    summary: 'Logs in with a password.',
    answers: loggedIn(Session.SessionAnswer),
    errors: ['login.failed', 'login.throttled'],
    example: { username: 'editor', password: 'demo' },
  },
  'GET /backend/demo-users': {
    summary: 'Users whom the login page offers with one click; none outside of the local stage.',
    answers: { 200: { description: 'The users.', schema: Session.DemoUsersAnswer } },
    example: {},
  },
  'POST /backend/exchange': {
    summary: 'Exchanges a token signed by a CMS elsewhere for a session.',
    description:
      'A JWT (HS256) with `iss`, `aud`, `sub` (uid), `jti` (used once) and `exp` at most 60 s ahead. A page of another origin gets `token`, to be sent as `Authorization: Bearer`.',
    answers: {
      200: {
        description: 'As login; from another origin with `token` in place of the cookie.',
        schema: Session.BearerAnswer.partial({ token: true }),
      },
    },
    errors: ['login.failed'],
    example: { token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIyIn0.c2lnbmF0dXJl' },
  },
  'POST /backend/exchange/end': {
    summary: 'Ends the sessions that began by exchange in one session of the CMS.',
    description:
      'Sent by the server of the CMS at logout: a token as for the exchange, with `sid` (the session of the CMS; absent: all sessions of the user) and `use` = `end`.',
    answers: { 204: { description: 'Ended, also where there was no session.' } },
    errors: ['login.failed'],
    example: { token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIyIn0.c2lnbmF0dXJl' },
  },
  'GET /backend/session': {
    summary: 'Who is logged in.',
    answers: { 200: { description: 'The session.', schema: Session.SessionAnswer } },
    example: {},
  },
  'POST /backend/logout': {
    summary: 'Ends the session at once, on every path.',
    answers: { 204: { description: 'Ended.', headers: ['Set-Cookie'] } },
    example: {},
  },
  'GET /backend/pages': {
    summary: 'The page tree, as the user may see it.',
    answers: { 200: { description: 'Pages in the order of the tree.', schema: Cms.PagesAnswer } },
    example: { root: 1 },
  },
  'GET /backend/pages/{uid}': {
    summary: 'A page with its content elements.',
    answers: { 200: { description: 'The page.', schema: Cms.PageAnswer } },
    errors: ['record.notFound'],
    example: { uid: 3 },
  },
  'GET /backend/records': {
    summary: 'The tables that the user may select, with their fields.',
    answers: { 200: { description: 'The tables.', schema: Cms.TablesAnswer } },
    example: {},
  },
  'GET /backend/records/{table}': {
    summary: 'Records of a table, a page at a time.',
    answers: { 200: { description: 'The records.', schema: Cms.RecordsAnswer } },
    errors: ['record.notFound'],
    example: { table: 'content', page: 3, limit: 50, offset: 0 },
  },
  'POST /backend/records/{table}': {
    summary: 'Adds a record to a page, always hidden.',
    answers: { 201: { description: 'The record as stored.', schema: Cms.RecordAnswer } },
    errors: ['record.notFound', 'record.notAllowed', 'record.changed'],
    example: {
      table: 'content',
      pid: 3,
      fields: { type: 'text', header: 'Care', body: 'Wipe with a dry cloth.' },
    },
  },
  'GET /backend/records/{table}/{uid}': {
    summary: 'A record with its latest changes.',
    answers: { 200: { description: 'The record.', schema: Cms.RecordAnswer } },
    errors: ['record.notFound'],
    example: { table: 'pages', uid: 3 },
  },
  'POST /backend/records/{table}/{uid}': {
    summary: 'Changes a record, unless another user changed it since it was read.',
    answers: { 200: { description: 'The record as stored.', schema: Cms.RecordAnswer } },
    errors: ['record.notFound', 'record.notAllowed', 'record.changed'],
    example: { table: 'pages', uid: 3, version: '1', fields: { title: 'Aurora desk lamp' } },
  },
  'GET /backend/log': {
    summary: 'Entries of the log, newest first; none for users who may not read it.',
    answers: { 200: { description: 'The entries.', schema: Cms.LogAnswer } },
    example: { level: 'warning', limit: 20 },
  },
}
