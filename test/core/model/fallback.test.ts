import { expect, test } from 'vitest'
import { chosen } from '../../../core/model/fallback.ts'
import { limits, type Model } from '../../../core/model/model.ts'
import { model, provider } from '../../support/settings.ts'

const small = model({ contextTokens: 200_000, maxOutputTokens: 64_000, capabilities: ['tools'] })
const large = model({ uid: 2, contextTokens: 1_000_000, maxOutputTokens: 128_000, capabilities: ['tools'] })
const anthropic = provider({ adapter: 'anthropic' })
const bedrock = provider({ uid: 2, adapter: 'bedrock' })

const create = async (...[{ adapter }, record]: [typeof anthropic, typeof small]): Promise<Model> => ({
  about: { provider: 'Test', model: 'test', isAI: true },
  capabilities: record.capabilities,
  limits: limits(record, adapter),
  ask: () => Promise.reject(new Error('Is not asked')),
})
const of = async (first: typeof small, second: typeof small, by = anthropic) =>
  (await chosen({ model: first, provider: anthropic, fallback: { model: second, provider: by } }, create))
    .limits

test.each([
  ['two of one size', large, large, limits(large, 'anthropic')],
  ['a second one that takes less', large, small, limits(small, 'anthropic')],
  ['a second one that takes more', small, large, limits(small, 'anthropic')],
])('a request to %s holds what both take, and no less', async (_, first, second, expected) => {
  expect(await of(first, second)).toEqual(expected)
})

test('a second one on Bedrock bounds pages and attachments by what Bedrock takes', async () => {
  const { pdfPages, attachmentBytes } = limits(large, 'bedrock')
  expect(await of(large, large, bedrock)).toEqual({
    ...limits(large, 'anthropic'),
    pdfPages,
    attachmentBytes,
  })
})
