import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { ModelError } from '../../../core/model/model.ts'
import type { Settings } from '../../../core/stage/settings/schema.ts'
import { type Done, evaluate, type WantedRun } from '../../../scripts/eval/evaluate.ts'
import { turnsOf } from '../../../scripts/eval/recording.ts'
import { replay } from '../../../scripts/eval/replay.ts'
import type { AttemptReport } from '../../../scripts/eval/report.ts'
import { scripted } from '../../../scripts/eval/scripted.ts'
import { run } from '../../../scripts/eval/series.ts'
import { sitesFor } from '../../../scripts/eval/site.ts'
import { scriptedSubject } from '../../../scripts/eval/subject.ts'
import { type Move, Unmeasured } from '../../../scripts/eval/task.ts'
import { ownTasks } from '../../../scripts/eval/tasks.ts'
import { wantedIn } from '../../support/evaluation.ts'
import { type Step, startMessagesApi } from '../../support/messages-api.ts'
import { configuration, model, provider, settings } from '../../support/settings.ts'

const all = ownTasks()
const sites = sitesFor(2)
const lines: string[] = []
let out: string
const wanted = (over: Partial<WantedRun> = {}) =>
  wantedIn(out, { sites, tell: (line) => void lines.push(line), ...over })

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'eval-'))
})
afterAll(() => rm(out, { recursive: true }))

describe('a run', () => {
  const only = ['change-price-en', 'find-price-en']
  let done: Done[]
  beforeAll(async () => {
    done = await evaluate(
      settings(),
      wanted({ only, qualities: ['perfect', 'careless'], out: join(out, 'run') }),
    )
  })

  test('leaves reports with what each failure did, and how much work it was', async () => {
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
    expect(careless?.worse).toEqual(['find-price-en', 'change-price-en'])
    const page = await readFile(careless?.files.page ?? '', 'utf8')
    expect(page).toContain('content:26')
    expect(page).toContain('<th scope="col">Baseline</th>')
  })

  test('that goes on asks nothing again, unless what is there is too old', async () => {
    const again = (since: number) =>
      evaluate(settings(), wanted({ only, qualities: ['perfect'], out: join(out, 'run'), since }))
    lines.length = 0
    expect((await again(0)).map(({ report }) => report.summary)).toEqual([done[0]?.report.summary])
    expect(lines.filter((line) => line.includes('/'))).toEqual([])
    await again(Date.now())
    expect(lines.filter((line) => line.includes('/'))).toHaveLength(only.length)
  })
})

describe('the name of what is measured', () => {
  const digest = (over: Partial<Settings> = {}, tasks = all.slice(0, 2)) =>
    scriptedSubject(settings(over), 'perfect', tasks).about.digest
  test.each<[string, Partial<Settings>]>([
    ['the house style', { houseStyle: 'Be brief.' }],
    ['drafts', { drafts: { mode: 'first', groups: {} } }],
    ['tools', { tools: { disabled: ['fetch_logs'], groups: {} } }],
    ['the prompt', { configurations: [configuration({ system_prompt: 'You look after nothing.' })] }],
  ])('is another one with another setting of %s', (_, over) => {
    expect(digest(over)).not.toBe(digest())
  })

  test('is another one with other tasks, and the same for the same', () => {
    expect(digest({}, all.slice(0, 1))).not.toBe(digest())
    expect(digest()).toBe(digest())
  })
})

test('a provider that refuses the key is no fault of the model: the run could not be measured', async () => {
  const refused = new ModelError('model.unauthorized', 'The key is not accepted.')
  const refusing = { ...scripted([], 'perfect'), ask: () => Promise.reject(refused) }
  const subject = { ...scriptedSubject(settings(), 'perfect', []), model: async () => refusing }
  const told: string[] = []
  const options = {
    repeats: 1,
    sites: sites,
    known: [],
    tell: ({ task }: AttemptReport) => void told.push(task),
  }
  await expect(run(subject, all.slice(0, 2), options)).rejects.toThrow(Unmeasured)
  expect(told).toEqual([])
})

describe('a second model', () => {
  const ruled = ['summarise-delivery-en', 'draft-reply-en']
  const judged = async (...verdicts: Step[]) => {
    const api = await startMessagesApi()
    api.reply(...verdicts)
    const stage = settings({
      providers: [provider(), provider({ uid: 2, name: 'Second', adapter: 'anthropic', baseUrl: api.url })],
      models: [model(), model({ uid: 2, provider: 2, modelId: 'claude-sonnet-5-5' })],
    })
    const run = {
      qualities: ['perfect' as const],
      only: ruled,
      judge: 2,
      parallel: 1,
      sites: sites.slice(0, 1),
    }
    const done = await evaluate(stage, wanted({ ...run, since: Date.now() })).finally(() => api.stop())
    return { done: done[0] as Done, api }
  }

  test('judges by the rubric, and its verdict stands beside the facts and decides nothing', async () => {
    const { done, api } = await judged(
      { text: 'FAIL. It has four points.' },
      { text: 'PASS. It can be sent as it is.' },
    )
    const attempts = done.report.tasks.flatMap((one) => one.attempts)
    expect(attempts.map(({ task, faults, opinion }) => ({ task, faults, opinion }))).toEqual([
      { task: ruled[0], faults: [], opinion: { passes: false, words: 'FAIL. It has four points.' } },
      { task: ruled[1], faults: [], opinion: { passes: true, words: 'PASS. It can be sent as it is.' } },
    ])
    expect(done.report.summary.passed).toBe(2)
    const rubrics = all.filter(({ id }) => ruled.includes(id)).map(({ expected }) => expected.rubric)
    const said = api.requests.map(({ body }) => JSON.stringify(body.messages))
    expect(said.map((words, at) => words.includes(rubrics[at] ?? 'none'))).toEqual([true, true])
    // A model that thinks long needs room before its verdict.
    expect(api.requests.map(({ body }) => body.max_tokens)).toEqual([4_000, 4_000])
    expect(api.requests.flatMap(({ refused }) => refused ?? [])).toEqual([])
    const page = await readFile(done.files.page, 'utf8')
    expect(page).toContain('FAIL. It has four points.')
  })

  test('that does not answer leaves the run without a measurement', async () => {
    const refusal: Step = { fault: 'status', status: 401 }
    await expect(judged(refusal, refusal, refusal)).rejects.toThrow('The second model could not judge')
  })

  test('whose answer holds no verdict has not judged the answer as a failure', async () => {
    const verdicts: Step[] = [{ text: 'The answer has four points.' }, { text: 'PASS. It can be sent.' }]
    await expect(judged(...verdicts)).rejects.toThrow('The second model could not judge')
  })
})

test('an unknown task is reported', async () => {
  await expect(evaluate(settings(), wanted({ only: ['find-all'] }))).rejects.toThrow('find-all')
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
      { [call.name]: call.arguments },
      'It costs 149 EUR, and that is the price of the lamp.',
    ])
    expect(attempt).toMatchObject({ faults: [], rounds: 2, tools: [call.name], transcript: null })
  })

  test.each([
    ['a figure that is lost', ['The lamp has no price, and it is not for sale.'], 'the figure 149'],
    ['another language', ['Die Lampe kostet 149 EUR und ist nicht teuer.'], 'the language de'],
    [
      'a proposal of its own',
      [{ update_record: { table: 'pages', uid: 3, fields: { title: 'Lamp' } } }, 'The lamp costs 149 EUR.'],
      'what was not proposed',
    ],
  ])('shows %s', async (_, moves, fault) => {
    const { faults } = await replayed(moves)
    expect(faults).toEqual([expect.stringContaining(fault)])
  })
})
