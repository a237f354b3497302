import { expect, test } from 'vitest'
import { limits } from '../../../core/model/model.ts'

const common = { maxOutputTokens: 64_000, imageBytes: 3_750_000, imageEdge: 2_000 }

test.each([
  ['anthropic', 200_000, { images: 100, pdfPages: 100, attachmentBytes: 20_000_000 }],
  ['anthropic', 1_000_000, { images: 600, pdfPages: 600, attachmentBytes: 20_000_000 }],
  ['bedrock', 1_000_000, { images: 600, pdfPages: 100, attachmentBytes: 12_000_000 }],
] as const)('%s with a window of %i tokens holds %j', (adapter, contextTokens, expected) => {
  expect(limits({ contextTokens, maxOutputTokens: 64_000 }, adapter)).toEqual({
    contextTokens,
    ...common,
    ...expected,
  })
})
