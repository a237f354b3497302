import { afterEach, beforeAll, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import type { Tool } from '../../core/tool/tool.ts'
import { tools } from '../../core/tool/tools.ts'
import { countRecords } from '../../docs/examples/count-records.ts'
import { createNewsDraft } from '../../docs/examples/create-news-draft.ts'
import { button, clear, log, mountModule, mountPanel, stage } from './mount.ts'

beforeAll(() => {
  // As README says: a file, and a line in the list. The stage of these tests hands over the words of the list.
  ;(tools as Tool[]).push(countRecords, createNewsDraft)
})
afterEach(clear)

type Said = Omit<Message, 'sequence' | 'createdAt'>

/** A turn in which a tool was called and answered. */
const used = (name: string, args: Record<string, unknown>, facts: Partial<Message>): Said[] => [
  { role: 'user', content: 'Do it' },
  { role: 'assistant', content: '', runId: 'r', toolCalls: [{ id: 'c', name, arguments: args }] },
  { role: 'tool', content: 'Words for the model', toolCallId: 'c', toolName: name, runId: 'r', ...facts },
  { role: 'assistant', content: 'There you are.', runId: 'r' },
]
const made = (table: string) => ({
  outcome: 'done' as const,
  approved: true,
  records: [{ table, uid: 42, title: 'Autumn', page: 7 }],
  count: 1,
})
const created = used('create_news_draft', { page: 7, title: 'Autumn' }, made('news'))
const drafted = used('create_content_draft', { page: 7, header: 'Autumn', type: 'header' }, made('content'))

/** The sign and the words of the step of the tool. */
async function step() {
  await page.getByRole('button', { name: /^3 steps, / }).click()
  const row = page.getByRole('list', { name: 'Steps' }).getByRole('listitem').nth(1)
  await expect.element(row).toBeInTheDocument()
  return { row, sign: row.element().querySelector('.step-sign path')?.getAttribute('d') }
}

test('a new tool that reads has its words, its sign and its source', async () => {
  const it = stage()
  const records = [{ table: 'news', uid: 8, title: 'A' }]
  const id = it.add({}, used('count_records', { table: 'news' }, { outcome: 'done', records, count: 12 }))
  mountModule(it, { conversationId: id })

  const { row, sign } = await step()

  await expect.element(row).toMatchTextContent('Counted records News')
  expect(sign).toMatch(/^M5\.75 4h7\.75/)
  await expect.element(page.getByRole('group', { name: 'Sources' })).toMatchTextContent('News, 12 records')
})

test('a new tool that writes has its words, its sign, its decision and its record', async () => {
  const it = stage()
  const id = it.add({}, created)
  mountModule(it, { conversationId: id, recordHref: '/r/{table}/{uid}' })

  const { row, sign } = await step()

  await expect.element(row).toMatchTextContent('Created hidden news')
  expect(sign).toBe('M8 3v10M3 8h10')
  await expect.element(log()).toMatchTextContent('The hidden news “Autumn” was created on page [7].')
  const link = page.getByRole('link', { name: 'Open record' })
  await expect.element(link).toHaveAttribute('href', '/r/news/42')
})

test('the words are in the language that the page chose', async () => {
  const it = stage()
  const id = it.add({}, drafted)
  mountModule(it, { conversationId: id, lang: 'de' })

  await expect
    .element(page.getByRole('log'))
    .toMatchTextContent('Der versteckte Inhalt „Autumn“ wurde auf Seite [7] angelegt.')
})

test('the stage is not asked again and again by two elements in two languages', async () => {
  const it = stage()
  const id = it.add({}, drafted)
  const other = it.add({}, [{ role: 'user', content: 'Danke' }])
  mountPanel(it, { open: true })
  const module = mountModule(it, { conversationId: id, lang: 'de' })
  const inModule = page.getByRole('log', { name: 'Unterhaltung', exact: true })
  await expect.element(inModule).toMatchTextContent('Der versteckte Inhalt „Autumn“')
  await expect.element(log()).toBeInTheDocument()

  module.show(other)

  await expect.element(inModule).toMatchTextContent('Danke')
  expect(it.to('/status').length).toBeLessThan(8)
})

test('a tool that is gone since has neutral words, and its rows still tell what became of them', async () => {
  const it = stage()
  const facts = { outcome: 'refused', isError: true } as const
  const sung = used('sing', { table: 'news' }, facts)
  const written = used('carve', {}, { ...created[2], toolName: 'carve' })
  mountModule(it, { conversationId: it.add({}, [...written, ...sung]) })

  await expect.element(log()).toMatchTextContent('Autumn [42] was changed.')
  await page
    .getByRole('button', { name: /^3 steps, / })
    .last()
    .click()
  await expect
    .element(page.getByRole('list', { name: 'Steps' }).getByRole('listitem').nth(1))
    .toMatchTextContent('Used sing refused')
})

test('an undo that met a conflict says what was undone and what was not, after a reload too', async () => {
  const it = stage()
  const conflict = { table: 'news', uid: 43, title: 'Winter', reason: 'Another editor has changed it since.' }
  const undone: Said = {
    role: 'assistant',
    content: 'Words',
    notice: 'undone',
    runId: 'r',
    records: [{ table: 'news', uid: 42, title: 'Autumn' }],
    conflicts: [conflict],
  }
  mountModule(it, { conversationId: it.add({}, [...created, undone]) })

  const left = 'Winter [43] was not undone: Another editor has changed it since.'
  await expect.element(log()).toMatchTextContent(`Undone: 1 record. ${left}`)
  await expect.element(log()).toMatchTextContent(`Undone: Autumn [42]. ${left}`)
  await expect.element(page.getByRole('button', { name: 'Undo' })).toBeInTheDocument()
})

test('the model that answered in the place of the configured one is named in the steps', async () => {
  const it = stage()
  const records = [{ table: 'news', uid: 8, title: 'A' }]
  const id = it.add({}, used('count_records', { table: 'news' }, { outcome: 'done', records, count: 12 }))
  const activity = [
    { kind: 'llm' as const, round: 1, ms: 700 },
    { kind: 'tool' as const, round: 1, ms: 30, tool: 'count_records' },
    { kind: 'llm' as const, round: 2, ms: 900, model: 'claude-haiku-5-5' },
  ]
  it.change(id, {}, { activity })
  mountModule(it, { conversationId: id })

  await page.getByRole('button', { name: /^3 steps, / }).click()
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem')
  await expect
    .element(steps.last())
    .toMatchTextContent(
      'Wrote the answer answered by claude-haiku-5-5, because the usual model was not available',
    )
  expect(steps.first().element().textContent).not.toContain('answered by')
})

test.each([
  ['is not offered beside the page that is open already', 7, 0],
  ['is offered beside another page', 8, 1],
])('a record %s', async (_, pageId, times) => {
  const it = stage()
  const records = [{ table: 'pages', uid: 7, title: 'Lamps' }]
  const facts = { outcome: 'done', approved: true, records, count: 1 } as const
  const id = it.add({}, used('update_record', { table: 'pages', uid: 7 }, facts))
  mountModule(it, { conversationId: id, context: { pageId, module: 'page', title: 'Open' } })

  await expect.element(log()).toMatchTextContent('Lamps [7]')
  expect(page.getByRole('link', { name: 'Open record' }).elements()).toHaveLength(times)
})

test.each([
  ['model.rejected', 'Asked the model refused'],
  ['model.unavailable', 'Asked the model no answer'],
] as const)('a provider that answers %s: %s', async (errorCode, words) => {
  const it = stage()
  const id = it.add({ status: 'failed', errorCode, errorMessage: 'It failed.' }, [
    { role: 'user', content: 'Do it' },
  ])
  const error = 'The language model did not answer.'
  it.change(id, {}, { activity: [{ kind: 'llm', round: 1, ms: 5, error }] })
  mountModule(it, { conversationId: id })

  await expect
    .element(page.getByRole('list', { name: 'Steps' }).getByRole('listitem'))
    .toMatchTextContent(words)
})

test('an undo that met a conflict names the record by its title, as the row of the change does', async () => {
  const it = stage()
  const conflicts = [{ table: 'news', uid: 42, reason: 'Another editor has changed it since.' }]
  it.dropped.push({ runId: 'r', changes: 1, answer: { undone: [], conflicts } })
  mountModule(it, { conversationId: it.add({}, created) })

  await button('Undo').click()

  await expect
    .element(page.getByText('Autumn [42] was not undone: Another editor has changed it since.').first())
    .toBeVisible()
})

test('an undo of several turns that an edit dropped tells the conflicts of all', async () => {
  const it = stage()
  const reason = 'Another editor has changed it since.'
  const answer = (uid: number) => ({ undone: [], conflicts: [{ table: 'news', uid, reason }] })
  it.dropped.push(
    { runId: 'a', changes: 1, answer: answer(1) },
    { runId: 'b', changes: 1, answer: answer(2) },
  )
  const id = it.add({}, [
    { role: 'user', content: 'Do it' },
    { role: 'assistant', content: 'Done.', runId: 'a' },
  ])
  mountModule(it, { conversationId: id })
  await button('Edit message').click()
  await button('Save and send').click()

  await button('Undo').click()

  await expect
    .element(page.getByText(/News \[1\] was not undone: .* News \[2\] was not undone: /).first())
    .toBeInTheDocument()
})

test('a long name in a step is cut in its line, and the log does not scroll to the side', async () => {
  const it = stage()
  const records = [{ table: 'news', uid: 8, title: 'A title that is longer than the line '.repeat(4) }]
  const id = it.add({}, used('get_record', { table: 'news', uid: 8 }, { outcome: 'done', records }))
  mountModule(it, { conversationId: id })

  const { row } = await step()

  await expect.element(row).toMatchTextContent('A title that is longer')
  const { scrollWidth, clientWidth } = log().element()
  expect(scrollWidth).toBe(clientWidth)
})
