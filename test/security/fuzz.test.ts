import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Route } from '../../functions/http/routes.ts'
import type { Answered, Call } from '../support/call.ts'
import {
  codeOf,
  definitions,
  named,
  nameOf,
  type Refusal,
  rightRequest,
  type Service,
  startService,
} from './service.ts'

/** Whatever a request holds, it is answered in the form of the contract, and what the schema refuses is refused. */

let service: Service
let mine: { conversationId: string; fileUid: number }
let credentials: Pick<Call, 'headers' | 'cookies'>
let administrator: typeof credentials

beforeAll(async () => {
  service = await startService()
  const editor = await service.bench.login('editor')
  const { conversation } = await editor.send('Hello')
  mine = { conversationId: conversation.id, fileUid: 1 }
  const { token, csrfToken } = await service.session(2)
  credentials = { cookies: [`be_session=${token}`], headers: { 'x-csrf-token': csrfToken } }
  const another = await service.session(1)
  administrator = {
    cookies: [`be_session=${another.token}`],
    headers: { 'x-csrf-token': another.csrfToken },
  }
})
afterAll(() => service.bench.stop())

const numRuns = 60
// What ends the session of the other runs, or locks its address, has tests of its own.
const fuzzed = named.filter(({ name }) => !/logout|login|exchange/.test(name))

const Plain = z.strictObject({
  error: z.strictObject({
    code: z.string().regex(/^[a-z][a-zA-Z]*\.[a-zA-Z]+$/),
    message: z.string().min(1).max(500),
    requestId: z.string().min(1),
    retryAfterMs: z.number().positive().optional(),
    fields: z.record(z.string().max(200), z.string().max(300)).optional(),
  }),
})

/** The same as an error of JSON-RPC, where a program calls. */
const Rpc = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  error: z.strictObject({
    code: z.number().int(),
    message: Plain.shape.error.shape.message,
    data: Plain.shape.error.omit({ message: true }),
  }),
})

/** A refusal by OAuth, where a program asks for access. */
const OAuth = z.strictObject({
  error: z.string().regex(/^[a-z_]+$/),
  error_description: z.string().min(1).max(1_000).optional(),
})

/** A page, where a person is asked whether a program may have access. */
const Page = z.string().startsWith('<!doctype html>').max(20_000)

/** The body of a refusal of each kind of route. */
function refusalOf(route: Route): z.ZodType {
  if (route.access === 'token') return Rpc
  const definition = definitions[nameOf(route)]
  if (definition?.refusal) return OAuth
  const hasPage = Object.values(definition?.answers ?? {}).some((answer) => answer?.type === 'text/html')
  return hasPage ? z.union([Page, Plain]) : Plain
}

/** The code of a refusal in the form of its route; a page has none. */
function refusedWith({ status, body }: Answered<unknown>): [number, string] {
  if (typeof body === 'string') return [status, 'request.invalid']
  const { error } = body as Refusal | z.infer<typeof OAuth>
  if (typeof error === 'string') return [status, error.startsWith('invalid_') ? 'request.invalid' : error]
  return [status, codeOf(error)]
}

/** What gets into logs and onto screens although it should not. */
const leaks =
  /\bat .+\.ts:\d+|node_modules|chat-[0-9a-f]{12}|cms-[0-9a-f]{12}|127\.0\.0\.1|Exception|key-of-the-test/

/** Holds for every answer to every request. */
function judge(route: Route, { status, body, headers }: Answered<unknown>) {
  expect(status).toBeGreaterThanOrEqual(200)
  expect(status).toBeLessThan(500)
  expect(headers['x-request-id']).toBeTruthy()
  if (status < 400) return
  const { data, error } = refusalOf(route).safeParse(body)
  expect(error).toBeUndefined()
  expect(wordsOf(data)).not.toMatch(leaks)
}

/** The words of a refusal that somebody reads. */
function wordsOf(refusal: unknown): string {
  if (typeof refusal === 'string') return refusal
  const said = refusal as Refusal | z.infer<typeof OAuth>
  return 'error_description' in said ? (said.error_description ?? '') : JSON.stringify(said.error)
}

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '\u0000',
    '\ud800',
    '../../etc/passwd',
    "' OR 1=1 --",
    '{{7*7}}',
    '<script>alert(1)</script>',
    '1-00000000000000000000000000',
    '2-#message#00000000',
    'x'.repeat(60_000),
    '9'.repeat(400),
    '%2e%2e%2f',
    '\u202Egnp.exe',
  ),
)
const value = fc.oneof(
  nasty,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER, true, null),
)

/** A right input with some fields replaced, removed or added. */
function mutated(right: object): fc.Arbitrary<Record<string, unknown>> {
  const names = [...Object.keys(right), 'conversationId', 'fileUid', 'viewContext', '__proto__', 'more']
  const change = fc.record({ name: fc.oneof(fc.constantFrom(...names), nasty), value })
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const mutated = new Map<string, unknown>(Object.entries(right))
    for (const { name, value } of changes) mutated.set(name, value)
    return Object.fromEntries(mutated)
  })
}

function inputOf(route: Route): { right: object; path: string } {
  const { body, query, path = route.path } = rightRequest(route, mine)
  return { right: (body ?? query ?? {}) as object, path }
}

describe.each(fuzzed)('$name', ({ route }) => {
  test('answers any input in the form of the contract, and refuses what its schema refuses', async () => {
    const { right, path } = inputOf(route)
    const schema = definitions[nameOf(route)]?.input ?? z.never()
    await fc.assert(
      fc.asyncProperty(mutated(right), async (input) => {
        const isGet = route.method === 'GET'
        const texts = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, textOf(value)]))
        const sent = isGet ? { query: texts } : { body: input }
        const who = route.access === 'administrator' ? administrator : credentials
        const answer = await service.ask(route, { path, ...sent, ...who })
        judge(route, answer)
        const isUpload = route.path === '/ai-chat/file-upload'
        const params = path === route.path ? {} : { table: 'news', uid: '3' }
        // What JSON and UTF-8 make of the input is what the service sees.
        const seen = isGet ? texts : wellFormed(input)
        const isRight = isUpload || schema.safeParse({ ...seen, ...paramsOf(route, params) }).success
        if (!isRight) expect(refusedWith(answer)).toEqual([400, 'request.invalid'])
      }),
      { numRuns },
    )
  })
})

const textOf = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value))
const wellFormed = (input: unknown) =>
  JSON.parse(JSON.stringify(input), (_, value) => (typeof value === 'string' ? value.toWellFormed() : value))

/** Those of the parameters that the path of the route names. */
function paramsOf(route: Route, params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => route.path.includes(`{${name}}`)))
}

test('any body, of any type, is answered in the form of the contract', async () => {
  const posts = fuzzed.filter(({ route }) => route.method === 'POST').map(({ route }) => route)
  const type = fc.constantFrom(
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    '',
    'application/json; charset=x',
  )
  const text = fc.oneof(
    nasty,
    fc.json(),
    fc.constantFrom('{', '[]', '"x"', 'null', '--x\r\n\r\n', '{"a":'.repeat(3_000)),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...posts),
      type,
      text,
      fc.boolean(),
      async (route, type, text, isBase64) => {
        const { path } = inputOf(route)
        const headers = { ...credentials.headers, 'content-type': type }
        judge(
          route,
          await service.raw(
            route,
            { path, ...credentials, headers },
            { body: text, isBase64Encoded: isBase64 },
          ),
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('any path, query and header is answered in the form of the contract', async () => {
  const path = fc.oneof(
    nasty.map((text) => `/ai-chat/${encodeURI(text.toWellFormed())}`),
    fc.constantFrom(
      '/backend/records/%00/%',
      '/backend/pages/%E0%A4%A',
      '//evil.example/backend',
      '/backend/pages/-1',
    ),
  )
  const name = fc.constantFrom(
    'idempotency-key',
    'authorization',
    'accept-language',
    'x-csrf-token',
    'origin',
    'cookie',
  )
  await fc.assert(
    fc.asyncProperty(
      path,
      nasty,
      name,
      nasty,
      fc.constantFrom('GET', 'POST', 'PATCH'),
      async (path, query, name, header, method) => {
        const route = { ...(named[0]?.route as Route), method: method as never }
        const headers = { ...credentials.headers, [name]: header }
        judge(
          route,
          await service.raw(
            route,
            { path: '/', ...credentials, headers },
            { rawPath: path, rawQueryString: query },
          ),
        )
      },
    ),
    { numRuns: 300 },
  )
})

test.each(['', ' ', 'ä', 'a b', 'x'.repeat(65), '../x', 'a\nb'])(
  'the idempotency key %j is refused',
  async (key) => {
    const route = named.find(({ name }) => name === 'POST /ai-chat/conversations/create')?.route as Route
    const headers = { ...credentials.headers, 'idempotency-key': key }
    const { status, body } = await service.ask(route, { body: {}, ...credentials, headers })
    expect([status, body.error.code]).toEqual([400, 'request.invalid'])
  },
)
