import * as z from 'zod'
import type { Actor } from '../../base/actor.ts'
import { ToolError } from '../../base/error.ts'
import { parsedJson } from '../../base/json.ts'
import type { Cms } from '../cms.ts'
import * as Protocol from '../operation.ts'
import { type UserId, UserText } from '../user-number/schema.ts'
import { headers, protocolVersion, verify, windowMs } from './signature.ts'

/** The address, the keys and the store of nonces that a CMS needs to offer the bridge. */
export type ServerOptions = {
  /** Address of the bridge, as the other side has it configured. */
  base: string
  /** Keys by their id; two keys while one replaces the other. */
  keys: ReadonlyMap<string, string>
  /** Stores a nonce until that time, in milliseconds since the epoch; false if it was used before. */
  spend(nonce: string, until: number): Promise<boolean>
  now(): number
}

/** The parts of an HTTP request that the bridge reads; names of `headers` are lower case. */
export type BridgeRequest = { operation: string; headers: Record<string, string | undefined>; body: string }
type BridgeAnswer = { status: number; body: string }

const whole = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,15})$/)
  .transform(Number)

/** The acting user: a number in most CMSs, else a text. */
const acting = z.union([whole, UserText])

const Signed = z.object({
  [headers.key]: z.string().min(1).max(64),
  [headers.time]: whole,
  [headers.nonce]: z.string().regex(/^[\x21-\x7e]{16,64}$/),
  [headers.user]: acting,
  [headers.signature]: z.string().regex(/^[0-9a-f]{64}$/),
})

/** The result of one call: the status that the call would have outside a batch, and its body. */
type Called = { status: number; body: { result: unknown } | Protocol.Refusal }

/**
 * Answers a request of the bridge, for any CMS that implements the port. Authenticates the request, sets the acting
 * user for this request only, and lets the CMS decide. This is the reference for bridges in other languages and for
 * their tests.
 */
export async function answer(
  cms: Cms,
  options: ServerOptions,
  request: BridgeRequest,
): Promise<BridgeAnswer> {
  const asking = await authenticate(options, request)
  if ('status' in asking) return sent(asking)
  const { operation, body } = request
  if (operation === 'hello') return sent(await greet(cms, options, asking.keyId))
  if (operation === 'batch') return sent(await inBatch(cms, asking.user, parsedJson(body)))
  return sent(await one(cms, asking.user, operation, parsedJson(body)))
}

/** Returns the acting user and the id of the signing key, or the refusal. */
async function authenticate(
  options: ServerOptions,
  request: BridgeRequest,
): Promise<{ user: UserId; keyId: string } | Called> {
  const parsed = Signed.safeParse(request.headers)
  if (!parsed.success) return refuse(401, 'request.unsigned', 'A header is missing or not valid.')
  const given = parsed.data
  const [keyId, time, nonce, user] = [
    given[headers.key],
    given[headers.time],
    given[headers.nonce],
    given[headers.user],
  ]
  const key = options.keys.get(keyId)
  if (!key) return refuse(401, 'key.unknown', 'No key has this id.')
  const { operation, body } = request
  const signed = { base: options.base, operation, keyId, time, nonce, user, body }
  if (!verify(key, signed, given[headers.signature]))
    return refuse(401, 'signature.wrong', 'Another key, another base address, or a changed request.')
  // A client sends `hello` to measure the difference of the clocks; a repeat gets the same answer.
  if (operation === 'hello') return { user, keyId }
  if (Math.abs(options.now() - time) > windowMs)
    return refuse(401, 'time.outside', `The time here is ${options.now()}.`)
  // The nonce is kept while a repeat of the same request would still be valid.
  if (!(await options.spend(nonce, time + 2 * windowMs)))
    return refuse(401, 'nonce.used', 'This request came before.')
  return { user, keyId }
}

async function greet(cms: Cms, { base, now }: ServerOptions, keyId: string): Promise<Called> {
  const { name, version } = await cms.capabilities()
  const result: Protocol.Greeting = { base, time: now(), keyId, name, version, protocols: [protocolVersion] }
  return { status: 200, body: { result } }
}

/** Runs the calls one after the other; a refused call does not stop the next one. */
async function inBatch(cms: Cms, user: UserId, body: unknown): Promise<Called> {
  const batch = Protocol.Batch.safeParse(body)
  if (!batch.success) return refuse(400, 'request.invalid', z.prettifyError(batch.error))
  const result: Called['body'][] = []
  for (const { operation, input } of batch.data.calls) {
    const called = Protocol.isAlone(operation, input)
      ? refuse(400, 'request.invalid', `${operation} is asked alone.`)
      : await one(cms, user, operation, input)
    result.push(called.body)
  }
  return { status: 200, body: { result } }
}

async function one(cms: Cms, user: UserId, name: string, body: unknown): Promise<Called> {
  if (!Object.hasOwn(Protocol.operations, name)) return refuse(404, 'operation.unknown', name)
  const operation = name as Protocol.Operation
  const input = Protocol.operations[operation].input.safeParse(body)
  if (!input.success) return refuse(400, 'request.invalid', z.prettifyError(input.error))
  const actor = user !== 0 && !Protocol.anonymous.has(operation) ? await userOf(cms, user) : undefined
  if (!actor && !Protocol.anonymous.has(operation))
    return refuse(403, 'user.unknown', 'There is no such user, or not now.')
  try {
    return { status: 200, body: { result: (await run(cms, operation, actor, input.data)) ?? null } }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return refuse(422, 'tool.refused', error.message)
  }
}

/** Returns the user with an id of this CMS. A CMS with text ids knows no user by number, and vice versa. */
function userOf(cms: Cms, id: UserId): Promise<Actor | undefined> {
  return typeof id === 'string' ? cms.userNamed(id) : cms.user(id)
}

/** Runs one operation. The schema of the same operation has already parsed `input`. */
async function run(
  cms: Cms,
  operation: Protocol.Operation,
  actor: Actor | undefined,
  input: unknown,
): Promise<unknown> {
  if (operation === 'capabilities' || operation === 'languages') return cms[operation]()
  if (operation === 'user') {
    const { uid } = input as Protocol.Input<'user'>
    const user = await userOf(cms, uid)
    return user && { ...user, uid }
  }
  if (!actor) throw new Error(`${operation} acts for a user`)
  return cms[operation](actor, input as never)
}

function refuse(status: number, code: Protocol.RefusalCode, message: string): Called {
  return { status, body: { error: { code, message } } }
}

function sent({ status, body }: Called): BridgeAnswer {
  const text = JSON.stringify(body)
  if (Buffer.byteLength(text) <= Protocol.maxAnswerBytes) return { status, body: text }
  const { body: tooLarge } = refuse(422, 'answer.tooLarge', 'The answer is too large. Ask for less.')
  return { status: 422, body: JSON.stringify(tooLarge) }
}
