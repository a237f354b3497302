import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../../actor.ts'
import { ToolError, VisibleError } from '../../error.ts'
import type { Cms } from '../cms.ts'
import { type Input, type Operation, type Output, operations, Refusal } from './operation.ts'
import { headers, sign } from './signature.ts'

/** Where the CMS is, and with what requests are signed. */
export type BridgeOptions = {
  /** Address of the bridge, without `/aic/v1` and without a slash at the end. */
  url: string
  keyId: string
  secret: string
  fetch?: typeof fetch
}

/** How long one request may take, and how often one is sent that was not answered: every operation bears a repeat. */
const timeoutMs = 10_000
const attempts = 3

/**
 * A CMS elsewhere, over the bridge: the CMS acts as the user whom the request names and decides by its own rights, at
 * the moment of the act. What it does not answer in three attempts is `service.unavailable`.
 */
export function bridge(options: BridgeOptions): Cms {
  const ask = <K extends Operation>(operation: K, actor: Actor | undefined, input: Input<K>) =>
    call(options, operation, actor?.uid ?? 0, input)
  return {
    user: async (uid) => (await ask('user', undefined, { uid })) ?? undefined,
    languages: () => ask('languages', undefined, {}),
    page: async (actor, uid) => (await ask('page', actor, { uid })) ?? undefined,
    pageTree: (actor, query) => ask('page-tree', actor, query),
    pageContent: async (actor, uid) => (await ask('page-content', actor, { uid })) ?? undefined,
    tables: (actor) => ask('tables', actor, {}),
    search: (actor, query) => ask('search', actor, query),
    list: async (actor, query) => (await ask('list', actor, query)) ?? undefined,
    record: async (actor, table, uid) => (await ask('record', actor, { table, uid })) ?? undefined,
    history: async (actor, table, uid, limit) =>
      (await ask('history', actor, { table, uid, limit })) ?? undefined,
    log: (actor, query) => ask('log', actor, query),
    exception: async (actor, index) => (await ask('exception', actor, { index })) ?? undefined,
    users: (actor) => ask('users', actor, {}),
    facts: (actor) => ask('facts', actor, {}),
    preview: (actor, write, earlier) => ask('preview', actor, { write, earlier }),
    write: (actor, write, settings) => ask('write', actor, { write, ...settings }),
    settle: (actor, key) => ask('settle', actor, { key }),
    changesOf: (actor, runId) => ask('changes-of', actor, { runId }),
    undo: (actor, runId, now) => ask('undo', actor, { runId, now }),
  }
}

async function call<K extends Operation>(
  options: BridgeOptions,
  operation: K,
  user: number,
  input: Input<K>,
): Promise<Output<K>> {
  const body = JSON.stringify(input)
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(options, operation, user, body)
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      if (attempt === attempts)
        throw new VisibleError('service.unavailable', { cause: error, retryAfterMs: 1_000 })
      await sleep(100 * 2 ** attempt * Math.random())
    }
  }
}

/** The CMS could not be reached, or said that it is not well. */
class Unanswered extends Error {}

async function once<K extends Operation>(
  { url, keyId, secret, fetch: send = fetch }: BridgeOptions,
  operation: K,
  user: number,
  body: string,
): Promise<Output<K>> {
  const time = Date.now()
  const nonce = randomUUID()
  const response = await send(`${url}/aic/v1/${operation}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [headers.key]: keyId,
      [headers.time]: String(time),
      [headers.nonce]: nonce,
      [headers.user]: String(user),
      [headers.request]: randomUUID(),
      [headers.signature]: sign(secret, { base: url, operation, keyId, time, nonce, user, body }),
    },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw new Unanswered('The CMS could not be reached', { cause })
  })
  const text = await response.text().catch((cause: unknown) => {
    throw new Unanswered('The answer of the CMS broke off', { cause })
  })
  if (response.status >= 500) throw new Unanswered(`The CMS answered ${response.status}`)
  if (!response.ok) throw refused(operation, response.status, text)
  return operations[operation].output.parse(JSON.parse(text)) as Output<K>
}

function refused(operation: Operation, status: number, text: string): Error {
  const refusal = Refusal.safeParse(parsed(text)).data
  if (refusal?.error.code === 'tool.refused') return new ToolError(refusal.error.message)
  return new Error(`The bridge refused ${operation}: ${status} ${refusal?.error.code ?? 'without a reason'}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Whatever stands before the CMS answered in its place.
    return undefined
  }
}
