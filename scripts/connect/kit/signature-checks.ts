import { randomUUID } from 'node:crypto'
import { parsedJson } from '../../../core/base/json.ts'
import { inspect } from '../../../core/cms/bridge/hello.ts'
import type { Line } from '../../../core/cms/bridge/line.ts'
import { headers, type Signed, sign } from '../../../core/cms/bridge/signature.ts'
import type { UserId } from '../../../core/cms/user-number/schema.ts'
import { always, type Check, checksOf, expects, isSame } from './bench.ts'

/** The connection of a check's requests, and the id of their user in the CMS. */
type Wire = { line: Line; writer: UserId }

/**
 * The differences of a request from a valid one. `secret` is the key that signs the request. After signing, `named`
 * replaces headers, and `sent` replaces the body.
 */
type SignatureChange = Partial<Signed> & {
  secret?: string
  named?: Record<string, string | null>
  sent?: string
}
type Answered = { status: number; body: { result?: unknown; error?: { code: string } } | undefined }

/** Sends one request with the given changes, without a retry. */
async function send({ line, writer }: Wire, change: SignatureChange = {}): Promise<Answered> {
  const { secret = line.secret, named = {}, sent, ...other } = change
  const { url: base, keyId } = line
  const once = { time: Date.now(), nonce: randomUUID() }
  const signed: Signed = { base, keyId, ...once, operation: 'tables', user: writer, body: '{}', ...other }
  const all: Record<string, string | null> = {
    'content-type': 'application/json',
    [headers.key]: signed.keyId,
    [headers.time]: String(signed.time),
    [headers.nonce]: signed.nonce,
    [headers.user]: String(signed.user),
    [headers.signature]: sign(secret, signed),
    ...named,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)
  const response = await (line.fetch ?? fetch)(`${base}/aic/v2/${signed.operation}`, {
    method: 'POST',
    headers: given,
    body: sent ?? signed.body,
    redirect: 'manual',
    signal: AbortSignal.timeout(20_000),
  })
  // A body that is not JSON becomes undefined, and the checks report it as wrong.
  return { status: response.status, body: parsedJson(await response.text()) as Answered['body'] }
}

const far = 180_000
const unknown = '0123456789abcdef'

/** Returns an id of the same type as `id` that no user of the CMS has. */
const unknownLike = (id: UserId): UserId => (typeof id === 'string' ? 'no-such-user' : 999_999_999)

const codeOf = ({ body }: Answered) => body?.error?.code ?? ''

type Refused = [name: string, status: number, code: string, change: SignatureChange]
const needed = [headers.key, headers.time, headers.nonce, headers.user, headers.signature]

/** Returns changes that make a valid request of a user invalid, each with the error code of its refusal. */
const refusalsOf = (writer: UserId): Refused[] => [
  ...needed.map((name): Refused => [`no ${name}`, 401, 'request.unsigned', { named: { [name]: null } }]),
  ['a nonce that is too short', 401, 'request.unsigned', { nonce: 'short' }],
  ['a key that is not known', 401, 'key.unknown', { keyId: unknown }],
  ['another key', 401, 'signature.wrong', { secret: 'f'.repeat(64) }],
  ['another base address', 401, 'signature.wrong', { base: 'https://other.example/api' }],
  ['another body', 401, 'signature.wrong', { sent: '{ }' }],
  ['another user', 401, 'signature.wrong', { named: { [headers.user]: '999999' } }],
  ['a time long ago', 401, 'time.outside', { time: Date.now() - far }],
  ['a time to come', 401, 'time.outside', { time: Date.now() + far }],
  ['an unknown key before a time long ago', 401, 'key.unknown', { keyId: unknown, time: 1 }],
  ['a wrong signature before a time long ago', 401, 'signature.wrong', { secret: 'f'.repeat(64), time: 1 }],
  ['an operation that is not there', 404, 'operation.unknown', { operation: 'fly' }],
  ['a body that is no JSON', 400, 'request.invalid', { operation: 'record', body: 'rubbish' }],
  ['a body of another shape', 400, 'request.invalid', { operation: 'record', body: '{"table":[]}' }],
  ['a user who is not there', 403, 'user.unknown', { user: unknownLike(writer) }],
  ['no user where one acts', 403, 'user.unknown', { user: 0 }],
  ['a batch without calls', 400, 'request.invalid', { operation: 'batch', body: '{"calls":[]}' }],
]

/** Returns the checks of signatures and of refusals for a CMS over the bridge. */
export const signature = (wire: Wire): Check[] => [
  ...refusalsOf(wire.writer).flatMap(([name, status, code, change]) =>
    checksOf('signature', always, {
      async [`refuses ${name} with ${code}`]() {
        const answer = await send(wire, change)
        const isRight = answer.status === status && codeOf(answer) === code
        expects(isRight, `Has to answer ${status} ${code}`, answer)
      },
    }),
  ),
  ...checksOf('signature', always, {
    async 'hello names base address, clock and key'() {
      const { faults } = await inspect(wire.line)
      expects(faults.length === 0, faults.join(' '))
    },
    async 'takes a nonce once, also of four requests at the same time'() {
      const same = { nonce: randomUUID(), time: Date.now() }
      const answers = await Promise.all([1, 2, 3, 4].map(() => send(wire, same)))
      const codes = answers.map(({ status, body }) => (status === 200 ? 'ok' : body?.error?.code)).sort()
      const isOnce = codes.join() === 'nonce.used,nonce.used,nonce.used,ok'
      expects(isOnce, 'One is answered, three are nonce.used', codes)
    },
    async 'answers a batch in its order, and refuses a write in it alone'() {
      const calls = [
        { operation: 'user', input: { uid: wire.writer } },
        { operation: 'settle', input: { key: randomUUID() } },
        { operation: 'languages', input: {} },
      ]
      const { body } = await send(wire, { operation: 'batch', body: JSON.stringify({ calls }) })
      const [user, settle, languages] = (body?.result ?? []) as NonNullable<Answered['body']>[]
      expects(Object(user?.result).uid === wire.writer, 'The first call is answered first', body)
      expects(settle?.error?.code === 'request.invalid', 'settle is no part of a batch', settle)
      expects(Array.isArray(languages?.result), 'The call after a refused one is made', languages)
    },
    async 'an id of the other kind, a text or a number, names no user'() {
      const other = typeof wire.writer === 'string' ? 1 : 'no-such-user'
      const acting = await send(wire, { user: other })
      expects(/^(user.unknown|request.unsigned)$/.test(codeOf(acting)), 'No user acts', acting)
      const body = JSON.stringify({ uid: other })
      const asked = await send(wire, { operation: 'user', body })
      expects(asked.body?.result === null || codeOf(asked) === 'request.invalid', 'It is no user', asked)
    },
    async 'null is an answer of its own for what is not there'() {
      const uid = unknownLike(wire.writer)
      const { body } = await send(wire, { operation: 'user', body: JSON.stringify({ uid }) })
      expects(isSame(body, { result: null }), 'Answers { "result": null }', body)
    },
  }),
]
