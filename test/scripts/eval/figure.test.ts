import { describe, expect, test } from 'vitest'
import { misplaced } from '../../../scripts/eval/figure.ts'

describe('a figure belongs to', () => {
  const owned = [
    { is: 169, of: 'Vega' },
    { is: 319, of: 'Lumen' },
  ]
  test.each([
    'The Vega costs 169, the Lumen 319.',
    'Vega and Lumen cost 169 and 319.',
    '169 for the Vega, 319 for the Lumen.',
    '| | Vega | Lumen |\n|---|---|---|\n| Price | 169 | 319 |',
    '**Vega**\n- Price: 169\n\n**Lumen**\n- Price: 319',
    'It is 150 more for the Lumen (319) than for the Vega (169).',
  ])('whom %j names', (text) => {
    expect(misplaced(text, owned)).toEqual([])
  })

  test.each([
    'The Vega costs 319, the Lumen 169.',
    'Vega and Lumen cost 319 and 169.',
    '319 for the Vega, 169 for the Lumen.',
    '| | Vega | Lumen |\n|---|---|---|\n| Price | 319 | 169 |',
    '**Vega**\n- Price: 319\n\n**Lumen**\n- Price: 169',
  ])('nobody else, as in %j', (text) => {
    expect(misplaced(text, owned)).toEqual(owned)
  })
})
