import { expect, test } from 'vitest'
import { ToolError } from '../../../../core/base/error.ts'
import { bridge } from '../../../../core/cms/bridge/bridge.ts'
import { ask, type Line } from '../../../../core/cms/bridge/line.ts'
import { CmsFailure } from '../../../../core/cms/cms.ts'

const url = 'https://cms.example/api'
const line = (answer: typeof fetch, more: Partial<Line> = {}): Line => ({
  url,
  keyId: 'k',
  secret: 'secret',
  fetch: answer,
  ...more,
})
const answering = (status: number, body: string, headers = {}): typeof fetch => {
  return async () => new Response(body, { status, headers })
}
const refusing = (status: number, code: string) =>
  answering(status, JSON.stringify({ error: { code, message: 'because' } }))

const failure = async (given: Line): Promise<CmsFailure> => {
  const error = await bridge(given)
    .languages()
    .catch((thrown: unknown) => thrown)
  if (!(error instanceof CmsFailure)) throw error
  return error
}

test.each<[string, typeof fetch, string, string]>([
  [
    'is down',
    () => Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })),
    'cms.unavailable',
    'The CMS at https://cms.example/api cannot be reached: connect ECONNREFUSED.',
  ],
  [
    'fails',
    answering(502, '<h1>Bad Gateway</h1>'),
    'cms.unavailable',
    'The CMS at https://cms.example/api answered 502.',
  ],
  [
    'fails with a page of 5 MB',
    answering(503, 'x'.repeat(5 * 1024 * 1024)),
    'cms.unavailable',
    'The CMS at https://cms.example/api answered 503.',
  ],
  [
    'is behind a proxy that waited too long for it',
    answering(408, '<h1>Request Timeout</h1>'),
    'cms.unavailable',
    'The CMS at https://cms.example/api answered 408.',
  ],
  [
    'has a login page in front of it',
    answering(200, '<html>'),
    'cms.misconfigured',
    'The answer of https://cms.example/api to languages is not JSON of the bridge: something else answers there.',
  ],
  [
    'answers a bare value',
    answering(200, 'null'),
    'cms.misconfigured',
    'The answer of https://cms.example/api to languages is not JSON of the bridge: something else answers there.',
  ],
  [
    'answers in another shape',
    answering(200, '{"result":[{"id":"de"}]}'),
    'cms.misconfigured',
    'The CMS at https://cms.example/api answers languages in another shape: 0.id: Invalid input: expected number, received string',
  ],
  [
    'is somewhere else',
    answering(301, '', { location: 'https://www.cms.example/api' }),
    'cms.misconfigured',
    'https://cms.example/api redirects to https://www.cms.example/api: configure the address that answers.',
  ],
  [
    'has no plugin',
    answering(404, '{"code":"rest_no_route"}'),
    'cms.misconfigured',
    'Nothing answers under https://cms.example/api/aic/v2: another address, or a plugin that is not active or too old.',
  ],
  [
    'is blocked by a firewall',
    answering(403, 'Forbidden'),
    'cms.misconfigured',
    'The CMS at https://cms.example/api answered languages with 403 and no reason.',
  ],
  [
    'is older',
    refusing(404, 'operation.unknown'),
    'cms.misconfigured',
    'The CMS does not know the operation: its version of the bridge is older. (languages: because)',
  ],
  [
    'finds the question in another shape',
    refusing(400, 'request.invalid'),
    'cms.misconfigured',
    'The CMS refuses the shape of languages: because',
  ],
  [
    'does not know the key',
    refusing(401, 'key.unknown'),
    'cms.misconfigured',
    'The CMS does not know this key id: pair the stage and the CMS again. (languages: because)',
  ],
  [
    'has another clock',
    refusing(401, 'time.outside'),
    'cms.misconfigured',
    'The clocks of the stage and the CMS differ by more than 60 seconds. (languages: because)',
  ],
])('a CMS that %s gets a sentence of its own', async (_what, answer, code, message) => {
  const { code: given, message: told } = await failure(line(answer))

  expect({ code: given, message: told }).toEqual({ code, message })
})

test('a CMS that is slow is given up after twice its time, and the time is named', async () => {
  let asked = 0
  const slow: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      asked++
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })

  expect((await failure(line(slow, { timeoutMs: 50 }))).message).toBe(
    'The CMS at https://cms.example/api did not answer within 0.05 seconds.',
  )
  expect(asked).toBe(2)
})

test('what passes by itself is asked three times, a wrong set-up once', async () => {
  const counted = async (answer: typeof fetch) => {
    let calls = 0
    await failure(
      line((...given) => {
        calls++
        return answer(...given)
      }),
    )
    return calls
  }

  expect([await counted(answering(503, '')), await counted(refusing(401, 'signature.wrong'))]).toEqual([3, 1])
})

test.each([
  'http://cms.example',
  'http://127.0.0.1.example',
  'http://localhost.example',
  'ftp://cms.example',
  'https://cms.example/',
  'https://cms.example/?rest_route=',
])('the address %s is refused before anything is sent', (address) => {
  expect(() => bridge(line(answering(200, ''), { url: address }))).toThrow(CmsFailure)
})

test.each(['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:80/x', 'https://cms.example/wp-json'])(
  'the address %s may be asked',
  async (address) => {
    expect(await ask(line(answering(200, '{"result":null}'), { url: address }), 'user', 0, {})).toBeNull()
  },
)

test('an answer that is too long is not read to its end, and the model may ask for less', async () => {
  let sent = 0
  const endless = new ReadableStream({
    pull: (controller) => {
      sent += 65_536
      controller.enqueue(new Uint8Array(65_536))
    },
  })

  await expect(
    ask(
      line(async () => new Response(endless)),
      'search',
      2,
      {},
    ),
  ).rejects.toBeInstanceOf(ToolError)
  expect(sent).toBeLessThan(6 * 1024 * 1024)
})

test('an empty list is taken for an empty object, as PHP writes it', async () => {
  const actor = { uid: 2, username: 'e', name: 'E', isAdmin: false, groups: ['editor'], lang: 'de' }
  const cms = bridge(line(answering(200, '{"result":[]}')))

  expect(await cms.facts(actor)).toEqual({})
})
