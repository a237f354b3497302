import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { type Done, evaluate, type Wanted } from '../../../scripts/eval/evaluate.ts'
import { turnsOf } from '../../../scripts/eval/recording.ts'
import { replay } from '../../../scripts/eval/replay.ts'
import { scripted } from '../../../scripts/eval/scripted.ts'
import { scriptedSubject } from '../../../scripts/eval/subject.ts'
import { calling, changing, type Move, saying } from '../../../scripts/eval/task.ts'
import { tasks } from '../../../scripts/eval/tasks/tasks.ts'
import { settings } from '../../support/settings.ts'

/** One task of each kind, and a second way to give an order that is none. */
const only = [
  'find-price-en',
  'compare-languages-en',
  'summarise-news-en',
  'draft-page-de',
  'change-price-en',
  'translate-element-en',
  'refuse-change-de',
  'ask-which-en',
  'resist-content-en',
  'resist-file-en',
  'attachment-draft-en',
  'stop-again-en',
]
const lines: string[] = []
let out: string
const wanted = (): Wanted => ({
  choice: {},
  only,
  repeats: 1,
  parallel: 2,
  out,
  baseline: undefined,
  replay: [],
  consent: undefined,
  tell: (line) => lines.push(line),
})

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'eval-'))
})
afterAll(() => rm(out, { recursive: true }))

describe('scripted models of known quality on the seeded site', () => {
  let done: Done[]
  beforeAll(async () => {
    done = await evaluate(settings(), wanted())
  })

  const failed = (one: Done | undefined) =>
    one?.report.tasks.filter(({ figures }) => figures.passed === 0).map(({ id }) => id)
  const planted = (weakness: 'careless' | 'obedient') =>
    tasks.filter(({ id, slips }) => only.includes(id) && slips[weakness]).map(({ id }) => id)

  test('are ranked as they are', () => {
    expect(done.map(({ report }) => [report.about.name, report.summary.passed])).toEqual([
      ['perfect', only.length],
      ['careless', only.length - planted('careless').length],
      ['obedient', only.length - planted('obedient').length],
    ])
  })

  test('fail where their weakness was planted, and nowhere else', () => {
    expect(failed(done[1])).toEqual(planted('careless'))
    expect(failed(done[2])).toEqual(planted('obedient'))
    expect(done[2]?.worse).toEqual(planted('obedient'))
  })

  test('leave reports with what each failure did, and how much work it was', async () => {
    const [perfect, careless] = done
    const change = perfect?.report.tasks.find(({ id }) => id === 'change-price-en')?.attempts[0]
    expect(change).toMatchObject({
      faults: [],
      rounds: 3,
      approvals: 1,
      tools: ['get_page_content', 'update_record', 'update_record'],
      transcript: null,
    })
    expect(change?.usage.input).toBeGreaterThan(1_000)
    const page = await readFile(careless?.files.page ?? '', 'utf8')
    expect(page).toContain('content:26')
    expect(page).toContain('<th scope="col">Baseline</th>')
  })

  test('are not asked again by a run that goes on', async () => {
    lines.length = 0
    const again = await evaluate(settings(), wanted())
    expect(again.map(({ report }) => report.summary)).toEqual(done.map(({ report }) => report.summary))
    expect(lines.filter((line) => line.includes('/'))).toEqual([])
  })
})

test('an unknown task is reported', async () => {
  await expect(evaluate(settings(), { ...wanted(), only: ['find-all'] })).rejects.toThrow('find-all')
})

describe('a conversation that its owner has exported', () => {
  const row = (sequence: number, over: Partial<Message>): Message => ({
    sequence,
    role: 'assistant',
    content: '',
    createdAt: '2026-11-20T12:00:00.000Z',
    ...over,
  })
  const call = { id: 'toolu_1', name: 'get_page_content', arguments: { page: 3 } }
  const result = 'Price: 149 EUR. sk-ant-api03-aaaaaaaaaaaaaaaa'
  const messages = [
    row(0, { role: 'user', content: 'What does the lamp cost?' }),
    row(1, { toolCalls: [call] }),
    row(2, { role: 'tool', content: result, toolCallId: call.id, toolName: call.name, outcome: 'done' }),
    row(3, { content: 'The lamp costs 149 EUR and not 12.' }),
    row(4, { role: 'user', content: 'Thank you!' }),
    row(5, { notice: 'cancelled' }),
  ]

  async function replayed(moves: Move[]) {
    const path = join(out, 'A lamp.json')
    await writeFile(path, JSON.stringify({ conversation: { title: 'A lamp' }, messages }))
    const turns = await turnsOf(path)
    expect(turns.map(({ id }) => id)).toEqual(['A-lamp-1'])
    const [turn] = turns as [(typeof turns)[number]]
    expect(JSON.stringify(turn)).not.toContain('sk-ant')
    return replay(turn, scriptedSubject(settings(), 'perfect', []), scripted(moves, 'perfect'))
  }

  test('is answered again with what the tools gave then', async () => {
    const attempt = await replayed([
      calling(call.name, call.arguments),
      saying('It costs 149 EUR, and that is the price of the lamp.'),
    ])
    expect(attempt).toMatchObject({ faults: [], rounds: 2, tools: [call.name], transcript: null })
  })

  test.each([
    ['a figure that is lost', [saying('The lamp has no price, and it is not for sale.')], 'the figure 149'],
    ['another language', [saying('Die Lampe kostet 149 EUR und ist nicht teuer.')], 'the language de'],
    [
      'a proposal of its own',
      [changing('pages', 3, { title: 'Lamp' }), saying('The lamp costs 149 EUR.')],
      'what was not proposed',
    ],
  ])('shows %s', async (_, moves, fault) => {
    const { faults } = await replayed(moves)
    expect(faults).toEqual([expect.stringContaining(fault)])
  })
})
