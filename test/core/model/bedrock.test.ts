import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { bedrock } from '../../../core/model/bedrock.ts'
import { createModel } from '../../../core/model/create.ts'
import { limits, type ModelRequest } from '../../../core/model/model.ts'
import { events } from '../../../core/model/wire/reply.ts'
import { validate } from '../../../core/model/wire/validate.ts'
import { model as modelRecord, provider as providerRecord } from '../../support/settings.ts'

const profile = 'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2'
process.env.AI_CHAT_MODEL_PROFILES = JSON.stringify({ 'eu.anthropic.claude-opus-5': profile })

const received: { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }[] = []
const replies: { status: number; body: string; type: string }[] = []

/** A gateway in front of Bedrock whose answers the test chooses; events instead of AWS's frames are what the SDK allows it. */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = JSON.parse(Buffer.concat(chunks).toString())
  received.push({ path: request.url ?? '', headers: request.headers, body })
  const {
    status,
    body: text,
    type,
  } = replies.shift() ?? { status: 500, body: '{}', type: 'application/json' }
  response.writeHead(status, { 'content-type': type }).end(text)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => server.close())

const id = 'global.anthropic.claude-sonnet-5-5'
const model = bedrock({
  about: { provider: 'Bedrock', model: id, isAI: true },
  capabilities: ['tools'],
  limits: limits({ contextTokens: 200_000, maxOutputTokens: 64_000 }, 'bedrock'),
  region: 'eu-central-1',
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  random: () => 0,
})
const hello: ModelRequest = {
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  tools: [],
  toolChoice: 'auto',
  maxTokens: 100,
}
const ask = () => model.ask(hello, new AbortController().signal)

function stream(text: string) {
  const request = { model: id, max_tokens: 100, messages: [] }
  const reply = {
    content: [{ type: 'text' as const, text }],
    stop: 'end_turn' as const,
    usage: { input: 4, output: 2 },
  }
  return { status: 200, type: 'text/event-stream', body: events('msg_1', request, reply).join('') }
}

const json = (status: number, message: string) => ({
  status,
  type: 'application/json',
  body: JSON.stringify({ message }),
})

test('signs with the role, and puts the model into the path', async () => {
  replies.push(stream('Hello from Frankfurt'))

  expect(await ask()).toEqual({
    text: 'Hello from Frankfurt',
    calls: [],
    stop: 'end',
    usage: { input: 4, output: 2, cacheRead: 0, cacheWrite: 0 },
  })
  const { path, headers, body } = received[0] ?? { path: '', headers: {}, body: {} }
  const { anthropic_version, ...rest } = body
  expect(path).toBe('/model/global.anthropic.claude-sonnet-5-5/invoke-with-response-stream')
  expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=local\/\d{8}\/eu-central-1\/bedrock\//)
  expect(anthropic_version).toBe('2026-10-21')
  expect(validate({ ...rest, model: id }).ok).toBe(true)
})

test.each([
  ['global.anthropic.claude-sonnet-5-5', null, '2026-10-21'],
  ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', null, 'bedrock-2023-05-31'],
  ['global.anthropic.claude-sonnet-5-5', '2027-01-01', '2027-01-01'],
])('asks %s, for which the settings say %j, by version %s', async (modelId, apiVersion, version) => {
  replies.push(stream('Yes'))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made = await createModel(
    providerRecord({ adapter: 'bedrock', baseUrl }),
    modelRecord({ modelId, apiVersion }),
    undefined,
  )
  await made.ask(hello, new AbortController().signal)

  expect(received.at(-1)?.body.anthropic_version).toBe(version)
})

test('asks by the profile of the stage where it has one for the model, which keeps its name', async () => {
  replies.push(stream('Yes'))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made = await createModel(
    providerRecord({ adapter: 'bedrock', baseUrl }),
    modelRecord({ modelId: 'eu.anthropic.claude-opus-5' }),
    undefined,
  )
  await made.ask(hello, new AbortController().signal)

  expect(decodeURIComponent(received.at(-1)?.path ?? '')).toBe(
    `/model/${profile}/invoke-with-response-stream`,
  )
  expect(received.at(-1)?.path).not.toContain(profile)
  expect(made.about.model).toBe('eu.anthropic.claude-opus-5')
})

test.each([
  [400, 'Input is too long for requested model.', 'model.tooLarge'],
  [400, 'The provided model identifier is invalid.', 'model.rejected'],
  [403, 'You do not have access to the model with the specified model ID.', 'model.unauthorized'],
])('means by %i “%s” %s', async (status, message, code) => {
  replies.push(json(status, message))

  await expect(ask()).rejects.toMatchObject({ code, message: `${status}: ${message}` })
})

test('is asked again when it throttles', async () => {
  replies.push(json(429, 'Too many requests'), stream('Now'))

  expect((await ask()).text).toBe('Now')
})
