import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cardOf, cards } from '../../../../core/stage/settings/cards.ts'
import { ModelRecord } from '../../../../core/stage/settings/schema.ts'

describe('the cards of models', () => {
  test.each(cards.map((card) => [card.model, card] as const))(
    '%s is found by its own id, and holds',
    (id, card) => {
      expect(cardOf(id)).toBe(card)
      const { contextTokens, maxOutputTokens, capabilities, prices, pricesAsOf } = card
      const facts = { contextTokens, maxOutputTokens, capabilities, prices, pricesAsOf }
      expect(ModelRecord.parse({ uid: 1, provider: 1, modelId: id, ...facts })).toMatchObject(facts)
      expect(maxOutputTokens).toBeLessThan(contextTokens)
      expect(prices === null).toBe(pricesAsOf === null)
      if (!prices) return
      expect(prices.cacheRead).toBeLessThan(prices.input)
      expect(prices.cacheWrite).toBeGreaterThan(prices.input)
      expect(prices.output).toBeGreaterThan(prices.input)
    },
  )

  test('are found with the prefix of an inference profile, and for nothing else', () => {
    expect(cardOf('eu.anthropic.claude-haiku-4-5-20251001-v1:0')?.model).toBe('claude-haiku-4-5')
    expect(cardOf('qwen3')).toBeUndefined()
  })

  const stages = new URL('../../../../infra/stages/', import.meta.url)
  test.each(readdirSync(stages))('are what the stage of %s says of its models', (file) => {
    const { models = [] } = JSON.parse(readFileSync(new URL(file, stages), 'utf8'))
    for (const { modelId, contextTokens, maxOutputTokens, capabilities, prices, pricesAsOf } of models) {
      const card = cardOf(modelId)
      if (card)
        expect(card).toMatchObject({ contextTokens, maxOutputTokens, capabilities, prices, pricesAsOf })
    }
  })
})
