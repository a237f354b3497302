import { describe, expect, test } from 'vitest'
import { believable, tokensIn, tokensOfRequest } from '../../../core/model/estimate.ts'
import type { ModelRequest } from '../../../core/model/model.ts'
import counts from './token-counts.json' with { type: 'json' }

const request: ModelRequest = {
  system: [{ text: 'x'.repeat(300) }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'y'.repeat(300) }] }],
  tools: [],
  toolChoice: 'auto',
  maxTokens: 1_000,
}
const limits = { contextTokens: 200_000, maxOutputTokens: 64_000 }
const estimated = {
  input: tokensOfRequest(request),
  output: tokensIn('z'.repeat(30)),
  cacheRead: 0,
  cacheWrite: 0,
}
const believed = (reported: unknown) =>
  believable(reported, { request, limits, isAI: true }, { text: 'z'.repeat(30), calls: [] })

describe('the usage that a provider reports', () => {
  test('is taken where it can be true, the cache among the input', () => {
    expect(
      believed({
        input_tokens: 10,
        output_tokens: 3,
        cache_read_input_tokens: 500,
        cache_creation_input_tokens: 40,
      }),
    ).toEqual({ input: 550, output: 3, cacheRead: 500, cacheWrite: 40 })
  })

  test.each<[string, unknown]>([
    ['missing', undefined],
    ['no object', 'many'],
    ['empty', {}],
    ['text', { input_tokens: '10', output_tokens: '3' }],
    ['negative', { input_tokens: -1_000_000_000, output_tokens: -5 }],
    ['larger than the model', { input_tokens: 1e300, output_tokens: 1e300 }],
    ['no number', { input_tokens: Number.NaN, output_tokens: Number.POSITIVE_INFINITY }],
    ['a fraction', { input_tokens: 1.5, output_tokens: 0.5 }],
    ['nothing, although there is text', { input_tokens: 0, output_tokens: 0 }],
    [
      'more with the cache than ten windows hold',
      { input_tokens: 1_500_000, cache_read_input_tokens: 1_500_000 },
    ],
  ])('is estimated from the texts where it is %s', (_, reported) => {
    expect(believed(reported)).toEqual(estimated)
  })

  test('is taken where a provider with tools of its own has read the request again and again', () => {
    expect(believed({ input_tokens: 482_529, output_tokens: 3 })).toEqual({
      input: 482_529,
      output: 3,
      cacheRead: 0,
      cacheWrite: 0,
    })
  })

  test('is nothing where it is nothing and no AI answered', () => {
    const nothing = { input_tokens: 0, output_tokens: 0 }

    expect(believable(nothing, { request, limits, isAI: false }, { text: 'Hello', calls: [] })).toEqual({
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
    })
  })

  test('leaves out of the cache what is strange alone', () => {
    expect(believed({ input_tokens: 10, output_tokens: 3, cache_read_input_tokens: -4 })).toEqual({
      input: 10,
      output: 3,
      cacheRead: 0,
      cacheWrite: 0,
    })
  })
})

describe('the estimate of a text is near what is counted, and in sum a little above it:', () => {
  /** The newest models count about so much more than the tokenizer that counted. */
  const newest = 1.3
  test.each(counts)('$about', ({ counted, text }) => {
    const share = tokensIn(text) / (counted * newest)
    expect(share).toBeGreaterThan(0.85)
    expect(share).toBeLessThan(1.35)
  })

  test('all of them', () => {
    const estimated = counts.reduce((sum, { text }) => sum + tokensIn(text), 0)
    const counted = counts.reduce((sum, one) => sum + one.counted * newest, 0)
    expect(estimated / counted).toBeGreaterThan(1)
    expect(estimated / counted).toBeLessThan(1.1)
  })

  test('German, French and English by less than an eighth', () => {
    const off = counts
      .filter(({ about }) => /^(?:German|French|English)/.test(about))
      .map(({ counted, text }) => Math.abs(tokensIn(text) / (counted * newest) - 1))
    expect(Math.max(...off)).toBeLessThan(0.13)
  })
})

test('a picture beside a result is estimated as a picture, and not as the text of its bytes', () => {
  const picture = { type: 'image' as const, mimeType: 'image/png' as const, base64: 'iVBOR'.repeat(10_000) }
  const tokensWith = (images: (typeof picture)[]) =>
    tokensOfRequest({
      ...request,
      messages: [
        {
          role: 'user',
          content: [{ type: 'tool_result', callId: 'a', text: 'Seen', isError: false, images }],
        },
      ],
    })

  expect(tokensWith([picture, picture]) - tokensWith([])).toBe(4_000)
})
