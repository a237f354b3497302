import '../../support/setup.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { config } from '../../../core/base/config.ts'
import { client } from '../../../core/conversation/queue.ts'
import { routerHeader, routes } from '../../../functions/http/routes.ts'
import { record } from '../../../infra/local/queue.ts'
import { type Call, call } from '../../support/call.ts'
import { seededCms } from '../../support/cms.ts'
import { pdf } from '../../support/documents.ts'
import { type MessagesApi, startMessagesApi } from '../../support/messages-api.ts'
import { model, provider, settings } from '../../support/settings.ts'
import { compileHere, type Ended, type Running, run, runtimeIn } from '../../support/synth/artifacts.ts'
import { type Synth, synth } from '../../support/synth/synth.ts'

/**
 * What the synthesis asked to be packed runs under AWS's own runtime client: each function from its own folder, which it
 * may only read, within the memory and with the environment of the plan alone.
 */

const key = 'key of the test'
const web = [...new Set(routes.map((route) => route.function))]

let api: MessagesApi
let plan: Synth
let folder: string
const running = new Map<string, Running>()

beforeAll(async () => {
  api = await startMessagesApi({ key })
  const own = settings({
    providers: [provider({ adapter: 'anthropic', baseUrl: api.url, secret: 'anthropic' })],
    models: [model({ modelId: 'claude-sonnet-5-5' })],
    accessTokens: { trustZone: 'internal' },
  })
  folder = await mkdtemp(join(tmpdir(), 'ai-chat-artifacts-'))
  const compile = compileHere({ AnthropicSecret: { value: key } })
  plan = await synth('dev', {}, { settings: own, pack: { folder, compile } })
  const client = await runtimeIn(join(folder, 'runtime'))
  for (const { handler } of plan.builds) {
    const name = basename(handler, '.handler')
    running.set(name, await run(plan, folder, client, name))
  }
  await seededCms(Date.now())
})

afterAll(async () => {
  await Promise.all([...running.values()].map((it) => it.stop()))
  await api.stop()
  await rm(folder, { recursive: true, force: true })
})

const of = (name: string) => running.get(name) as Running

/** What a request brings that came through the Router of the plan. */
function throughRouter(): Record<string, string> {
  const { links } = plan.builds[0] ?? {}
  return { [routerHeader]: String(links?.RouterSecret?.value) }
}

function ask<T>(name: string, path: string, { headers, ...options }: Call = {}) {
  return call<T>(of(name).handler, path, { ...options, headers: { ...throughRouter(), ...headers } })
}

test('the settings are stored by the function that a deploy invokes', async () => {
  const { input } = plan.one<{ input: string }>('aws:lambda/invocation:Invocation', 'Settings')

  expect(await of('apply').invoke(JSON.parse(input))).toEqual({ changed: true })
  expect(await of('apply').invoke(JSON.parse(input))).toEqual({ changed: false })
})

test.each(web)('%s answers what came through the Router, and asks who is there', async (name) => {
  const route = routes.find((it) => it.function === name && it.access !== 'public' && it.method === 'GET')
  const path = (route ?? routes.find((it) => it.function === name))?.path.replace(/\{.*\}/, '1') ?? ''
  const options = route ? {} : { body: name === 'mcp' ? { jsonrpc: '2.0' } : {} }

  expect(await ask(name, path, options)).toMatchObject({ status: 401 })
  expect(await call(of(name).handler, path, options)).toMatchObject({ status: 403 })
})

test('a user logs in, uploads a PDF, and a turn reads it to its end', async () => {
  const login = await ask<{ csrfToken: string }>('backend', '/backend/login', {
    body: { username: 'editor', password: 'demo' },
  })
  const who = { cookies: login.cookies, headers: { 'x-csrf-token': login.body.csrfToken } }
  const form = new FormData()
  const bytes = new Uint8Array(await pdf(['The lamp costs 40 euros.']))
  form.set('file', new Blob([bytes], { type: 'application/pdf' }), 'prices.pdf')
  const uploaded = await ask<{ fileUid: number }>('upload', '/ai-chat/file-upload', { ...who, form })
  const { fileUid } = uploaded.body
  api.reply({ text: 'It costs 40 euros.' })
  const sent = await ask<{ conversation: { id: string } }>('send', '/ai-chat/conversations/send', {
    ...who,
    body: { content: 'What does the lamp cost?', fileUid },
  })
  expect(sent.status).toBe(202)

  const { Messages = [] } = await client().send(
    new ReceiveMessageCommand({ QueueUrl: config().queueUrl, MessageSystemAttributeNames: ['All'] }),
  )
  expect(await of('process').invoke({ Records: Messages.map(record) })).toEqual({ batchItemFailures: [] })

  const conversationId = sent.body.conversation.id
  const { body } = await ask<{ messages: { role: string; content: string }[] }>(
    'poll',
    `/ai-chat/conversations/messages?conversationId=${conversationId}`,
    who,
  )
  expect(body.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'What does the lamp cost?'],
    ['assistant', 'It costs 40 euros.'],
  ])
  expect(JSON.stringify(api.requests.map((it) => it.body.messages))).toContain('The lamp costs 40 euros.')
})

test('cleanup runs', async () => {
  expect(await of('cleanup').invoke({})).toMatchObject({ failed: 0, resumed: 0 })
})

describe('when all have ended', () => {
  let ended: [name: string, ended: Ended][]
  beforeAll(async () => {
    ended = await Promise.all(
      [...running].map(async ([name, it]) => [name, await it.stop()] as [string, Ended]),
    )
  })

  test('no function has logged a failure, and every line is JSON: of the log, or a metric', () => {
    const lines = ended.flatMap(([, { log }]) =>
      log
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    )
    const [metrics, events] = [lines.filter((it) => '_aws' in it), lines.filter((it) => !('_aws' in it))]

    expect(events.map(({ level, message }) => [level, message])).toEqual(
      expect.arrayContaining([
        ['INFO', 'Settings were applied'],
        ['INFO', 'A turn ended'],
        ['INFO', 'Cleanup ran'],
      ]),
    )
    expect(events.filter(({ level }) => level !== 'INFO')).toEqual([])
    expect(metrics.length).toBeGreaterThan(0)
  })

  test('none has written where its code is, or held more memory than the plan gives it', () => {
    expect(ended.flatMap(([, { touched }]) => touched)).toEqual([])
    expect(ended.filter(([, { memory }]) => memory.peak > memory.limit)).toEqual([])
  })
})
