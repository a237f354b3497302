import * as z from 'zod'
import type { Actor } from '../../actor.ts'
import { ToolError } from '../../error.ts'
import type { Cms } from '../cms.ts'
import { type Input, type Operation, operations, type Refusal } from './operation.ts'
import { headers, verify, windowMs } from './signature.ts'

/** What a CMS needs to offer the bridge. */
export type ServerOptions = {
  /** Address of the bridge, as the other side has it configured. */
  base: string
  /** Keys by their id; two at a time while one is being replaced. */
  keys: ReadonlyMap<string, string>
  /** Notes a nonce until then, in milliseconds since the epoch; false when it was used before. */
  spend(nonce: string, until: number): Promise<boolean>
  now(): number
}

/** A request as any HTTP server has it; `headers` by lower-case name. */
export type BridgeRequest = { operation: string; headers: Record<string, string | undefined>; body: string }
export type BridgeAnswer = { status: number; body: string }

const Signed = z.object({
  [headers.key]: z.string().min(1).max(64),
  [headers.time]: z.coerce.number().int(),
  [headers.nonce]: z.string().min(16).max(64),
  [headers.user]: z.coerce.number().int().nonnegative(),
  [headers.signature]: z.string().length(64),
})

/**
 * The other end of the bridge, in front of any CMS that implements the port: checks who asks, sets the acting user for
 * this request alone, and lets the CMS decide. The reference for bridges in other languages, and for their tests.
 */
export async function answer(
  cms: Cms,
  options: ServerOptions,
  request: BridgeRequest,
): Promise<BridgeAnswer> {
  const user = await authenticate(options, request)
  if (user === undefined)
    return refuse(401, 'request.unsigned', 'The request is not signed, or not any more.')
  if (!Object.hasOwn(operations, request.operation))
    return refuse(404, 'operation.unknown', request.operation)
  const operation = request.operation as Operation
  const input = operations[operation].input.safeParse(json(request.body))
  if (!input.success) return refuse(400, 'request.invalid', z.prettifyError(input.error))
  const actor = user > 0 ? await cms.user(user) : undefined
  if (!actor && operation !== 'user' && operation !== 'languages')
    return refuse(403, 'user.unknown', 'There is no such user, or not now.')
  try {
    const result = await run(cms, operation, actor as Actor, input.data)
    return { status: 200, body: JSON.stringify(result ?? null) }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return refuse(422, 'tool.refused', error.message)
  }
}

async function authenticate(options: ServerOptions, request: BridgeRequest): Promise<number | undefined> {
  const parsed = Signed.safeParse(request.headers)
  if (!parsed.success) return undefined
  const given = parsed.data
  const key = options.keys.get(given[headers.key])
  const [time, nonce, user] = [given[headers.time], given[headers.nonce], given[headers.user]]
  const signed = { base: options.base, operation: request.operation, keyId: given[headers.key] }
  if (!key || !verify(key, { ...signed, time, nonce, user, body: request.body }, given[headers.signature]))
    return undefined
  if (Math.abs(options.now() - time) > windowMs) return undefined
  // Kept for as long as the same request could come again.
  return (await options.spend(nonce, time + 2 * windowMs)) ? user : undefined
}

type Handlers = { [K in Operation]: (cms: Cms, actor: Actor, input: Input<K>) => Promise<unknown> }

const handlers: Handlers = {
  user: (cms, _, { uid }) => cms.user(uid),
  languages: (cms) => cms.languages(),
  page: (cms, actor, { uid }) => cms.page(actor, uid),
  'page-tree': (cms, actor, query) => cms.pageTree(actor, query),
  'page-content': (cms, actor, { uid }) => cms.pageContent(actor, uid),
  tables: (cms, actor) => cms.tables(actor),
  search: (cms, actor, query) => cms.search(actor, query),
  list: (cms, actor, query) => cms.list(actor, query),
  record: (cms, actor, { table, uid }) => cms.record(actor, table, uid),
  history: (cms, actor, { table, uid, limit }) => cms.history(actor, table, uid, limit),
  log: (cms, actor, query) => cms.log(actor, query),
  exception: (cms, actor, { index }) => cms.exception(actor, index),
  users: (cms, actor) => cms.users(actor),
  facts: (cms, actor) => cms.facts(actor),
  preview: (cms, actor, { write, earlier }) => cms.preview(actor, write, earlier),
  write: (cms, actor, { write, ...options }) => cms.write(actor, write, options),
  settle: (cms, actor, { key }) => cms.settle(actor, key),
  'changes-of': (cms, actor, { runId }) => cms.changesOf(actor, runId),
  undo: (cms, actor, { runId, now }) => cms.undo(actor, runId, now),
}

/** The input was parsed by the schema of the same operation. */
function run(cms: Cms, operation: Operation, actor: Actor, input: unknown): Promise<unknown> {
  const handle = handlers[operation] as (cms: Cms, actor: Actor, input: unknown) => Promise<unknown>
  return handle(cms, actor, input)
}

function refuse(status: number, code: Refusal['error']['code'], message: string): BridgeAnswer {
  return { status, body: JSON.stringify({ error: { code, message } } satisfies Refusal) }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Refused by the schema, like JSON of another shape.
    return undefined
  }
}
