import { describe, expect, test } from 'vitest'
import type { Entry, Turn } from '../../../../core/agent/prompt/entry.ts'
import { within } from '../../../../core/agent/prompt/window.ts'
import { tokensIn } from '../../../../core/model/estimate.ts'

const room = (contextTokens: number) => ({ system: [], tools: [], maxTokens: 100, contextTokens })
const says = (text: string): Entry => ({ kind: 'user', text, blocks: [], attachmentTokens: 0 })
const calls = (...texts: string[]): Entry => ({
  kind: 'assistant',
  text: '',
  calls: texts.map((text, at) => ({
    id: `c${at}`,
    name: 't',
    arguments: {},
    result: { text, isError: false },
  })),
})
const turns = (count: number): Turn[] =>
  Array.from({ length: count }, (_, at) => [says(`${at}`.padEnd(300, '.'))])
const first = (kept: Turn[]) => kept[1]?.[0]?.text.slice(0, 2)
const results = (turn: Turn | undefined) =>
  (turn ?? []).flatMap((entry) =>
    entry.kind === 'assistant' ? entry.calls.map(({ result }) => result.text) : [],
  )

test.each([
  ['', 0],
  ['abc', 1],
  ['abcd', 2],
  ['语言', 2],
])('%j is about %i tokens', (text, tokens) => {
  expect(tokensIn(text)).toBe(tokens)
})

describe('turns', () => {
  test('stay as they are while they fit', () => {
    const all = turns(10)

    expect(within(all, room(1_200))).toEqual({ turns: all, shortened: false, tokens: 1_080 })
  })

  test('are left out oldest first, and a note says so to the model', () => {
    const all = turns(10)

    const { turns: kept, shortened } = within(all, room(1_100))

    expect(shortened).toBe(true)
    expect(kept[0]).toEqual([
      { kind: 'note', text: '[Earlier turns of this conversation no longer fit and are left out.]' },
    ])
    expect(kept.slice(1)).toEqual(all.slice(3))
  })

  test('are cut in steps, so that the next calls begin where this one does', () => {
    const begins = [10, 11, 12, 13, 14].map((count) => first(within(turns(count), room(1_100)).turns))

    expect(begins).toEqual(['3.', '3.', '5.', '5.', '7.'])
  })

  test('make room for the answer, the system prompt and the tools', () => {
    const taken = {
      ...room(1_300),
      system: [{ text: 'x'.repeat(300) }],
      tools: [{ name: 't', description: 'x'.repeat(300), schema: {} }],
    }

    expect(within(turns(10), room(1_300)).shortened).toBe(false)
    expect(within(turns(10), taken).shortened).toBe(true)
    expect(within(turns(10), { ...room(1_300), maxTokens: 600 }).shortened).toBe(true)
  })

  test('keep the last one even where nothing fits', () => {
    const all = turns(3)

    expect(within(all, room(10)).turns.slice(1)).toEqual(all.slice(-1))
  })
})

test('the tokens of a request are those of all its parts', () => {
  const parts = {
    ...room(100_000),
    system: [{ text: 'x'.repeat(300) }],
    tools: [{ name: 't', description: 'x'.repeat(261), schema: {} }],
  }
  const attached: Turn = [{ kind: 'user', text: 'abc', blocks: [], attachmentTokens: 2_000 }]

  expect(within([attached], parts).tokens).toBe(108 + 109 + 9 + 2_000)
})

test('the tokens of a shortened request are those of what is left', () => {
  const { turns: kept, tokens } = within(turns(100), room(1_100))

  expect(kept.length).toBeLessThan(11)
  expect(tokens).toBeLessThanOrEqual(1_000 + 8 + tokensIn(kept[0]?.[0]?.text ?? ''))
})

describe('a last turn that is too large alone', () => {
  const long = (name: string) => `<data-f00d source="${name}">\n${'x'.repeat(9_000)}\n</data-f00d>`

  test('loses the text of its oldest results, each marked and with its fence closed', () => {
    const turn = [says('?'), calls(long('a')), calls(long('b')), calls(long('c'))]

    const { turns: kept, shortened } = within([turn], room(8_600))

    const [a, ...rest] = results(kept[0])
    expect(shortened).toBe(true)
    expect(a).toMatch(
      /^<data-f00d source="a">\nx{500,600}\n<\/data-f00d>\n\[The rest of this result was left out/,
    )
    expect(rest).toEqual([long('b'), long('c')])
  })

  test('keeps what was said and short results', () => {
    const turn = [says('?'.repeat(9_000)), calls('short', 'shorter')]

    expect(within([turn], room(1_000)).turns).toEqual([turn])
  })
})
