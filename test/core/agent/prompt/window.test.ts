import { describe, expect, test } from 'vitest'
import type { Entry, Turn } from '../../../../core/agent/prompt/recall.ts'
import { fixedTokensOf, within } from '../../../../core/agent/prompt/window.ts'
import { tokensIn } from '../../../../core/model/estimate.ts'

const room = (contextTokens: number) => ({ fixedTokens: 0, maxTokens: 100, contextTokens })
const says = (text: string, sequence = 0): Entry => ({
  kind: 'user',
  text,
  blocks: [],
  attachmentTokens: 0,
  sequence,
})
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
  Array.from({ length: count }, (_, at) => [says(`${at}`.padEnd(359, 'x'))])
const first = (kept: Turn[]) => kept[1]?.[0]?.text.slice(0, 2)
const results = (turn: Turn | undefined) =>
  (turn ?? []).flatMap((entry) =>
    entry.kind === 'assistant' ? entry.calls.map(({ result }) => result.text) : [],
  )

test.each([
  ['', 0],
  ['abc', 1],
  ['abcd', 2],
  ['语言', 4],
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
      {
        kind: 'note',
        text: [
          '[Earlier turns of this conversation no longer fit and are left out.]',
          'The user said in them, and it still holds:',
          `- "${'0'.padEnd(359, 'x')}"`,
        ].join('\n'),
      },
    ])
    expect(kept.slice(1)).toEqual(all.slice(3))
  })

  test('are cut in steps, so that the next calls begin where this one does', () => {
    const begins = [10, 11, 12, 13, 14].map((count) => first(within(turns(count), room(1_100)).turns))

    expect(begins).toEqual(['3x', '3x', '5x', '5x', '7x'])
  })

  test('make room for the answer, the system prompt and the tools', () => {
    const text = 'x'.repeat(362)
    const parts = { system: [{ text }], tools: [{ name: 't', description: text, schema: {} }] }
    const taken = { ...room(1_300), fixedTokens: fixedTokensOf(parts) }

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
    system: [{ text: 'x'.repeat(362) }],
    tools: [{ name: 't', description: 'x'.repeat(261), schema: {} }],
  }
  const fixedTokens = fixedTokensOf(parts)
  const tool = 8 + tokensIn(JSON.stringify(parts.tools[0]))
  const attached: Turn = [{ kind: 'user', text: 'abc', blocks: [], attachmentTokens: 2_000, sequence: 0 }]

  expect(within([attached], { ...room(100_000), fixedTokens }).tokens).toBe(108 + tool + 9 + 2_000)
})

test('the tokens of a shortened request are those of what is left', () => {
  const { turns: kept, tokens } = within(turns(100), room(1_100))

  expect(kept.length).toBeLessThan(11)
  expect(tokens).toBeLessThanOrEqual(1_000 + 8 + tokensIn(kept[0]?.[0]?.text ?? ''))
})

describe('a last turn that is too large alone', () => {
  const long = (name: string) => `<data-f00d source="${name}">\n${'x'.repeat(10_900)}\n</data-f00d>`

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

describe('a budget for history', () => {
  const long = 'A lamp. '.repeat(100)
  const line = '[This result is old and was left out. Call the tool again if you need it.]'
  const read = (at: number): Entry => ({
    kind: 'assistant',
    text: '',
    calls: [
      { id: `r${at}`, name: 'get_record', arguments: { uid: at }, result: { text: long, isError: false } },
    ],
  })
  const written = (at: number, text = 'Denied by the user: keep the title.'): Entry => ({
    kind: 'assistant',
    text: '',
    calls: [
      {
        id: `w${at}`,
        name: 'update_record',
        arguments: { uid: at },
        result: { text, isError: false },
        isDecided: true,
      },
    ],
  })
  const answers = (text: string): Entry => ({ kind: 'assistant', text, calls: [] })
  const turn = (at: number): Turn => [
    says(`Question ${at}`),
    read(at),
    written(at),
    answers(`Answer ${at}. ${long}`),
  ]
  const course = (count: number) => Array.from({ length: count }, (_, at) => turn(at))
  const budgeted = (count: number, historyTokens: number | null) =>
    within(course(count), { ...room(1_000_000), historyTokens })
  const shapeOf = (turn: Turn | undefined) =>
    (turn ?? []).map((entry) =>
      entry.kind === 'assistant'
        ? [entry.text.length, ...entry.calls.map(({ result }) => result.text)]
        : entry.text,
    )
  const decided = 'Denied by the user: keep the title.'
  const answer = long.length + 'Answer 0. '.length

  test('leaves everything where the history takes a quarter of it or less, or where there is none', () => {
    expect(budgeted(10, 100_000).turns).toEqual(course(10))
    expect(budgeted(10, null).turns).toEqual(course(10))
  })

  test('puts a line in the place of results older than a few turns; what was decided stays', () => {
    const { turns: kept, shortened } = budgeted(12, 20_000)

    expect(shortened).toBe(false)
    expect(kept.map(shapeOf).map(([, read]) => read)).toEqual([
      ...Array(6).fill([0, line]),
      ...Array(6).fill([0, long]),
    ])
    expect(shapeOf(kept[0])).toEqual(['Question 0', [0, line], [0, decided], [answer]])
  })

  test('leaves the words of the user behind a long old result, and does not ask for the change again', () => {
    const said = 'The user says to this: but never the price'
    const stored = `<data-f00d source="update_record">\n${'x'.repeat(1_500)}\n</data-f00d>\n${said}`
    const course: Turn[] = [[says('Change it'), written(0, stored)], ...turns(12)]

    const { turns: kept } = within(course, { ...room(1_000_000), historyTokens: 2_000 })

    expect(results(kept[0])).toEqual([
      `${stored.slice(0, 600)}\n</data-f00d>\n${said}\n[The rest of this result was left out, because it no longer fits.]`,
    ])
  })

  test('then leaves out old lookups and the ends of old answers, never words of the user or decisions', () => {
    const { turns: kept, shortened } = budgeted(40, 40_000)

    expect(shortened).toBe(false)
    expect(kept).toHaveLength(40)
    expect(shapeOf(kept[0])).toEqual(['Question 0', [0], [0, decided], [expect.any(Number)]])
    expect(kept[0]?.at(-1)?.text).toMatch(/^Answer 0\. .{100,120} \[…\]$/)
  })

  test('keeps the beginning of a request for several turns', () => {
    const beginnings = [12, 13, 14, 15].map((count) =>
      JSON.stringify(budgeted(count, 20_000).turns.slice(0, 9)),
    )

    expect(new Set(beginnings).size).toBe(2)
  })

  test('touches nothing of the running turn, however large', () => {
    const running: Turn = [says('Now'), ...Array.from({ length: 100 }, (_, at) => read(at))]
    const { turns: kept } = within([...course(30), running], { ...room(1_000_000), historyTokens: 10_000 })

    expect(kept.at(-1)).toEqual(running)
  })

  test.each([
    'Never touch the page Imprint.',
    'Do not change prices!',
    'Bitte die Preise nicht ändern.',
    'Schreibe ab jetzt immer per Sie.',
    'Ne modifie pas la page Contact.',
    'Don’t touch the prices.',
    'N’utilise pas l’image 3.',
    'Ne la modifie pas.',
    'N’y touche plus !',
  ])('remembers the first request and orders of turns that are left out: %s', (order) => {
    const all = course(400)
    all[0]?.splice(0, 1, says('We rework all lamps.'))
    all[7]?.splice(0, 1, says(`Look here. ${order} Is the text good?`))
    const { turns: kept, shortened } = within(all, { ...room(1_000_000), historyTokens: 10_000 })

    expect(shortened).toBe(true)
    expect(kept[0]).toEqual([
      {
        kind: 'note',
        text: [
          '[Earlier turns of this conversation no longer fit and are left out.]',
          'The user said in them, and it still holds:',
          '- "We rework all lamps."',
          `- "${order}"`,
        ].join('\n'),
      },
    ])
  })

  test('is kept by what is sent of a conversation without end', () => {
    for (const count of [100, 200, 400, 800]) {
      const { turns: kept } = budgeted(count, 10_000)
      const [note = [], ...left] = kept.slice(0, -1)
      expect(within(left, room(1_000_000)).tokens).toBeLessThanOrEqual(10_000)
      expect(tokensIn(JSON.stringify(note))).toBeLessThan(2_000)
    }
  })
})
