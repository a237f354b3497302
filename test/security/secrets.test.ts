import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newCode } from '../../core/cms/bridge/pairing.ts'
import * as AccessToken from '../../core/user/access-token/token.ts'
import { seal } from '../../core/user/connection/seal.ts'
import * as Token from '../../core/user/session/token.ts'
import { type Bench, startBench, type User } from '../support/live.ts'
import { scan } from '../support/scan.ts'

/** Every way on which a secret could leave: what a tool reads, what a provider says, what is logged. */

let bench: Bench
let admin: User

beforeAll(async () => {
  bench = await startBench()
})
beforeEach(async () => {
  bench.api.reset()
  admin = await bench.login('admin')
})
afterAll(() => bench.stop())

/** Put together here, so that no scanner takes this file for a leak. */
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789'
const foreign: [name: string, secret: string][] = [
  ['a key of Anthropic', `sk-${'ant-api03-'}${letters}`],
  ['a key of OpenAI', `sk-${'proj-'}${letters}`],
  ['a key id of AWS', `AK${'IAIOSFODNN7EXAMPLE'}`],
  ['a token of GitHub', `gh${'p_'}${letters}`],
  ['a token of Slack', `xo${'xb-123456789012-abcdefABCDEF'}`],
  ['a web token', `ey${'JhbGciOiJIUzI1NiJ9'}.eyJzdWIiOiIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g`],
  ['a password in an address', `postgres://app:${letters.slice(0, 12)}@db.internal/site`],
  ['a named password', `DB_PASSWORD=${letters.slice(0, 16)}`],
]

/** A text with a secret, and the part of it that must stay secret; names and hosts may stay. */
type Secret = { text: string; core: string }

const foreignSecret = (text: string): Secret => ({
  text,
  core: /[:=]([A-Za-z]{12,})/.exec(text)?.[1] ?? text,
})
/** Each secret that the product makes. */
const issued: [name: string, make: () => Promise<Secret>][] = [
  [
    'an access token',
    async () => endOf((await AccessToken.create({ uid: 2 }, { name: 'x', days: 7 }, Date.now())).token),
  ],
  ['a session', async () => endOf(Token.sign({ uid: 2, sid: 'a'.repeat(32) }))],
  ['a CSRF token', async () => endOf(Token.csrf('a'.repeat(32)))],
  ['a sealed grant', async () => endOf(seal('the grant', '2 shop https://shop.example/mcp'))],
  [
    'a pairing code',
    async () => {
      const text = newCode('https://chat.example')
      return { text, core: text.split('.')[1] ?? '' }
    },
  ],
]
const endOf = (text: string): Secret => ({ text, core: text.slice(-20) })

const secrets: [name: string, make: () => Promise<Secret>][] = [
  ...foreign.map(([name, text]): [string, () => Promise<Secret>] => [name, async () => foreignSecret(text)]),
  ...issued,
]

describe.each(secrets)('%s', (_, make) => {
  let secret: string
  let core: string
  beforeEach(async () => {
    ;({ text: secret, core } = await make())
  })

  test('in a record reaches neither model nor table of the chat', async () => {
    await bench.edit('content', 1, { body: `<p>The value is ${secret} today.</p>` })
    bench.api.reply({ calls: [{ name: 'get_page_content', arguments: { page: 3 } }] }, { text: 'Read.' })

    const { messages, activity } = await admin.turn('What is on the page?')

    expect(messages.find(({ role }) => role === 'tool')?.content).toContain('[redacted]')
    const left = [messages, activity, await scan(), bench.api.requests.map(({ body }) => body)]
    expect(JSON.stringify(left)).not.toContain(core)
  })

  test('in an error of the provider is shown to no user, administrators included', async () => {
    const message = `Invalid request for ${secret}`
    bench.api.reply({ fault: 'status', status: 400, message })

    const { conversation } = await admin.turn('Hello')

    expect(conversation).toMatchObject({ status: 'failed', errorCode: 'model.rejected' })
    expect(conversation.errorMessage).toContain('[redacted]')
    expect(JSON.stringify([conversation, await scan()])).not.toContain(core)
  })
})

test('in an error, its stack and its causes they do not get into the log', async () => {
  const program = `
    import * as Log from '${new URL('../../core/base/log.ts', import.meta.url)}'
    for (const secret of JSON.parse(process.argv[1]))
      Log.error('It went wrong', new Error('Not with ' + secret, { cause: new Error(secret) }))`
  const made = await Promise.all(secrets.map(([, make]) => make()))
  const all = JSON.stringify(made.map(({ text }) => text))

  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program, all],
    { env: { ...process.env, POWERTOOLS_LOG_LEVEL: 'ERROR' } },
  )

  expect(stderr.match(/It went wrong/g)).toHaveLength(secrets.length)
  for (const { core } of made) expect(stderr).not.toContain(core)
})
