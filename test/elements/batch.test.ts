import { afterEach, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { FieldChange, PendingCall } from '../../core/conversation/schema.ts'
import { button, clear, focused, log, mountModule, stage } from './mount.ts'

afterEach(clear)

const names = ['Aurora', 'Borealis', 'Candle', 'Dusk', 'Ember']
const changes = names.map((name, at) => ({ uid: at + 1, fields: { title: `${name} lamp` } }))
const args = { table: 'news', changes }
const calls = names.map(
  (name, at): PendingCall => ({
    id: `b#${at}`,
    tool: 'update_records',
    title: `Change 1 field of “${name}”`,
    arguments: { table: 'news', changes: changes.slice(at, at + 1) },
    preview: {
      table: 'news',
      uid: at + 1,
      label: name,
      page: { uid: 7, title: 'News' },
      changes: [{ field: 'title', label: 'Title', before: name, after: `${name} lamp` }],
    },
  }),
)
const card = () => page.getByRole('region', { name: '5 changes' })
const tickOf = (name: string, uid: number) =>
  page.getByRole('checkbox', { name: `Include: ${name} [${uid}]` })
/** Behind the time in which a click does nothing. */
const settled = () => expect.element(button(/^Approve/)).toHaveAttribute('aria-disabled', 'false')

const batch = [{ id: 'b', name: 'update_records', arguments: args }]

test('of new records names each, and links to none', async () => {
  const it = stage()
  const fresh = calls.slice(0, 2).map(
    (call): PendingCall => ({
      ...call,
      tool: 'create_records',
      preview: call.preview && {
        ...call.preview,
        uid: null,
        changes: [{ field: 'title', label: 'Title', before: null, after: 'New' }],
      },
    }),
  )
  const id = it.add({}, [
    { role: 'user', content: 'Make them' },
    {
      role: 'assistant',
      content: 'I prepared it.',
      runId: 'run',
      toolCalls: [{ id: 'b', name: 'create_records', arguments: {} }],
    },
  ])
  it.pause(id, { calls: fresh })
  mountModule(it, { conversationId: id })
  const region = page.getByRole('region', { name: '2 changes' })

  for (const name of ['Aurora', 'Borealis'])
    await expect.element(region.getByRole('checkbox', { name: `Include: ${name}` })).toBeChecked()
  expect(region.getByRole('link').elements()).toEqual([])
})

/** The row of one record's result. */
const ended = (at: number, outcome: 'done' | 'denied' | 'conflict') => ({
  role: 'tool' as const,
  content: outcome,
  runId: 'run',
  toolCallId: `b#${at}`,
  toolName: 'update_records',
  outcome,
  approved: outcome !== 'denied',
  ...(outcome !== 'done' && { isError: true }),
  records: [{ table: 'news', uid: at + 1, title: names[at] ?? '' }],
})

describe('many changes of one kind', () => {
  test('are one table with a row and a tick for each record, and a filter over them', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.propose(calls, batch), recordHref: '/r/{table}/{uid}' })
    await expect.element(card()).toBeInTheDocument()

    for (const name of ['Record', 'Field', 'Now', 'After approval'])
      await expect.element(card().getByRole('columnheader', { name })).toBeInTheDocument()
    await expect
      .element(card().getByRole('link', { name: 'Candle [3]' }))
      .toHaveAttribute('href', '/r/news/3')
    await expect.poll(() => card().element().querySelector('ins')?.textContent).toBe('lamp')
    await expect.element(card()).toMatchTextContent('5 of 5 rows')

    await userEvent.fill(card().getByRole('searchbox', { name: 'Filter rows' }), 'bor')
    await expect.element(card()).toMatchTextContent('1 of 5 rows')
    await userEvent.click(card().getByRole('checkbox', { name: 'All rows' }))
    await userEvent.clear(card().getByRole('searchbox', { name: 'Filter rows' }))

    await expect.element(tickOf('Borealis', 2)).not.toBeChecked()
    await expect.element(tickOf('Aurora', 1)).toBeChecked()
    await expect.element(button('Approve 4 of 5')).toBeInTheDocument()
  })

  test('are approved where ticked and denied elsewhere, also from the keyboard', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.propose(calls, batch) })
    await expect.element(tickOf('Dusk', 4)).toBeInTheDocument()
    for (const [name, uid] of [
      ['Dusk', 4],
      ['Ember', 5],
    ] as const) {
      ;(tickOf(name, uid).element() as HTMLElement).focus()
      await userEvent.keyboard(' ')
    }
    await settled()
    ;(button('Approve 3 of 5').element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')

    await expect.element(card()).not.toBeInTheDocument()
    await expect
      .poll(() => it.to('/conversations/approve').at(-1)?.body)
      .toMatchObject({ approve: true, denied: ['b#3', 'b#4'] })
    await expect.poll(focused).toContain('You approved this')
  })

  test('cannot be approved with no row ticked', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.propose(calls, batch) })
    await userEvent.click(card().getByRole('checkbox', { name: 'All rows' }))

    await expect.element(button('Approve')).toBeDisabled()
    await expect.element(button('Deny')).toBeEnabled()
  })
})

describe('a batch of two hundred long texts', () => {
  const story = (word: string) =>
    `${'The same words as before. '.repeat(60)}${word}${' And on it goes.'.repeat(60)}`
  const many = Array.from({ length: 200 }, (_, at): PendingCall => {
    const [first] = calls as [PendingCall]
    const change = { field: 'text', label: 'Text', before: story(`old ${at}`), after: story(`new ${at}`) }
    const preview = {
      ...first.preview,
      table: 'news',
      uid: at + 1,
      label: `Story ${at + 1}`,
      changes: [change],
    }
    return { ...first, id: `b#${at}`, preview }
  })
  const region = () => page.getByRole('region', { name: '200 changes' })
  const marked = () => region().element().querySelectorAll('ins').length
  const opened = () => {
    const it = stage()
    const changes = many.map(({ preview }) => ({ uid: preview?.uid, fields: { text: 'New' } }))
    const toolCalls = [{ id: 'b', name: 'update_records', arguments: { table: 'news', changes } }]
    const id = it.add({}, [
      { role: 'user', content: 'Change them' },
      { role: 'assistant', content: 'I prepared it.', runId: 'run', toolCalls },
    ])
    it.pause(id, { calls: many })
    const module = mountModule(it, { conversationId: id })
    const drawn = { count: 0 }
    module.addController({ hostUpdated: () => drawn.count++ })
    return drawn
  }

  test('compares what is near the screen, and the rest as it comes near, in few drawings', async () => {
    const drawn = opened()
    await expect.element(region()).toBeInTheDocument()
    await expect.poll(marked).toBeGreaterThan(5)
    await settled()

    expect(region().getByRole('row').elements()).toHaveLength(201)
    expect(marked()).toBeLessThan(60)
    expect(drawn.count).toBeLessThan(60)

    const last = region().getByRole('row').filter({ hasText: 'Story 200 ' })
    last.element().scrollIntoView()
    await expect.poll(() => last.element().querySelector('ins')?.textContent).toBe('new')
    expect(marked()).toBeLessThan(120)
  })

  test('is approved without emphasis while a change has not been on the screen', async () => {
    opened()
    await expect.element(region()).toBeInTheDocument()
    const left = () => Number.parseInt(button(/not seen yet$/).element().textContent ?? '', 10)
    await expect.poll(left).toBeLessThan(200)
    await expect.element(button('Approve')).not.toHaveClass('btn-primary')

    const before = left()
    await userEvent.click(button(/not seen yet$/))
    await expect.poll(left).toBeLessThan(before)

    await userEvent.click(region().getByRole('checkbox', { name: 'All rows' }))
    await userEvent.click(region().getByRole('checkbox', { name: 'Include: Story 1 [1]' }))
    await expect.element(button(/not seen yet$/)).not.toBeInTheDocument()
    await expect.element(button('Approve 1 of 200')).toHaveClass('btn-primary')
  })
})

test('the decision on a long proposal is readable on a phone', async () => {
  const many = Array.from({ length: 40 }, (_, at): PendingCall => {
    const [first] = calls as [PendingCall]
    return {
      ...first,
      id: `b#${at}`,
      preview: first.preview && { ...first.preview, uid: at + 1, label: `Story ${at + 1}` },
    }
  })
  const it = stage()
  await page.viewport(360, 740)
  mountModule(it, { conversationId: it.propose(many, batch) })
  const unseen = button(/not seen yet$/)
  await expect.element(unseen).toBeVisible()
  await settled()
  const isCut = [unseen, button('Deny'), button('Approve')].map((one) => {
    const { scrollWidth, clientWidth } = one.element()
    return scrollWidth > clientWidth
  })
  await userEvent.click(button('Deny'))
  await expect.element(button('Cancel')).toBeVisible()
  const rows = new Set(
    [button('Cancel'), button('Deny')].map((one) => one.element().getBoundingClientRect().top),
  )
  await page.viewport(1280, 800)

  expect(isCut).toEqual([false, false, false])
  expect(rows.size).toBe(1)
})

test('the proposed words can be changed before the approval, from the keyboard too', async () => {
  const it = stage()
  const first = { ...(calls[0] as PendingCall), id: 'one', editable: ['title'] }
  const id = it.propose([first])
  mountModule(it, { conversationId: id })
  const change = button('Change the words: Title')
  await expect.element(change).toBeInTheDocument()
  ;(change.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  const field = page.getByRole('textbox', { name: 'New words: Title' })
  await expect.element(field).toHaveValue('Aurora lamp')
  await expect.poll(focused).toContain('New words: Title')
  await userEvent.keyboard('{Escape}')
  await expect.poll(focused).toBe('Change the words: Title')

  await userEvent.click(change)
  await userEvent.fill(field, 'My lamp')
  await userEvent.click(button('Use these words'))

  await expect.element(page.getByText('Your words')).toBeInTheDocument()
  expect(it.to('/conversations/amend')[0]?.body).toEqual({
    conversationId: id,
    digest: 'd1',
    callId: 'one',
    field: 'title',
    value: 'My lamp',
  })
  await expect.element(log()).not.toMatchTextContent('The record was changed meanwhile')
  await expect.element(page.getByRole('region', { name: first.title })).toMatchTextContent('My lamp')
})

test('a field that the user empties keeps its pencil, which gets the focus', async () => {
  const it = stage()
  const [first] = calls as [PendingCall, ...PendingCall[]]
  mountModule(it, { conversationId: it.propose([{ ...first, id: 'one', editable: ['title'] }]) })
  await userEvent.click(button('Change the words: Title'))
  await userEvent.clear(page.getByRole('textbox', { name: 'New words: Title' }))

  await userEvent.click(button('Use these words'))

  await expect.element(page.getByText('Your words')).toBeInTheDocument()
  await expect.element(page.getByRole('region', { name: first.title })).toMatchTextContent('empty')
  await expect.poll(focused).toBe('Change the words: Title')
})

test('a field with fixed values offers these in place of a text', async () => {
  const it = stage()
  const [first] = calls as [PendingCall, ...PendingCall[]]
  const type = { field: 'type', label: 'Type', before: null, after: 'text', options: ['text', 'quote'] }
  const preview = first.preview && { ...first.preview, changes: [type] }
  mountModule(it, {
    conversationId: it.propose([{ ...first, preview, id: 'one', editable: ['type'] }]),
  })
  await userEvent.click(button('Change the words: Type'))
  const field = page.getByRole('combobox', { name: 'New words: Type' })
  await expect.element(field).toHaveValue('text')
  await expect.poll(focused).toContain('New words: Type')

  await userEvent.selectOptions(field, 'quote')
  await userEvent.click(button('Use these words'))

  await expect.element(page.getByText('Your words')).toBeInTheDocument()
  expect(it.to('/conversations/amend')[0]?.body).toMatchObject({ field: 'type', value: 'quote' })
})

describe('words that the user wrote and did not store yet', () => {
  const editable = calls.slice(0, 2).map(
    (call, at): PendingCall => ({
      ...call,
      id: `c${at}`,
      editable: ['title'],
    }),
  )
  const pencil = (at: number) => button('Change the words: Title').nth(at)
  const field = page.getByRole('textbox', { name: 'New words: Title' })
  const refusal = { status: 422, code: 'approval.unchanged', message: 'Nothing would change.' }
  const write = async (words: string) => {
    const it = stage()
    const id = it.propose(editable)
    const module = mountModule(it, { conversationId: id })
    await settled()
    await userEvent.click(pencil(0))
    await userEvent.fill(field, words)
    return Object.assign(it, { id, module })
  }

  test('are still in the field after another conversation was shown, beside the ticks', async () => {
    const { id, module } = await write('My lamp')
    const second = page.getByRole('checkbox', { name: /Borealis/ })
    await userEvent.click(second)
    module.conversationId = null
    await expect.element(field).not.toBeInTheDocument()
    module.conversationId = id

    await expect.element(field).toHaveValue('My lamp')
    await expect.element(second).not.toBeChecked()
    await expect.element(button('Approve 1 of 2')).toHaveAttribute('aria-disabled', 'true')
  })

  test('are there again after a reload, beside the ticks, until the decision', async () => {
    const it = stage()
    const id = it.propose(editable)
    const drafts = { [`unticked ${id} run`]: 'c1', [`words ${id} run`]: 'c0\ntitle\nMy\nlamp' }
    localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ drafts }))
    const module = mountModule(it, { conversationId: id })
    const kept = () => module.store?.memory.drafts

    await expect.element(field).toHaveValue('My\nlamp')
    const second = page.getByRole('checkbox', { name: /Borealis/ })
    await expect.element(second).not.toBeChecked()
    await userEvent.click(second)
    await userEvent.fill(field, 'Mine')
    expect(kept()).toMatchObject({ [`unticked ${id} run`]: '', [`words ${id} run`]: 'c0\ntitle\nMine' })
    await userEvent.click(second)
    await settled()
    await userEvent.click(button('Approve 1 of 2'))

    await expect.poll(kept).toMatchObject({ [`unticked ${id} run`]: '', [`words ${id} run`]: '' })
    expect(it.to('/conversations/approve')[0]?.body).toMatchObject({ digest: 'd2', denied: ['c1'] })
  })

  test('are approved in place of the words of the assistant', async () => {
    const it = await write('My lamp')

    await userEvent.click(button('Approve'))

    await expect
      .poll(() => it.to('/conversations/approve').map(({ body }) => [body.approve, body.digest]))
      .toEqual([[true, 'd2']])
    expect(it.to('/conversations/amend').map(({ body }) => [body.callId, body.value])).toEqual([
      ['c0', 'My lamp'],
    ])
  })

  test('are stored when the words of another row are opened', async () => {
    await write('My lamp')

    await userEvent.click(pencil(0))

    await expect.element(field).toHaveValue('Borealis lamp')
    await expect.poll(focused).toContain('New words: Title')
    await expect.element(page.getByText('Your words')).toBeInTheDocument()
    await expect.element(page.getByRole('region', { name: '2 changes' })).toMatchTextContent('My lamp')
  })

  test('that are refused stay in the field, and neither Approve nor another row goes on', async () => {
    const it = await write('Aurora')
    for (const press of [button('Approve'), pencil(0)]) {
      it.refusals.set('/ai-chat/conversations/amend', refusal)
      await settled()
      await userEvent.click(press)
      await expect.poll(() => it.refusals.size).toBe(0)
      await expect.element(page.getByText(refusal.message).last()).toBeVisible()
      await expect.element(field).toHaveValue('Aurora')
    }

    await userEvent.click(button('Use these words'))
    await expect.element(page.getByText('Your words')).toBeInTheDocument()
    expect(it.to('/conversations/approve')).toEqual([])
  })

  test('are sent once when Approve is pressed twice', async () => {
    const it = await write('My lamp')
    const { promise, resolve } = Promise.withResolvers<void>()
    it.held.set('/ai-chat/conversations/amend', promise)
    const approve = button('Approve').element() as HTMLElement
    approve.click()
    approve.click()
    await expect.poll(() => it.to('/conversations/amend')).toHaveLength(1)
    resolve()

    await expect.poll(() => it.to('/conversations/approve')).toHaveLength(1)
    expect(it.to('/conversations/amend')).toHaveLength(1)
  })

  test('do not hold up a decision that another proposal needs', async () => {
    const it = await write('My lamp')
    const [id] = it.conversations.keys()
    it.pause(String(id), { calls: calls.slice(2, 4), digest: 'd5' })
    await expect.element(tickOf('Candle', 3)).toBeInTheDocument()
    await settled()

    await userEvent.click(button('Approve'))

    await expect.poll(() => it.to('/conversations/approve').map(({ body }) => body.digest)).toEqual(['d5'])
    expect(it.to('/conversations/amend')).toEqual([])
  })
})

test.each(['one', 'a text of many words. '.repeat(100)])(
  'the button that changes the proposed words makes their row no taller: %#',
  async (after) => {
    const it = stage()
    const [one] = calls as [PendingCall]
    const title = { ...(one.preview?.changes[0] as FieldChange), before: null, after }
    const changes = [title, { ...title, field: 'header', label: 'Other' }]
    const preview = { ...(one.preview as NonNullable<PendingCall['preview']>), changes }
    const first = { ...one, id: 'one', preview, editable: ['title'] }
    mountModule(it, { conversationId: it.propose([first]) })
    await expect.element(button('Change the words: Title')).toBeInTheDocument()
    const heightOf = (label: string) =>
      page.getByRole('row').filter({ hasText: label }).element().getBoundingClientRect().height

    expect(heightOf('Title')).toBe(heightOf('Other'))
  },
)

test('columns that are empty in every row are left out, and the head of the other says so', async () => {
  const it = stage()
  const empty = calls.slice(0, 3).map((call): PendingCall => {
    const preview = call.preview as NonNullable<PendingCall['preview']>
    const changes = preview.changes.map((change) => ({ ...change, before: null }))
    return { ...call, preview: { ...preview, changes } }
  })
  const id = it.propose(calls, batch)
  it.pause(id, { calls: empty })
  mountModule(it, { conversationId: id })
  const region = page.getByRole('region', { name: '3 changes', exact: true })
  await expect.element(region).toBeInTheDocument()

  const texts = (role: 'columnheader' | 'rowheader') =>
    region
      .getByRole(role)
      .elements()
      .map((element) => element.textContent?.trim())
  expect(texts('columnheader')).toEqual(['Record', 'Field', 'After approval (empty now)'])
  await expect.element(region.getByRole('searchbox')).not.toBeInTheDocument()
  const left = (locator: Element | undefined) => {
    const range = document.createRange()
    range.selectNodeContents(locator as Element)
    return Math.round(range.getBoundingClientRect().left)
  }
  const [, field, after] = region.getByRole('columnheader').elements()
  const row = region.getByRole('row').nth(1)
  expect(left(field)).toBe(left(row.getByRole('rowheader').elements().at(-1)))
  await expect.poll(() => left(after)).toBe(left(row.getByRole('cell').elements().at(-1)))
})

test('a long proposal is summed up in a line', async () => {
  const it = stage()
  const id = it.propose(calls, batch)
  it.pause(id, { calls: calls.map((call, at) => (at < 2 ? { ...call, effect: 'publish' } : call)) })
  mountModule(it, { conversationId: id })

  await expect
    .element(card())
    .toMatchTextContent('5 records, 1 field, 2 published. Nothing changes until you approve.')
})

test('what else the CMS would do is said above the decision, with the record that it is about', async () => {
  const it = stage()
  const id = it.propose(calls, batch)
  const [first, second] = calls as [PendingCall, PendingCall]
  const preview = first.preview && { ...first.preview, notes: ['WordPress also removes: an iframe.'] }
  it.pause(id, { calls: [{ ...first, preview }, second] })
  mountModule(it, { conversationId: id })

  await expect.element(page.getByText('Aurora: WordPress also removes: an iframe.')).toBeVisible()
})

describe('the outcome of three changes', () => {
  test('is a list of record, state and Undo, with names that differ', async () => {
    const it = stage()
    const url = 'https://northlight.example/news/aurora'
    const three = { table: 'news', changes: changes.slice(0, 3) }
    const id = it.add({}, [
      { role: 'user', content: 'Change them' },
      {
        role: 'assistant',
        content: '',
        runId: 'run',
        toolCalls: [{ id: 'b', name: 'update_records', arguments: three }],
      },
      { ...ended(0, 'done'), records: [{ table: 'news', uid: 1, title: 'Aurora', url }] },
      ended(1, 'conflict'),
      ended(2, 'done'),
      { role: 'assistant', content: 'Done.', runId: 'run' },
    ])
    mountModule(it, { conversationId: id })
    const rows = page.getByRole('list', { name: 'Results, row by row' })
    await expect.element(rows).toBeInTheDocument()

    const names = (role: 'link' | 'button') =>
      rows
        .getByRole(role)
        .elements()
        .map((element) => element.getAttribute('aria-label') ?? element.textContent)
    expect(names('link')).toEqual([
      'Aurora [1]',
      'Show on the site: Aurora [1]',
      'Borealis [2]',
      'Candle [3]',
    ])
    const site = rows.getByRole('link', { name: 'Show on the site: Aurora [1]' })
    await expect.element(site).toHaveAttribute('href', url)
    expect(names('button')).toEqual(['Undo: Aurora [1]', 'Undo: Candle [3]'])
    await expect.element(rows).toMatchTextContent('Borealis [2] changed by others meanwhile')
    await expect.element(log()).toMatchTextContent('2 of 3 records were changed.')
  })
})

test('the outcome of new records and an undo names and links what is there', async () => {
  const it = stage()
  const page5 = { id: 'p', name: 'update_record', arguments: { table: 'pages', uid: 5, fields: {} } }
  const made = (id: string) => ({ id, name: 'create_content_draft', arguments: { page: 5 } })
  const stored = { role: 'tool', content: 'Text', runId: 'run', outcome: 'done', approved: true } as const
  const text = (uid: number) => ({ table: 'content', uid, title: 'A', page: 5 })
  const id = it.add({}, [
    { role: 'user', content: 'Change them' },
    { role: 'assistant', content: '', runId: 'run', toolCalls: [page5, made('c1'), made('c2')] },
    { ...stored, toolCallId: 'p', records: [{ table: 'pages', uid: 5, title: 'New name' }] },
    { ...stored, toolCallId: 'c1', toolName: 'create_content_draft', records: [text(71)] },
    { ...stored, toolCallId: 'c2', toolName: 'create_content_draft', records: [text(72)] },
    { role: 'assistant', content: 'Done.', runId: 'run' },
    {
      role: 'assistant',
      content: 'Undone.',
      notice: 'undone',
      runId: 'run',
      records: [
        { table: 'content', uid: 72, title: '' },
        { table: 'pages', uid: 5, title: 'Old name' },
      ],
    },
  ])
  mountModule(it, { conversationId: id })
  const rows = page.getByRole('list', { name: 'Results, row by row' })

  await expect
    .element(rows)
    .toMatchTextContent(
      'Old name [5] undone The hidden content “A [71]” was created on page [5]. Undo A [72] undone',
    )
  expect(
    rows
      .getByRole('link')
      .elements()
      .map(({ textContent }) => textContent),
  ).toEqual(['Old name [5]', 'A [71]'])
})

describe('the outcome of many changes', () => {
  test('is counted while it runs, also after a reload, and has a result and an Undo for each row', async () => {
    const it = stage()
    const toolCalls = [{ id: 'b', name: 'update_records', arguments: args }]
    const id = it.add({ status: 'locked' }, [
      { role: 'user', content: 'Change them' },
      { role: 'assistant', content: '', runId: 'run', toolCalls },
      ended(0, 'done'),
      ended(1, 'denied'),
    ])
    mountModule(it, { conversationId: id })

    await expect.element(log()).toMatchTextContent('1 of 5 records were changed. 1 was left out by you.')
    const bar = page.getByRole('progressbar', { name: 'Progress' })
    await expect.element(bar).toHaveAttribute('max', '5')

    const rest = [ended(2, 'conflict'), ended(3, 'done'), ended(4, 'done')]
    it.say(id, ...rest)
    it.finish(id, 'Done.')
    await expect.element(bar).not.toBeInTheDocument()
    await expect
      .element(log())
      .toMatchTextContent(
        '3 of 5 records were changed. 1 was left out by you. 1 was left as others changed it meanwhile.',
      )

    await userEvent.click(page.getByText('Results, row by row'))
    const rows = page.getByRole('list', { name: 'Results, row by row' })
    await expect.element(rows).toMatchTextContent('Candle [3] changed by others meanwhile')
    await userEvent.click(rows.getByRole('button', { name: 'Undo: Dusk [4]' }))
    await expect
      .poll(() => it.asked.findLast(({ path }) => path.endsWith('/undo'))?.body)
      .toMatchObject({ runId: 'run', record: { table: 'news', uid: 4 } })
    await expect.poll(focused).toContain('You approved this')
  })

  test('are taken back while a bar shows how far that is', async () => {
    const it = stage()
    it.undoesLater = true
    const toolCalls = [{ id: 'b', name: 'update_records', arguments: args }]
    const id = it.add({}, [
      { role: 'user', content: 'Change them' },
      { role: 'assistant', content: '', runId: 'run', toolCalls },
      ...[0, 1, 2, 3, 4].map((at) => ended(at, 'done')),
    ])
    it.finish(id, 'Done.')
    mountModule(it, { conversationId: id })
    const undo = page.getByRole('button', { name: 'Undo', exact: true })

    await userEvent.click(undo)
    it.change(id, { status: 'locked' }, { progress: { call: 'run', n: 2, total: 5 } })
    await expect.element(log()).toMatchTextContent('The changes are being undone. 2 of 5 records')
    const bar = page.getByRole('progressbar', { name: 'Progress' })
    await expect.element(bar).toHaveAttribute('max', '5')
    await expect.element(undo).not.toBeInTheDocument()

    const records = [0, 1, 2, 3, 4].flatMap((at) => ended(at, 'done').records ?? [])
    it.say(id, { role: 'assistant', content: 'Taken back.', notice: 'undone', runId: 'run', records })
    it.change(id, { status: 'idle' }, { progress: null })
    await expect.element(bar).not.toBeInTheDocument()
    await expect.element(log()).toMatchTextContent('Undone.')
    await expect.element(page.getByText('There was nothing left to undo.')).not.toBeInTheDocument()
  })
})
