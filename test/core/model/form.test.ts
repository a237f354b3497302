import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { ModelError } from '../../../core/model/model.ts'
import { ask, hello } from './asking.ts'

/** A server of any form, right or wrong; counts the requests that it gets. */
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function serve(answer: (response: ServerResponse) => void) {
  const state = { url: '', requests: 0, body: '' }
  const server = createServer((request, response) => {
    state.requests += 1
    state.body = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      state.body += part
    })
    request.on('end', () => answer(response))
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return state
}

const sends = (type: string, body: string) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': type }).end(body)
type Event = { type: string; [field: string]: unknown }
const named = (event: Event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const stream = (...events: Event[]) => sends('text/event-stream', events.map(named).join(''))

const usage = { input_tokens: 9, output_tokens: 1 }
const start = { type: 'message_start', message: { type: 'message', role: 'assistant', content: [], usage } }
const opened = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
const said = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes' } }
const closed = { type: 'content_block_stop', index: 0 }
const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }
const stop = { type: 'message_stop' }
const message = { type: 'message', content: [{ type: 'text', text: 'Yes' }], stop_reason: 'end_turn', usage }

async function failureOf(url: string) {
  const error = await ask(undefined, { baseUrl: url }).catch((error: unknown) => error)
  if (!(error instanceof ModelError)) throw new Error('There was an answer', { cause: error })
  return { code: error.code, message: error.message }
}

describe('an answer of a form that is nearly right', () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ['as it should be', stream(start, opened, said, closed, ended, stop)],
    ['whole, as JSON', sends('application/json', JSON.stringify(message))],
    ['with its first event twice', stream(start, start, opened, said, closed, ended, stop)],
    ['without its last event', stream(start, opened, said, closed, ended)],
    ['without usage', stream({ ...start, message: {} }, opened, said, { ...ended, usage: null }, stop)],
    ['with unknown events', stream(start, { type: 'news' }, opened, said, closed, ended, stop)],
    [
      'with what a chat server puts at the end',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`: hello\n\n${[start, opened, said, ended, stop].map(named).join('')}data: [DONE]\n\n`)
      },
    ],
  ])('is read: %s', async (_, answer) => {
    const server = await serve(answer)

    expect(await ask(undefined, { baseUrl: server.url })).toMatchObject({
      text: 'Yes',
      calls: [],
      stop: 'end',
    })
    expect(server.requests).toBe(1)
  })
})

describe('an answer of a wrong form', () => {
  test.each<[string, (response: ServerResponse) => void, string]>([
    ['a page', sends('text/html; charset=utf-8', '<html>Log in</html>'), 'sent a page (text/html)'],
    ['JSON that is no message', sends('application/json', '{"choices":[]}'), 'sent JSON that is no message'],
    ['broken JSON', sends('application/json', '{"type":"mess'), 'sent JSON that is no message'],
    [
      'events without names',
      sends('text/event-stream', `data: ${JSON.stringify(start)}\n\ndata: [DONE]\n\n`),
      'sent events without names',
    ],
    ['text', sends('text/plain', 'Hello'), 'sent no events'],
    [
      'two messages in one',
      stream(start, opened, said, start, opened, said, closed, ended, stop),
      'mixed the events of several messages',
    ],
    [
      'a redirect',
      (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/v1/messages' }).end(),
      'sent a redirect (307), which is not followed',
    ],
  ])('is asked for once, and said to administrators: %s', async (_, answer, what) => {
    const server = await serve(answer)

    expect(await failureOf(server.url)).toEqual({
      code: 'model.unavailable',
      message: `${new URL(server.url).host} ${what}. Expected: a stream of events of the Messages API. Check the address of the provider.`,
    })
    expect(server.requests).toBe(1)
  })

  test('is none where a stream broke off before it began', async () => {
    let count = 0
    const server = await serve((response) => {
      count += 1
      if (count > 1) return stream(start, opened, said, closed, ended, stop)(response)
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('event: ping\ndata: {"type":"ping"}\n\n')
    })

    expect(await ask(undefined, { baseUrl: server.url })).toMatchObject({ text: 'Yes' })
    expect(server.requests).toBe(2)
  })
})

test('a server that is not Anthropic gets back the ids that it made, letter by letter', async () => {
  const id = 'call_1__thought__aB+/=='
  const server = await serve(stream(start, opened, said, closed, ended, stop))
  const messages = [
    ...hello.messages,
    { role: 'assistant' as const, content: [{ type: 'tool_call' as const, id, name: 'a', arguments: {} }] },
    {
      role: 'user' as const,
      content: [{ type: 'tool_result' as const, callId: id, text: 'x', isError: false }],
    },
  ]
  await ask({ ...hello, messages }, { baseUrl: server.url })

  expect(server.body.split(`"${id}"`)).toHaveLength(3)
})

test('an answer that the provider paused goes on with what was there of it', async () => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
  const query = {
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'input_json_delta', partial_json: '{"q":1}' },
  }
  const paused = { type: 'message_delta', delta: { stop_reason: 'pause_turn' }, usage: { output_tokens: 3 } }
  const answers = [
    stream(start, opened, said, { ...opened, index: 1, content_block: search }, query, paused, stop),
    stream(start, opened, { ...said, delta: { ...said.delta, text: ', but' } }, paused, stop),
    stream(start, opened, { ...said, delta: { ...said.delta, text: ' and no' } }, ended, stop),
  ]
  const server = await serve((response) => answers.shift()?.(response))

  expect(await ask(undefined, { baseUrl: server.url })).toEqual({
    text: 'Yes\n\n, but and no',
    calls: [],
    stop: 'end',
    usage: { input: 27, output: 9, cacheRead: 0, cacheWrite: 0 },
  })
  const [, ...begun] = JSON.parse(server.body).messages
  expect(begun).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Yes' },
        { ...search, input: { q: 1 } },
        { type: 'text', text: ', but' },
      ],
    },
  ])
})
