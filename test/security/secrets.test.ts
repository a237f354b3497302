import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
const secrets: [name: string, secret: string][] = [
  ['a key of Anthropic', `sk-${'ant-api03-'}${letters}`],
  ['a key of OpenAI', `sk-${'proj-'}${letters}`],
  ['a key id of AWS', `AK${'IAIOSFODNN7EXAMPLE'}`],
  ['a token of GitHub', `gh${'p_'}${letters}`],
  ['a token of Slack', `xo${'xb-123456789012-abcdefABCDEF'}`],
  ['a web token', `ey${'JhbGciOiJIUzI1NiJ9'}.eyJzdWIiOiIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g`],
  ['a password in an address', `postgres://app:${letters.slice(0, 12)}@db.internal/site`],
  ['a named password', `DB_PASSWORD=${letters.slice(0, 16)}`],
]
/** The part of it that must stay secret; names and hosts may stay. */
const core = (secret: string) => /[:=]([A-Za-z]{12,})/.exec(secret)?.[1] ?? secret

describe.each(secrets)('%s', (_, secret) => {
  test('in a record reaches neither model nor table of the chat', async () => {
    await bench.edit('content', 1, { body: `<p>The value is ${secret} today.</p>` })
    bench.api.reply({ calls: [{ name: 'get_page_content', arguments: { page: 3 } }] }, { text: 'Read.' })

    const { messages, activity } = await admin.turn('What is on the page?')

    expect(messages.find(({ role }) => role === 'tool')?.content).toContain('[redacted]')
    const left = [messages, activity, await scan(), bench.api.requests.map(({ body }) => body)]
    expect(JSON.stringify(left)).not.toContain(core(secret))
  })

  test('in an error of the provider is shown to no user, administrators included', async () => {
    const message = `Invalid request for ${secret}`
    bench.api.reply({ fault: 'status', status: 400, message })

    const { conversation } = await admin.turn('Hello')

    expect(conversation).toMatchObject({ status: 'failed', errorCode: 'model.rejected' })
    expect(conversation.errorMessage).toContain('[redacted]')
    expect(JSON.stringify([conversation, await scan()])).not.toContain(core(secret))
  })
})

test('in an error, its stack and its causes they do not get into the log', async () => {
  const program = `
    import * as Log from '${new URL('../../core/log.ts', import.meta.url)}'
    for (const secret of JSON.parse(process.argv[1]))
      Log.error('It went wrong', new Error('Not with ' + secret, { cause: new Error(secret) }))`
  const all = JSON.stringify(secrets.map(([, secret]) => secret))

  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program, all],
    { env: { ...process.env, POWERTOOLS_LOG_LEVEL: 'ERROR' } },
  )

  expect(stderr.match(/It went wrong/g)).toHaveLength(secrets.length)
  for (const [, secret] of secrets) expect(stderr).not.toContain(core(secret))
})
