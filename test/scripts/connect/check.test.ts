import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { newCode, type Pairing, pairingOf } from '../../../core/cms/bridge/pairing.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import { seededCms } from '../../support/cms.ts'
import { serveCms } from '../../support/cms-server.ts'

const { cms } = await seededCms(Date.now())

/** Runs the command on a CMS, with some of the checks; answers its exit code and what it prints. */
async function check(behind: Cms, only: string, ...more: string[]) {
  const code = newCode('http://127.0.0.1:3000')
  const { keyId, bridgeKey } = pairingOf(code) as Pairing
  const server = await serveCms(behind, new Map([[keyId, bridgeKey]]))
  onTestFinished(() => server.close())
  const line = [
    '--no-warnings',
    'scripts/connect/check.ts',
    server.base,
    '--key',
    code,
    '--only',
    only,
    ...more,
  ]
  const env = { PATH: process.env.PATH, AI_CHAT_DATA: process.env.AI_CHAT_DATA, NO_COLOR: '1' }
  const command = spawn(process.execPath, line, { env })
  const [out, err, [status]] = await Promise.all([
    text(command.stdout),
    text(command.stderr),
    once(command, 'exit'),
  ])
  return { status, out, err }
}

test('a CMS that takes back no new record keeps its sentences, and the records are named', async () => {
  const capabilities = async () => {
    const whole = await cms.capabilities()
    return { ...whole, writes: { ...whole.writes, remove: [] } }
  }
  const { status, out } = await check({ ...cms, capabilities }, 'a write on an old version is a conflict')

  expect(out).toMatch(/^ {2}writing {8}1 of 1$/m)
  expect(out).toMatch(/^ {2}Could not be removed: \w+ \d+$/m)
  expect(status).toBe(0)
})

test('an answer in another shape before the first check is one sentence', async () => {
  const tables = async () => [{ name: 'articles' }] as never
  const { status, out, err } = await check({ ...cms, tables }, 'none')

  expect(out).toMatch(/^ {2}FAIL {2}The CMS at \S+ answers tables in another shape: 0\.label: /m)
  expect(err).toBe('')
  expect(status).toBe(1)
})

test.each([
  ['words that no check has', ['no such words'], 'No check has the words "no such words".'],
  ['a folder that is not there', ['races:', '--watch', '/not/there'], 'There is no folder /not/there.'],
] as const)('%s is a wrong call', async (_, [only, ...more], sentence) => {
  const { status, err } = await check(cms, only, ...more)

  expect([status, err.split('\n')[0]]).toEqual([2, sentence])
})
