import { randomUUID } from 'node:crypto'
import { inspect } from '../../../core/cms/bridge/hello.ts'
import { headers } from '../../../core/cms/bridge/signature.ts'
import type { UserId } from '../../../core/cms/user-number/schema.ts'
import { expects } from './bench.ts'
import { type Answered, type Change, send, type Wire, type WireCheck } from './wire.ts'

const far = 180_000
const unknown = '0123456789abcdef'

/** An id that no user has, of the kind that users have there. */
const unknownLike = (id: UserId): UserId => (typeof id === 'string' ? 'no-such-user' : 999_999_999)

const codeOf = ({ body }: Answered) => body?.error?.code ?? ''

/** Changes that spoil a good request, each with the code of its refusal. */
const refusals: [name: string, status: number, code: string, change: (wire: Wire) => Change][] = [
  ...[headers.key, headers.time, headers.nonce, headers.user, headers.signature].map(
    (header): (typeof refusals)[number] => [
      `a request without ${header}`,
      401,
      'request.unsigned',
      () => ({ named: { [header]: null } }),
    ],
  ),
  ['a nonce that is too short', 401, 'request.unsigned', () => ({ nonce: 'short' })],
  ['a key that is not known', 401, 'key.unknown', () => ({ keyId: unknown })],
  ['another key', 401, 'signature.wrong', () => ({ secret: 'f'.repeat(64) })],
  ['another base address', 401, 'signature.wrong', () => ({ base: 'https://other.example/api' })],
  ['another body', 401, 'signature.wrong', () => ({ sent: '{ }' })],
  ['another user', 401, 'signature.wrong', () => ({ named: { [headers.user]: '999999' } })],
  ['a time long ago', 401, 'time.outside', () => ({ time: Date.now() - far })],
  ['a time to come', 401, 'time.outside', () => ({ time: Date.now() + far })],
  ['an unknown key before a time long ago', 401, 'key.unknown', () => ({ keyId: unknown, time: 1 })],
  [
    'a wrong signature before a time long ago',
    401,
    'signature.wrong',
    () => ({ secret: 'f'.repeat(64), time: 1 }),
  ],
  ['an operation that is not there', 404, 'operation.unknown', () => ({ operation: 'fly' })],
  ['a body that is no JSON', 400, 'request.invalid', () => ({ operation: 'record', body: 'rubbish' })],
  ['a body of another shape', 400, 'request.invalid', () => ({ operation: 'record', body: '{"table":[]}' })],
  ['a user who is not there', 403, 'user.unknown', ({ writer }) => ({ user: unknownLike(writer) })],
  ['no user where one acts', 403, 'user.unknown', () => ({ user: 0 })],
  ['a batch without calls', 400, 'request.invalid', () => ({ operation: 'batch', body: '{"calls":[]}' })],
]

/** Checks of signatures and of refusals. */
export const signature: WireCheck[] = [
  {
    name: 'hello names base address, clock and key',
    capability: 'signature',
    async run({ line }) {
      const { faults } = await inspect(line)
      expects(faults.length === 0, faults.join(' '))
    },
  },
  ...refusals.map(
    ([name, status, code, change]): WireCheck => ({
      name: `refuses ${name} with ${code}`,
      capability: 'signature',
      async run(wire) {
        const answer = await send(wire, change(wire))
        expects(
          answer.status === status && answer.body?.error?.code === code,
          `Has to answer ${status} ${code}`,
          answer,
        )
      },
    }),
  ),
  {
    name: 'takes a nonce once, also of four requests at the same time',
    capability: 'signature',
    async run(wire) {
      const same = { nonce: randomUUID(), time: Date.now() }
      const answers = await Promise.all([1, 2, 3, 4].map(() => send(wire, same)))
      const codes = answers.map(({ status, body }) => (status === 200 ? 'ok' : body?.error?.code)).sort()
      expects(
        codes.join() === 'nonce.used,nonce.used,nonce.used,ok',
        'One is answered, three are nonce.used',
        codes,
      )
    },
  },
  {
    name: 'answers a batch in its order, and refuses a write in it alone',
    capability: 'signature',
    async run(wire) {
      const calls = [
        { operation: 'user', input: { uid: wire.writer } },
        { operation: 'settle', input: { key: randomUUID() } },
        { operation: 'languages', input: {} },
      ]
      const { body } = await send(wire, { operation: 'batch', body: JSON.stringify({ calls }) })
      const [user, settle, languages] = (body?.result ?? []) as {
        result?: { uid?: UserId }
        error?: { code: string }
      }[]
      expects(user?.result?.uid === wire.writer, 'The first call is answered first', body)
      expects(settle?.error?.code === 'request.invalid', 'settle is no part of a batch', settle)
      expects(Array.isArray(languages?.result), 'The call after a refused one is made', languages)
    },
  },
  {
    name: 'an id of the other kind, a text or a number, names no user',
    capability: 'signature',
    async run(wire) {
      const other = typeof wire.writer === 'string' ? 1 : 'no-such-user'
      const acting = await send(wire, { user: other })
      expects(/^(user.unknown|request.unsigned)$/.test(codeOf(acting)), 'No user acts', acting)
      const body = JSON.stringify({ uid: other })
      const asked = await send(wire, { operation: 'user', body })
      expects(asked.body?.result === null || codeOf(asked) === 'request.invalid', 'It is no user', asked)
    },
  },
  {
    name: 'null is an answer of its own for what is not there',
    capability: 'signature',
    async run(wire) {
      const uid = unknownLike(wire.writer)
      const { body } = await send(wire, { operation: 'user', body: JSON.stringify({ uid }) })
      expects(
        body !== undefined && 'result' in body && body.result === null,
        'Answers { "result": null }',
        body,
      )
    },
  },
]
