import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { partsOf } from '../../../core/model/citable.ts'
import { encodeMessages } from '../../../core/model/encode.ts'
import type { ModelRequest } from '../../../core/model/model.ts'
import { validate } from '../../../core/model/wire/validate.ts'
import { api, ask, hello, model } from './asking.ts'

beforeEach(() => api.reset())
afterAll(() => api.stop())

const result = '<data-n source="get_record">\nRecord content [26] “Lamp”\n\n- price: 149\n</data-n>'
const file = '<data-n source="list.txt">\nVega: 169\n</data-n>'
const asked: ModelRequest = {
  ...hello,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: file, fileUid: 7 },
        { type: 'text', text: 'What do they cost?' },
      ],
    },
    {
      role: 'assistant',
      content: ['a', 'b'].map((id) => ({ type: 'tool_call', id, name: 'get_record', arguments: {} })),
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', callId: 'a', text: 'No such record', isError: true },
        { type: 'tool_result', callId: 'b', text: result, isError: false },
      ],
    },
  ],
}
const cited = (search_result_index: number, from: number, to: number) => ({
  type: 'search_result_location' as const,
  cited_text: '',
  search_result_index,
  source: 'get_record',
  title: 'get_record',
  start_block_index: from,
  end_block_index: to,
})

test('a text is cited by its lines, which together are the text, and by groups of them where there are many', () => {
  const long = Array.from({ length: 2_000 }, (_, at) => `line ${at}`).join('\n')

  expect(partsOf('\n one\n\n\ntwo\n')).toEqual(['\n one\n\n\n', 'two\n'])
  expect(partsOf(result).map((part) => part.trim())).toHaveLength(4)
  expect(partsOf(long).length).toBeLessThanOrEqual(300)
  for (const text of [result, long, ' \n', '']) expect(partsOf(text).join('')).toBe(text)
})

describe('results and files are blocks that can be cited', () => {
  const blocksOf = (manner: Parameters<typeof encodeMessages>[2], request = asked) =>
    encodeMessages('claude-sonnet-5-5', request, manner)

  test('by line, with a source that no author wrote, but errors and the words of the user are not', () => {
    const encoded = blocksOf({ citations: true })

    expect(validate(encoded)).toMatchObject({ ok: true })
    expect(encoded.messages.map(({ content }) => content)).toMatchObject([
      [
        { type: 'search_result', source: 'file 7', citations: { enabled: true } },
        { type: 'text', text: 'What do they cost?' },
      ],
      [{}, {}],
      [
        { type: 'tool_result', content: 'No such record', is_error: true },
        {
          type: 'tool_result',
          content: [
            {
              type: 'search_result',
              source: 'get_record',
              content: partsOf(result).map((text) => ({ type: 'text', text })),
              citations: { enabled: true },
            },
          ],
        },
      ],
    ])
  })

  test('a document is cited by its pages, and in one request with results', () => {
    const pdf = {
      type: 'document' as const,
      mimeType: 'application/pdf' as const,
      base64: 'JVBERi0=',
      title: 'a.pdf',
    }
    const messages: ModelRequest['messages'] = [{ role: 'user', content: [pdf] }, ...asked.messages]
    const encoded = blocksOf({ citations: true }, { ...asked, messages })

    expect(validate(encoded)).toMatchObject({ ok: true })
    expect(encoded.messages[0]?.content[0]).toMatchObject({ type: 'document', citations: { enabled: true } })
  })

  test('nothing of it is sent to a model that does not cite, nor in a request without tools', () => {
    const sent = [blocksOf({}), blocksOf({ citations: true }, { ...asked, tools: [] })].map((one) =>
      JSON.stringify(one),
    )

    expect(sent.filter((text) => /search_result|citations/.test(text))).toEqual([])
  })

  test('the strict server refuses a request in which some cite and some do not', () => {
    const encoded = blocksOf({ citations: true })
    const mixed = JSON.parse(JSON.stringify(encoded).replace('"enabled":true', '"enabled":false'))

    expect(validate(mixed)).toMatchObject({
      ok: false,
      refusal: { message: expect.stringContaining('citations must be enabled on all or none') },
    })
  })
})

describe('an answer', () => {
  test('says behind which of its words which part of which block is cited', async () => {
    api.reply({
      content: [
        { type: 'text', text: 'The lamp costs 149 EUR', citations: [cited(1, 2, 3)] },
        { type: 'text', text: '. ' },
        { type: 'text', text: 'The Vega costs 169 EUR.\n', citations: [cited(0, 1, 2), cited(9, 0, 1)] },
      ],
    })

    const { text, citations } = await ask(asked, { citations: true })

    expect(text).toBe('The lamp costs 149 EUR. The Vega costs 169 EUR.\n')
    expect(
      citations?.map(({ at, block, from }) => [
        text.slice(0, at),
        'text' in block && partsOf(block.text)[from],
      ]),
    ).toEqual([
      ['The lamp costs 149 EUR', '- price: 149\n'],
      ['The lamp costs 149 EUR. The Vega costs 169 EUR.', 'Vega: 169\n'],
    ])
  })

  test('without citations is as it was', async () => {
    api.reply({ text: 'None \ue001.' })
    expect(await ask(asked, { citations: true })).not.toHaveProperty('citations')
    expect(api.requests).toHaveLength(1)
  })
})

test('a server that refuses citations, or system messages, is asked again without, and from then on', async () => {
  const late = { ...asked, system: [{ text: 'You help.' }, { text: 'Open: [3]', late: true }] }
  const refusal = (message: string) => ({
    fault: 'status' as const,
    status: 400,
    type: 'invalid_request_error',
    message,
  })
  api.reply(
    refusal("messages.0.content.0: 'search_result' is not supported"),
    refusal("role 'system' is not supported on this model"),
    { text: 'Yes' },
    { text: 'Again' },
  )
  const one = model({ id: 'claude-opus-5-5', citations: true, systemMessages: true })

  expect((await one.ask(late, new AbortController().signal)).text).toBe('Yes')
  expect((await one.ask(late, new AbortController().signal)).text).toBe('Again')

  const forms = api.requests.map(({ body }) => JSON.stringify(body.messages))
  expect(forms.map((form) => [form.includes('search_result'), form.includes('"system"')])).toEqual([
    [true, true],
    [false, true],
    [false, false],
    [false, false],
  ])
})
