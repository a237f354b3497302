import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { anthropic } from '../../../core/model/anthropic.ts'
import { limits, ModelError, type ModelRequest } from '../../../core/model/model.ts'
import { type Step, startMessagesApi } from '../../support/messages-api.ts'
import { api, ask, hello, never } from './asking.ts'

afterEach(() => api.reset())
afterAll(() => api.stop())

async function failure(
  asking: Promise<unknown>,
): Promise<Pick<ModelError, 'code' | 'message' | 'attachment'>> {
  const error = await asking.catch((error: unknown) => error)
  if (!(error instanceof ModelError)) throw error
  return { code: error.code, message: error.message, attachment: error.attachment }
}

describe('a failure that may pass', () => {
  test.each<[string, Step]>([
    ['500', { fault: 'status', status: 500 }],
    ['529', { fault: 'status', status: 529 }],
    ['408', { fault: 'status', status: 408 }],
    ['409', { fault: 'status', status: 409 }],
    ['429 with retry-after', { fault: 'status', status: 429, retryAfter: 0 }],
    ['429 with a date', { fault: 'status', status: 429, retryAfter: new Date(0).toUTCString() }],
    ['429 without', { fault: 'status', status: 429 }],
    ['overloaded in the stream', { fault: 'error' }],
    ['an API error in the stream', { fault: 'error', type: 'api_error' }],
    ['a socket that is cut', { fault: 'cut' }],
    ['a stream that just ends', { fault: 'eof' }],
    ['an event that is no JSON', { fault: 'garbage' }],
  ])('is tried again: %s', async (_, fault) => {
    api.reply(fault, { text: 'Yes' })

    expect((await ask()).text).toBe('Yes')
    expect(api.requests).toHaveLength(2)
  })

  test.each([
    ['before the headers', 'headers'],
    ['in the stream', 'stream'],
  ] as const)('is tried again when the provider goes silent %s', async (_, where) => {
    api.reply({ fault: 'hang', where })
    api.always({ text: 'Yes' })

    expect((await ask(hello, { timing: { idleMs: 150 } })).text).toBe('Yes')
  })

  test('is none as long as something comes', async () => {
    api.reply({ text: 'A slow answer', gapMs: 60 })

    expect((await ask(hello, { timing: { idleMs: 300 } })).text).toBe('A slow answer')
    expect(api.requests).toHaveLength(1)
  })

  test('ends as unavailable when it stays', async () => {
    api.always({ fault: 'status', status: 529, message: 'Overloaded' })

    expect(await failure(ask())).toEqual({
      code: 'model.unavailable',
      message: expect.stringMatching(/^529 overloaded_error: Overloaded \(req_\d+\)$/),
      attachment: undefined,
    })
    expect(api.requests).toHaveLength(6)
  })

  test('ends at once when the provider wants more time than there is', async () => {
    api.reply({ fault: 'status', status: 429, retryAfter: 3_600 })

    expect((await failure(ask())).code).toBe('model.unavailable')
    expect(api.requests).toHaveLength(1)
  })

  test('ends when the time of the whole call is over', async () => {
    api.reply({ fault: 'hang', where: 'stream' })

    expect(await failure(ask(hello, { timing: { totalMs: 150 } }))).toEqual({
      code: 'model.unavailable',
      message: 'The provider did not answer in time',
      attachment: undefined,
    })
  })

  test('names no host when no server listens', async () => {
    const gone = await startMessagesApi()
    await gone.stop()

    expect(await failure(ask(hello, { baseUrl: gone.url }))).toEqual({
      code: 'model.unavailable',
      message: 'The provider could not be reached',
      attachment: undefined,
    })
  })
})

describe('a request that is too long', () => {
  test.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    'Input is too long for requested model.',
    'The model returned the following errors: Input is too long for requested model.',
    'Too many input tokens. Max input tokens: 8192, request input token count: 9000',
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens. Please reduce the length of the messages or completion.",
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException',
    'the input length exceeds the context length',
    'the request exceeds the available context size, try increasing it',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`',
  ])('differs from a rejected one: %s', async (message) => {
    api.reply({ fault: 'status', status: 400, message })

    expect((await failure(ask())).code).toBe('model.tooLarge')
    expect(api.requests).toHaveLength(1)
  })

  test.each([
    'max_tokens: 65000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-5-5',
    'messages.0.content.0.text: Field required',
  ])('is none: %s', async (message) => {
    api.reply({ fault: 'status', status: 400, message })

    expect((await failure(ask())).code).toBe('model.rejected')
  })
})

describe('a failure that stays', () => {
  test.each<[string, Step, string, string]>([
    ['402', { fault: 'status', status: 402 }, 'model.unpaid', '402 billing_error'],
    ['403', { fault: 'status', status: 403 }, 'model.unauthorized', '403 permission_error'],
    ['413', { fault: 'status', status: 413 }, 'model.tooLarge', '413 request_too_large'],
    ['422', { fault: 'status', status: 422, type: 'unknown' }, 'model.rejected', '422 unknown'],
    [
      '404',
      { fault: 'status', status: 404, message: 'no such model' },
      'model.rejected',
      '404 not_found_error: no such model',
    ],
    [
      'an unknown type',
      { fault: 'status', status: 400, type: 'strange_error' },
      'model.rejected',
      '400 strange_error',
    ],
    [
      'a prompt that is too long',
      { fault: 'status', status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      'model.tooLarge',
      '400 invalid_request_error: prompt is too long: 210000 tokens > 200000 maximum',
    ],
    [
      'one in the stream',
      { fault: 'error', type: 'authentication_error', message: 'revoked' },
      'model.unauthorized',
      'authentication_error: revoked',
    ],
  ])('is not tried again: %s', async (_, step, code, message) => {
    api.reply(step)
    const found = await failure(ask())

    expect(found.code).toBe(code)
    expect(found.message.startsWith(message)).toBe(true)
    expect(api.requests).toHaveLength(1)
  })

  test('is a wrong key, which the message does not repeat', async () => {
    const key = 'wrong-key-of-another'

    expect(await failure(ask(hello, { key }))).toEqual({
      code: 'model.unauthorized',
      message: expect.stringMatching(/^401 authentication_error: invalid bearer token \(req_\d+\)$/),
      attachment: undefined,
    })
  })

  test('never carries the key, however often the provider repeats it', async () => {
    api.reply({ fault: 'status', status: 400, message: `key ${api.key}\nor sk-ant-api03-${'a'.repeat(90)}` })
    const { message } = await failure(ask())

    expect(message).not.toContain(api.key)
    expect(message).not.toContain('sk-ant-api03')
    expect(message).not.toContain('\n')
  })

  test('is short', async () => {
    api.reply({ fault: 'status', status: 400, message: 'x'.repeat(9_000) })

    expect((await failure(ask())).message.length).toBeLessThan(400)
  })

  test('is what the validator refuses', async () => {
    const empty: ModelRequest = {
      ...hello,
      messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }],
    }

    expect((await failure(ask(empty))).code).toBe('model.rejected')
    expect(api.requests[0]?.refused).toBe('messages: text content blocks must contain non-whitespace text')
  })
})

describe('a refused attachment', () => {
  const image = { type: 'image' as const, mimeType: 'image/png' as const, base64: 'iVBO' }
  const text = { type: 'text' as const, text: 'Look' }
  const withImages = (count: number): ModelRequest => ({
    ...hello,
    messages: [{ role: 'user', content: [text, ...Array.from({ length: count }, () => image)] }],
  })

  test('is named by its place', async () => {
    expect((await failure(ask(withImages(1)))).attachment).toEqual({ message: 0, block: 1 })
  })

  test('is named by its place where the server got a system message before it', async () => {
    const request: ModelRequest = {
      ...hello,
      system: [{ text: 'Open: [3]', late: true }],
      messages: [
        { role: 'user', content: [text] },
        { role: 'assistant', content: [{ type: 'tool_call', id: 'a', name: 'get_record', arguments: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', callId: 'a', text: 'Seen', isError: false, images: [image] }],
        },
      ],
    }

    expect((await failure(ask(request, { systemMessages: true }))).attachment).toEqual({
      message: 2,
      block: 0,
    })
  })

  test.each([
    [
      'by its place among several',
      2,
      'messages.0.content.2.image.source: image exceeds 5 MB',
      { message: 0, block: 2 },
    ],
    ['as the only one', 1, 'Could not process image', { message: 0, block: 1 }],
    ['as the newest when it may be any', 2, 'Could not process image', { message: 0, block: 2 }],
    [
      'as the newest of a request that is too large',
      2,
      'prompt is too long: 9 > 8',
      { message: 0, block: 2 },
    ],
    ['not when another kind is blamed', 2, 'The PDF specified was not valid.', undefined],
    ['not when the place is that of a text', 1, 'messages.0.content.0: wrong', undefined],
    ['not when something else is wrong', 1, 'max_tokens: wrong', undefined],
  ])('is named %s', async (_, count, message, attachment) => {
    const refusing = anthropic({
      about: { provider: 'Test', model: 'claude-sonnet-5-5', isAI: true },
      capabilities: ['vision'],
      limits: limits({ contextTokens: 200_000, maxOutputTokens: 64_000 }, 'anthropic'),
      key: 'x',
      fetch: async () =>
        Response.json({ type: 'error', error: { type: 'invalid_request_error', message } }, { status: 400 }),
    })

    expect((await failure(refusing.ask(withImages(count), never))).attachment).toEqual(attachment)
  })
})
