import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import {
  announcements,
  button,
  clear,
  focused,
  log,
  message,
  mountModule,
  said,
  scrolled,
  stage,
} from './mount.ts'

/** That of this machine, which the browser has too. */
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()

afterEach(clear)

const own = (text: string) => page.getByRole('article', { name: /^You/ }).filter({ hasText: text })
const answers = () => page.getByRole('article', { name: /^Assistant/ })

describe('a turn', () => {
  test('is shown from the first moment to the answer, and told to who does not see it', async () => {
    const it = stage()
    mountModule(it)
    await message().fill('How much is the lamp?')
    const heard = announcements()
    await userEvent.keyboard('{Enter}')

    await expect.element(own('How much is the lamp?')).toBeInTheDocument()
    await expect.poll(heard).toContain('Sent')
    await expect.element(message()).toHaveValue('')
    expect(focused()).toBe('Message')
    await expect.element(said()).toMatchTextContent('The assistant is working…')
    await expect.element(button('Stop')).toBeInTheDocument()

    const [id] = it.conversations.keys()
    it.change(id as string, { status: 'locked' })
    it.say(id as string, {
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'c', name: 'get_page_content', arguments: { page: 3 } },
        { id: 'd', name: 'get_record', arguments: { table: 'news', uid: 8 } },
      ],
    })
    const steps = page.getByRole('list', { name: 'Steps' })
    await expect.element(steps).toMatchTextContent('Reading page content')
    await expect.element(steps).toMatchTextContent('Next: Reading a record News [8]')
    expect(steps.element().textContent).not.toContain('Read a record')

    it.say(id as string, {
      role: 'tool',
      content: 'Text',
      toolCallId: 'c',
      toolName: 'get_page_content',
      outcome: 'done',
      records: [{ table: 'pages', uid: 3, title: 'Aurora lamp' }],
    })
    await expect.element(steps).toMatchTextContent('Reading a record News [8]')
    it.say(id as string, {
      role: 'tool',
      content: 'Text',
      toolCallId: 'd',
      toolName: 'get_record',
      outcome: 'done',
      records: [{ table: 'news', uid: 8, title: 'Prices' }],
    })
    it.finish(id as string, 'It costs **149 EUR**.')

    await expect.element(said()).toMatchTextContent('Answer ready: It costs 149 EUR.')
    await expect.element(page.getByRole('link', { name: 'Aurora lamp [3]' })).toBeInTheDocument()
    await page.getByRole('button', { name: /^4 steps, / }).click()
    expect(page.getByRole('list', { name: 'Steps' }).getByRole('listitem').elements()).toHaveLength(4)
    await expect.element(button('Send')).toBeInTheDocument()
  })

  test('says how much a call has read that reads much, as long as it runs', async () => {
    const it = stage()
    const toolCalls = [{ id: 'c', name: 'check_site', arguments: {} }]
    const id = it.add({ status: 'locked' }, [
      { role: 'user', content: 'Check the site' },
      { role: 'assistant', content: '', runId: 'run', toolCalls },
    ])
    it.change(id, {}, { progress: { call: 'c', n: 240, total: 1_200 } })
    mountModule(it, { conversationId: id })
    const steps = page.getByRole('list', { name: 'Steps' })

    await expect.element(steps).toMatchTextContent('Checking the site 240 of 1,200 records')
    it.change(id, {}, { progress: { call: 'c', n: 1_100, total: 1_200 } })
    await expect.element(steps).toMatchTextContent('Checking the site 1,100 of 1,200 records')
  })

  test('sends the place that the chip shows, and nothing when it was left out', async () => {
    const it = stage()
    mountModule(it, { context: { pageId: 3, module: 'web_page', title: 'Aurora lamp' } })
    await expect.element(page.getByText('Page: Aurora lamp [3]')).toBeInTheDocument()
    await message().fill('One')
    await userEvent.keyboard('{Enter}')
    await expect.element(button('Stop')).toBeInTheDocument()
    it.finish([...it.conversations.keys()][0] as string, 'Yes')
    await expect.element(button('Send')).toBeInTheDocument()

    await button('Leave this page out').click()
    await message().fill('Two')
    await userEvent.keyboard('{Enter}')

    await expect.poll(() => it.to('/conversations/send')).toHaveLength(2)
    expect(it.to('/conversations/send').map(({ body }) => body.viewContext)).toEqual([
      { pageId: 3, module: 'web_page', timeZone },
      undefined,
    ])
  })

  test('leaves a place out until another one is open, however often the page names it', async () => {
    const it = stage()
    const lamp = { pageId: 3, module: 'web_page', title: 'Aurora lamp' }
    const module = mountModule(it, { context: lamp })
    await button('Leave this page out').click()
    const chip = (title: string) => page.getByText(`Page: ${title}`, { exact: false })

    module.context = { ...lamp }
    await module.updateComplete
    await expect.element(chip('Aurora lamp')).not.toBeInTheDocument()

    module.context = { pageId: 4, module: 'web_page', title: 'Borealis desk' }
    await expect.element(chip('Borealis desk')).toBeInTheDocument()
    module.context = lamp
    await expect.element(chip('Aurora lamp')).toBeInTheDocument()
  })

  test('is never wider than the screen, however long the name of a source is', async () => {
    const it = stage()
    const title = 'Geschwindigkeitsbegrenzungsverordnungen im Dezember und zwischen den Jahren'
    const id = it.add({}, [
      { role: 'user', content: 'Read it' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c', name: 'get_record', arguments: { table: 'news', uid: 8 } }],
      },
      {
        role: 'tool',
        toolCallId: 'c',
        toolName: 'get_record',
        content: 'Text',
        outcome: 'done',
        records: [{ table: 'news', uid: 8, title }],
      },
      { role: 'assistant', content: 'I have read it.' },
    ])
    await page.viewport(320, 600)
    mountModule(it, { conversationId: id })
    await expect.element(page.getByRole('link', { name: title, exact: false })).toBeInTheDocument()

    const { scrollWidth, clientWidth } = log().element()
    await page.viewport(800, 600)
    expect(scrollWidth).toBe(clientWidth)
  })

  test('keeps its column, however wide a table in its text, in a list or in a quotation is', async () => {
    const it = stage()
    const cells = (text: string) => `| ${Array(9).fill(text).join(' | ')} |`
    const table = [cells('Name of the column'), cells('---'), cells('Value')]
    const within = (sign: string) =>
      table.map((line, at) => `${at === 0 ? sign : sign.replace('-', ' ')}${line}`)
    const content = ['One:', '', ...table, '', ...within('- '), '', ...within('> ')].join('\n')
    const id = it.add({}, [
      { role: 'user', content: 'Compare them' },
      { role: 'assistant', content },
    ])
    await page.viewport(390, 600)
    mountModule(it, { conversationId: id })
    const tables = page.getByRole('group', { name: 'Table' })
    await expect.poll(() => tables.elements()).toHaveLength(3)

    const edge = log().element().getBoundingClientRect().right
    const beyond = tables.elements().filter((one) => one.getBoundingClientRect().right > edge)
    await page.viewport(800, 600)
    expect(beyond).toEqual([])
  })

  test('keeps the signs after a chip in the line of the chip, however wide the answer is', async () => {
    const it = stage()
    const content = `The price of this lamp is in [pages:12]. ${'There is more to say about it. '.repeat(9)}`
    mountModule(it, { conversationId: it.add({}, [{ role: 'assistant', content, runId: 'run' }]) })
    const link = page.getByRole('link', { name: /\[12\]/ })
    await expect.element(link).toBeInTheDocument()
    const chip = link.element()
    const prose = chip.closest<HTMLElement>('.prose') as HTMLElement
    const signs = new Range()
    signs.setStart(chip.nextSibling as Node, 0)
    signs.setEnd(chip.nextSibling as Node, 1)
    expect(signs.toString()).toBe('.')
    const alone = Array.from({ length: 300 }, (_, at) => 150 + at).filter((width) => {
      prose.style.setProperty('width', `${width}px`)
      return signs.getBoundingClientRect().top > chip.getBoundingClientRect().bottom - 4
    })

    expect(alone).toEqual([])
  })

  test.each([1280, 768])('has its sources in one line with its buttons at %i px', async (width) => {
    await page.viewport(width, 800)
    onTestFinished(() => page.viewport(1280, 800))
    const it = stage()
    const call = { id: 'c', name: 'get_page_content', arguments: { page: 3 } }
    mountModule(it, {
      conversationId: it.add({}, [
        { role: 'user', content: 'How much?' },
        { role: 'assistant', content: '', runId: 'r', toolCalls: [call] },
        {
          role: 'tool',
          content: 'Text',
          toolCallId: 'c',
          toolName: 'get_page_content',
          runId: 'r',
          outcome: 'done',
          records: [{ table: 'pages', uid: 3, title: 'Aurora lamp' }],
        },
        { role: 'assistant', content: '149 EUR', runId: 'r' },
      ]),
    })
    await expect.element(page.getByRole('link', { name: /Aurora lamp/ })).toBeInTheDocument()
    const middle = (element: Element) => {
      const { top, height } = element.getBoundingClientRect()
      return top + height / 2
    }

    expect(middle(page.getByRole('link', { name: /Aurora lamp/ }).element())).toBe(
      middle(button('Copy answer').element()),
    )
    const icon = button('Copy answer').element().querySelector('svg')?.getBoundingClientRect().left
    expect(icon).toBe(page.getByText('149 EUR').element().getBoundingClientRect().left)
  })

  test('is copied by a button that a thumb can hit where there is little room', async () => {
    const it = stage()
    const id = it.add({}, [
      { role: 'user', content: 'Read it' },
      { role: 'assistant', content: 'I have read it.' },
    ])
    await page.viewport(320, 600)
    mountModule(it, { conversationId: id })
    await expect.element(button('Copy answer')).toBeInTheDocument()

    const { width, height } = button('Copy answer').element().getBoundingClientRect()
    await page.viewport(800, 600)
    expect([width, height]).toEqual([44, 44])
  })

  test('is copied without active pictures, which the place where it is pasted would load', async () => {
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    onTestFinished(() => copied.mockRestore())
    const it = stage()
    const id = it.add({}, [
      { role: 'user', content: 'Read it' },
      {
        role: 'assistant',
        content: 'Look! ![a](https://a.example/?d=1) <img src="https://a.example/"> [b](/c)',
      },
    ])
    mountModule(it, { conversationId: id })

    await button('Copy answer').click()

    expect(copied.mock.calls).toEqual([
      ['Look! ! [a](https://a.example/?d=1) < img src="https://a.example/"> [b](/c)'],
    ])
  })

  test('comes with the colours of its code once other code has them', async () => {
    const it = stage()
    const code = (name: string) => ({
      role: 'assistant' as const,
      content: `\`\`\`js\nconst ${name} = 1\n\`\`\``,
    })
    const id = it.add({}, [{ role: 'user', content: 'Show me' }, code('first')])
    const module = mountModule(it, { conversationId: id })
    const keywords = (root: ParentNode | null) => root?.querySelectorAll('.t-k').length
    await expect.poll(() => keywords(module.shadowRoot)).toBe(1)

    const seen: unknown[] = []
    const came = new MutationObserver((records) => {
      const nodes = records.flatMap(({ addedNodes }) => [...addedNodes])
      const answer = nodes.find(({ textContent }) => textContent?.includes('const second'))
      if (answer) seen.push(keywords(answer as HTMLElement))
    })
    came.observe(module.shadowRoot as ShadowRoot, { childList: true, subtree: true })
    it.say(id, { role: 'user', content: 'And the next' })
    it.say(id, code('second'))
    module.store?.look(module.conversation)
    await expect.element(answers().nth(1)).toBeInTheDocument()

    came.disconnect()
    expect(seen).toEqual([1])
  })

  test('is judged in place, with a reason where it did not help, judged again, and no longer', async () => {
    const it = stage()
    const id = it.add({}, [
      { role: 'user', content: 'Read it' },
      { role: 'assistant', content: 'I have read it.', runId: 'run' },
    ])
    mountModule(it, { conversationId: id })
    const why = page.getByRole('form', { name: 'Reason' })
    await button('Not helpful').click()
    await expect.element(button('Not helpful')).toHaveAttribute('aria-pressed', 'true')
    await why.getByRole('radio', { name: 'Something is missing' }).click()
    await why.getByRole('textbox').fill('The price.')
    await why.getByRole('button', { name: 'Save' }).click()
    await expect.element(why).not.toBeInTheDocument()
    await expect.element(said()).toMatchTextContent('Your opinion was saved.')
    expect(focused()).toBe('Not helpful')

    await button('Helpful').click()
    await expect.element(button('Helpful')).toHaveAttribute('aria-pressed', 'true')
    await expect.element(button('Not helpful')).toHaveAttribute('aria-pressed', 'false')
    await button('Helpful').click()
    await expect.element(said()).toMatchTextContent('Your opinion was removed.')
    await expect.element(button('Helpful')).toHaveAttribute('aria-pressed', 'false')

    const sent = it.to('/conversations/feedback').flatMap(({ body }) => (body.runId ? [body] : []))
    const of = { conversationId: id, runId: 'run' }
    expect(sent).toEqual([
      { ...of, verdict: 'notHelpful', reason: null, words: '' },
      { ...of, verdict: 'notHelpful', reason: 'incomplete', words: 'The price.' },
      { ...of, verdict: 'helpful', reason: null, words: 'The price.' },
      { ...of, verdict: null, reason: null, words: '' },
    ])
  })

  test('shows what was said of it earlier to who comes near', async () => {
    const it = stage()
    it.feedback = { verdict: 'helpful', reason: null, words: '' }
    const row = { role: 'user' as const, content: 'Read it' }
    const id = it.add({}, [row, { role: 'assistant', content: 'I have read it.', runId: 'run' }])
    mountModule(it, { conversationId: id })
    await button('Helpful').hover()
    await expect.element(button('Helpful')).toHaveAttribute('aria-pressed', 'true')
  })

  test('keeps the words that were said of it earlier from a press that comes before them', async () => {
    const it = stage()
    it.feedback = { verdict: 'notHelpful', reason: 'wrong', words: 'The price.' }
    const row = { role: 'user' as const, content: 'Read it' }
    const id = it.add({}, [row, { role: 'assistant', content: 'I have read it.', runId: 'run' }])
    mountModule(it, { conversationId: id })
    const { promise, resolve } = Promise.withResolvers<void>()
    it.held.set('/ai-chat/conversations/feedback', promise)
    await button('Helpful').click()
    resolve()

    await expect.element(button('Helpful')).toHaveAttribute('aria-pressed', 'true')
    await expect.poll(() => it.feedback?.words).toBe('The price.')
  })

  test('shows what was said of it earlier also where that did not come at first', async () => {
    const it = stage()
    it.feedback = { verdict: 'helpful', reason: null, words: '' }
    const row = { role: 'user' as const, content: 'Read it' }
    const id = it.add({}, [row, { role: 'assistant', content: 'I have read it.', runId: 'run' }])
    mountModule(it, { conversationId: id })
    it.refusals.set('/ai-chat/conversations/feedback', {
      status: 503,
      code: 'service.unavailable',
      message: 'Later.',
    })
    await button('Helpful').hover()
    await expect.poll(() => it.refusals.size).toBe(0)
    await message().hover()
    await button('Helpful').hover()

    await expect.element(button('Helpful')).toHaveAttribute('aria-pressed', 'true')
  })

  test('keeps what the user said of it when the stage refuses, and says why', async () => {
    const it = stage()
    const row = { role: 'user' as const, content: 'Read it' }
    const id = it.add({}, [row, { role: 'assistant', content: 'I have read it.', runId: 'run' }])
    mountModule(it, { conversationId: id })
    await button('Not helpful').click()
    await expect.element(page.getByRole('form', { name: 'Reason' })).toBeInTheDocument()
    it.refusals.set('/ai-chat/conversations/feedback', {
      status: 404,
      code: 'run.notFound',
      message: 'It is gone.',
    })
    await button('Save').click()

    await expect.element(page.getByRole('alert')).toMatchTextContent('It is gone.')
    await expect.element(button('Not helpful')).toHaveAttribute('aria-pressed', 'true')
  })

  test('is judged alone: a late refusal does not open the reasons in another conversation', async () => {
    const it = stage()
    const add = (text: string, runId: string) =>
      it.add({}, [
        { role: 'user', content: 'Read it' },
        { role: 'assistant', content: text, runId },
      ])
    const [first, second] = [add('The first.', 'run-1'), add('The second.', 'run-2')]
    const module = mountModule(it, { conversationId: first })
    const feedback = '/ai-chat/conversations/feedback'
    const { promise, resolve } = Promise.withResolvers<void>()
    await button('Not helpful').click()
    await expect.element(said()).toMatchTextContent('Your opinion was saved.')
    it.held.set(feedback, promise)
    it.refusals.set(feedback, { status: 404, code: 'run.notFound', message: 'It is gone.' })
    await button('Save').click()
    module.conversationId = second
    await expect.element(answers()).toMatchTextContent('The second.')
    resolve()

    await expect.element(said()).toMatchTextContent('It is gone.')
    await expect.element(button('Not helpful')).toHaveAttribute('aria-pressed', 'false')
    expect(page.getByRole('form', { name: 'Reason' }).elements()).toEqual([])
  })

  test('keeps its verdict and the open form while another conversation is shown', async () => {
    const it = stage()
    const row = { role: 'user' as const, content: 'Read it' }
    const id = it.add({}, [row, { role: 'assistant', content: 'I have read it.', runId: 'run' }])
    const module = mountModule(it, { conversationId: id })
    const form = page.getByRole('form', { name: 'Reason' })
    await button('Not helpful').click()
    await form.getByRole('radio', { name: 'Something is missing' }).click()
    await form.getByRole('textbox').fill('The price')
    module.conversationId = it.add({}, [row])
    await expect.element(form).not.toBeInTheDocument()
    module.conversationId = id

    await expect.element(form.getByRole('textbox')).toHaveValue('The price')
    await expect.element(form.getByRole('radio', { name: 'Something is missing' })).toBeChecked()
    await expect.element(button('Not helpful')).toHaveAttribute('aria-pressed', 'true')
    await form.getByRole('button', { name: 'Cancel' }).click()
    await button('Not helpful').click()
    await button('Not helpful').click()
    await expect.element(form.getByRole('textbox')).toHaveValue('')
  })

  test('keeps the reason and the words over a reload, until they are sent or Cancel', async () => {
    const it = stage()
    it.feedback = { verdict: 'notHelpful', reason: null, words: '' }
    const row = { role: 'user' as const, content: 'Read it' }
    const id = it.add({}, [row, { role: 'assistant', content: 'I have read it.', runId: 'run' }])
    const name = `feedback ${id} run`
    const words = 'The price.\nAnd the size.'
    localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ drafts: { [name]: `wrong\n${words}` } }))
    const module = mountModule(it, { conversationId: id })
    const kept = () => module.store?.memory.drafts[name]
    const form = page.getByRole('form', { name: 'Reason' })
    const field = form.getByRole('textbox')
    await expect.element(field).toHaveValue(words)
    await expect.element(form.getByRole('radio', { name: 'Something in it is wrong' })).toBeChecked()
    await expect.element(button('Not helpful')).toHaveAttribute('aria-pressed', 'true')

    await form.getByRole('radio', { name: 'Something is missing' }).click()
    await field.fill('The price')
    expect(kept()).toBe('incomplete\nThe price')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect.poll(kept).toBe('')
    expect(it.feedback).toEqual({ verdict: 'notHelpful', reason: 'incomplete', words: 'The price' })

    await button('Not helpful').click()
    await button('Not helpful').click()
    await field.fill('Never mind')
    expect(kept()).toBe('\nNever mind')
    await form.getByRole('button', { name: 'Cancel' }).click()
    expect(kept()).toBe('')
  })

  test('opens the form with kept words also where what was said of it earlier does not come', async () => {
    const it = stage()
    const row = { role: 'user' as const, content: 'Read it' }
    const id = it.add({}, [row, { role: 'assistant', content: 'I have read it.', runId: 'run' }])
    const drafts = { [`feedback ${id} run`]: '\nThe price.' }
    localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ drafts }))
    it.refusals.set('/ai-chat/conversations/feedback', {
      status: 503,
      code: 'service.unavailable',
      message: 'Later.',
    })
    mountModule(it, { conversationId: id })

    await expect
      .element(page.getByRole('form', { name: 'Reason' }).getByRole('textbox'))
      .toHaveValue('The price.')
    expect(it.to('/conversations/feedback')).toHaveLength(1)
  })

  test('cannot be tried again in an archived conversation, however old its answer is', async () => {
    const it = stage()
    const id = it.add({}, [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'First' },
      { role: 'user', content: 'Two' },
      { role: 'assistant', content: 'Second' },
    ])
    mountModule(it, { conversationId: id })
    const again = () => button('Try again').elements().length
    await expect.poll(again).toBe(2)

    await button('More actions').click()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    await expect.element(button('Unarchive')).toBeInTheDocument()
    expect(again()).toBe(0)

    await button('Unarchive').click()
    await expect.element(message()).toBeInTheDocument()
    expect(again()).toBe(2)
  })

  test('names every source once their number is pressed', async () => {
    const it = stage()
    const records = Array.from({ length: 10 }, (_, at) => ({
      table: 'news',
      uid: at + 1,
      title: `News ${at + 1}`,
    }))
    const calls = records.map(({ table, uid }) => ({
      id: `c${uid}`,
      name: 'get_record',
      arguments: { table, uid },
    }))
    const id = it.add({}, [
      { role: 'user', content: 'Read all' },
      { role: 'assistant', content: '', toolCalls: calls },
      ...records.map((record) => ({
        role: 'tool' as const,
        content: 'Text',
        toolCallId: `c${record.uid}`,
        toolName: 'get_record',
        outcome: 'done' as const,
        records: [record],
      })),
      { role: 'assistant', content: 'I have read them.' },
    ])
    mountModule(it, { conversationId: id })
    const links = page.getByRole('group', { name: 'Sources' }).getByRole('link')
    await expect.element(button('2 more')).toBeInTheDocument()
    expect(links.elements()).toHaveLength(8)

    await button('2 more').click()

    await expect.poll(() => links.elements().length).toBe(10)
    expect(focused()).toContain('News 9')
  })

  test('names the file that was not used above its answer, also to who does not see it', async () => {
    const it = stage()
    const id = it.add({ status: 'locked' }, [{ role: 'user', content: 'Read it' }])
    mountModule(it, { conversationId: id })
    await expect.element(button('Stop')).toBeInTheDocument()
    const content = 'The file “scan.pdf” was not used: it is damaged and cannot be read.'

    it.say(id, { role: 'assistant', notice: 'notUsed', content })
    it.finish(id, 'There is nothing to read.')

    await expect.element(log()).toMatchTextContent(content)
    await expect.element(said()).toMatchTextContent(content)
    await expect.element(said()).toMatchTextContent('Answer ready: There is nothing to read.')
  })

  test('opens the summary of the earlier part, which is no part of the answer', async () => {
    const it = stage()
    const id = it.add({}, [
      { role: 'user', content: 'Go on' },
      { role: 'assistant', notice: 'summarised', content: 'The lamps were reworked.', until: 0 },
      { role: 'assistant', content: 'Done.' },
    ])
    mountModule(it, { conversationId: id })
    const told = page.getByText('Earlier part summarised')
    await expect.element(told).toBeVisible()
    await expect.element(page.getByText('The lamps were reworked.')).not.toBeVisible()

    await told.click()

    await expect.element(page.getByText('The lamps were reworked.')).toBeVisible()
    await expect.element(page.getByText('Done.', { exact: true })).toBeVisible()
  })

  test('is stopped by its button', async () => {
    const it = stage()
    const id = it.add({ status: 'locked' }, [{ role: 'user', content: 'Work' }])
    mountModule(it, { conversationId: id })

    await button('Stop').click()

    await expect.element(log()).toMatchTextContent('Stopped. What was done until then is kept.')
    expect(it.to('/conversations/cancel')).toHaveLength(1)
  })

  test('that failed says what happened, keeps its steps open, and can be tried again', async () => {
    const it = stage()
    const id = it.add({ status: 'failed', errorCode: 'model.unavailable', errorMessage: 'x' }, [
      { role: 'user', content: 'Write' },
      {
        role: 'assistant',
        content: '',
        runId: 'run-7',
        toolCalls: [{ id: 'c', name: 'list_files', arguments: {} }],
      },
      { role: 'tool', content: 'none', toolCallId: 'c', toolName: 'list_files', outcome: 'done' },
    ])
    mountModule(it, { conversationId: id })
    await expect
      .element(page.getByRole('heading', { name: 'The language model did not answer' }))
      .toBeInTheDocument()
    await expect.element(page.getByRole('list', { name: 'Steps' })).toMatchTextContent('Listed files')
    await expect.element(page.getByText('run-7')).toBeInTheDocument()

    await button('Retry').click()

    await expect.poll(() => it.to('/conversations/retry')).toHaveLength(1)
    await expect
      .element(page.getByRole('heading', { name: 'The language model did not answer' }))
      .not.toBeInTheDocument()
  })

  test.each([
    [true, 1],
    [false, 0],
  ])('that failed gives its technical reason to an administrator (%s) alone', async (isAdmin, times) => {
    const it = stage()
    it.isAdmin = isAdmin
    const errorMessage = 'The language model refused. (401)'
    const id = it.add({ status: 'failed', errorCode: 'model.unauthorized', errorMessage }, [
      { role: 'user', content: 'Write' },
    ])
    mountModule(it, { conversationId: id })

    await expect.element(button('Retry')).toBeInTheDocument()
    expect(page.getByText(`For administrators: ${errorMessage}`).elements()).toHaveLength(times)
  })

  test('fails in words of the reader even before any step', async () => {
    const it = stage()
    const id = it.add({ status: 'failed', errorCode: 'turn.notStarted' }, [
      { role: 'user', content: 'Write' },
    ])
    mountModule(it, { conversationId: id })

    await expect.element(page.getByRole('heading', { name: 'The work did not begin' })).toBeInTheDocument()
    await expect.element(button('Retry')).toBeInTheDocument()
  })
})

describe('a message', () => {
  test('shows its picture small, with its size, and large when it is pressed', async () => {
    const it = stage()
    const picture =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    it.files.set(7, { fileUid: 7, name: 'lamp.png', mimeType: 'image/png', size: 1_200_000, url: picture })
    const file = { fileUid: 7, fileName: 'lamp.png', fileMimeType: 'image/png' }
    const id = it.add({}, [
      { role: 'user', content: 'Look', ...file },
      { role: 'assistant', content: 'Seen.' },
    ])
    const module = mountModule(it, { conversationId: id })
    const sent = page.getByRole('button', { name: 'lamp.png Image, 1.2 MB' })
    await expect.element(sent).toBeInTheDocument()
    const small = () => module.shadowRoot?.querySelector<HTMLImageElement>('.file-sent img')
    await expect.poll(() => small()?.naturalWidth).toBe(1)

    await sent.click()

    const dialog = page.getByRole('dialog', { name: 'lamp.png' })
    await expect.element(dialog.getByRole('img', { name: 'lamp.png' })).toBeInTheDocument()
    await expect
      .element(dialog.getByRole('link', { name: 'Download' }))
      .toHaveAttribute('download', 'lamp.png')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect.element(dialog).not.toBeInTheDocument()
  })

  test('shows a picture of the site where the assistant looked at it, large on a click', async () => {
    const it = stage()
    const looked = { id: 'c', name: 'view_image', arguments: { table: 'media', uid: 2 } }
    const module = mountModule(it, {
      conversationId: it.add({}, [
        { role: 'user', content: 'What is on it?' },
        { role: 'assistant', content: '', toolCalls: [looked] },
        {
          role: 'tool',
          content: 'Text',
          toolCallId: 'c',
          toolName: 'view_image',
          outcome: 'done',
          records: [{ table: 'media', uid: 2, title: 'The shade' }],
        },
        { role: 'assistant', content: 'A shade.' },
      ]),
    })
    await page.getByRole('button', { name: /^\d steps?/ }).click()
    const small = () => module.shadowRoot?.querySelector<HTMLImageElement>('.step-picture img')
    await expect.poll(() => small()?.naturalWidth).toBe(1)
    expect(it.to('/picture').map(({ query }) => String(query))).toEqual(['table=media&uid=2'])

    await page.getByRole('button', { name: 'The shade [2]' }).click()

    const dialog = page.getByRole('dialog', { name: 'The shade [2]' })
    await expect.element(dialog.getByRole('img', { name: 'The shade [2]' })).toBeInTheDocument()
  })

  test.each([
    ['that got lost on its way is asked for again', 503, 2, 1],
    ['that the user may not see is not', 404, 1, 0],
  ])('a picture of the site %s when it is drawn again', async (_, status, asked, shown) => {
    const it = stage()
    const looked = { id: 'c', name: 'view_image', arguments: { table: 'media', uid: 2 } }
    it.refusals.set('/ai-chat/picture', { status, code: 'record.notFound', message: 'No.' })
    const module = mountModule(it, {
      conversationId: it.add({}, [
        { role: 'user', content: 'What is on it?' },
        { role: 'assistant', content: '', toolCalls: [looked] },
        { role: 'tool', content: 'Text', toolCallId: 'c', toolName: 'view_image', outcome: 'done' },
        { role: 'assistant', content: 'A shade.' },
      ]),
    })
    const steps = page.getByRole('button', { name: /^\d steps?/ })
    await steps.click()
    await expect.poll(() => it.to('/picture')).toHaveLength(1)
    await expect.poll(() => it.refusals.size).toBe(0)
    await steps.click()
    await expect.element(steps).toHaveAttribute('aria-expanded', 'false')
    await steps.click()
    await expect.element(steps).toHaveAttribute('aria-expanded', 'true')

    const pictures = () => module.shadowRoot?.querySelectorAll('.step-picture img').length
    await expect.poll(pictures).toBe(shown)
    expect(it.to('/picture')).toHaveLength(asked)
  })

  const minutes = {
    fileUid: 7,
    name: 'minutes.pdf',
    mimeType: 'application/pdf',
    size: 2_000,
    url: 'https://files.test/minutes.pdf',
  }
  const attached = { fileUid: 7, fileName: 'minutes.pdf', fileMimeType: 'application/pdf' }

  test('says at its file what was read of it', async () => {
    const it = stage()
    it.files.set(7, { ...minutes, read: 'Read in part: 12 of 300 pages. Not read: pictures.' })
    mountModule(it, { conversationId: it.add({}, [{ role: 'user', content: 'Read it', ...attached }]) })

    await expect
      .element(
        page.getByRole('button', {
          name: /^minutes\.pdf PDF, 2 KB Read in part: 12 of 300 pages\. Not read: pictures\.$/,
        }),
      )
      .toBeInTheDocument()
  })

  test('says it as soon as the stage knows it', async () => {
    const it = stage()
    it.files.set(7, minutes)
    const id = it.add({ status: 'locked' }, [{ role: 'user', content: 'Read it', ...attached }])
    mountModule(it, { conversationId: id })
    await expect.element(page.getByRole('button', { name: 'minutes.pdf PDF, 2 KB' })).toBeInTheDocument()

    it.files.set(7, { ...minutes, read: 'Read whole: 2 pages.' })
    it.finish(id, 'Done.')

    const file = page.getByRole('button', { name: 'minutes.pdf PDF, 2 KB Read whole: 2 pages.', exact: true })
    await expect.element(file).toBeInTheDocument()
  })

  test('names the pages of a file as sources, which open it there', async () => {
    const it = stage()
    it.files.set(7, minutes)
    const followed: (string | null)[][] = []
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      followed.push([this.href, this.target, this.rel])
    })
    const call = { id: 'c', name: 'read_file', arguments: { file: 7, from: 230 } }
    mountModule(it, {
      conversationId: it.add({}, [
        { role: 'user', content: 'Which code is last?', ...attached },
        { role: 'assistant', content: '', toolCalls: [call] },
        { role: 'tool', content: 'Text', toolCallId: 'c', toolName: 'read_file', outcome: 'done' },
        { role: 'assistant', content: 'The code is 1610. See also page 2.' },
      ]),
    })
    const sources = page.getByRole('group', { name: 'Sources' })
    await expect
      .element(sources.getByRole('button', { name: 'minutes.pdf, page 2', exact: true }))
      .toBeInTheDocument()

    await sources.getByRole('button', { name: 'minutes.pdf, page 230' }).click()

    await expect
      .poll(() => followed)
      .toEqual([['https://files.test/minutes.pdf#page=230', '_blank', 'noopener']])
    expect(String(it.to('/file-info').at(-1)?.query)).toBe('fileUid=7&inline=1')
    click.mockRestore()
  })

  test('opens from a sentence what it is from, and says the place', async () => {
    const it = stage()
    it.files.set(7, minutes)
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
    const content = 'The lamp costs **149 EUR**. The code is 1610. It was 1,743 EUR before.'
    const behind = (words: string) => content.indexOf(words) + words.length
    mountModule(it, {
      conversationId: it.add({}, [
        { role: 'user', content: 'Which code is last?', ...attached },
        {
          role: 'assistant',
          content,
          unsupported: ['1,743'],
          sources: [
            { at: behind('EUR**'), table: 'content', uid: 26, title: 'Aurora lamp', field: 'Price' },
            { at: behind('1610'), fileUid: 7, name: 'minutes.pdf', page: 230 },
          ],
        },
      ]),
    })
    const answer = answers()
    const record = answer.getByRole('link', { name: 'Source: Content: Aurora lamp, Price' })

    await expect.element(record).toMatchTextContent('1')
    expect(record.element().getAttribute('href')).toContain('26')
    await expect.element(answer).toMatchTextContent('1,743 EUR no source before')
    await answer.getByRole('button', { name: 'Source: minutes.pdf, page 230' }).click()
    await expect
      .poll(() => click.mock.instances.map((link) => String(link)))
      .toEqual(['https://files.test/minutes.pdf#page=230'])
    click.mockRestore()
  })

  test('keeps the sign of a picture that cannot be had', async () => {
    const it = stage()
    const file = { fileUid: 7, fileName: 'lamp.png', fileMimeType: 'image/png' }
    const module = mountModule(it, {
      conversationId: it.add({}, [{ role: 'user', content: 'Look', ...file }]),
    })

    await expect.element(page.getByRole('button', { name: 'lamp.png Image' })).toBeInTheDocument()
    await expect.poll(() => it.to('/file-info')).toHaveLength(1)
    expect(module.shadowRoot?.querySelector('.file-sent img')).toBe(null)
  })

  test('can be changed in place, and what followed it is gone', async () => {
    const it = stage()
    const id = it.add({}, [
      { role: 'user', content: 'First' },
      { role: 'assistant', content: 'Old answer' },
    ])
    mountModule(it, { conversationId: id })
    await own('First').getByRole('button', { name: 'Edit message' }).click()
    const field = page.getByRole('textbox', { name: 'Edit message' })
    await expect
      .element(field)
      .toHaveAccessibleDescription('The message after it stays as an earlier version.')
    await field.fill('Second')
    await button('Save and send').click()

    await expect.element(own('Second')).toBeInTheDocument()
    await expect.element(log()).not.toMatchTextContent('Old answer')
    expect(it.to('/conversations/edit')[0]?.body).toMatchObject({
      sequence: 0,
      content: 'Second',
      expectedContent: 'First',
    })
    it.finish(id, 'New answer')
    await expect.element(answers()).toMatchTextContent('New answer')
  })

  test('is shown in another version with one look at its messages', async () => {
    const it = stage()
    const id = it.add({}, [
      { role: 'user', content: 'First' },
      { role: 'assistant', content: 'Answer' },
    ])
    it.change(id, {}, { versions: [{ sequence: 0, at: 2, of: 2 }] })
    mountModule(it, { conversationId: id })
    await expect.element(button('Version before')).toBeInTheDocument()
    const before = it.to('/conversations/messages').length

    await button('Version before').click()

    await expect.element(page.getByText('1 of 2', { exact: true })).toBeInTheDocument()
    await expect.element(said()).toMatchTextContent('Version 1 of 2')
    expect(it.to('/conversations/messages')).toHaveLength(before + 1)
    expect(focused()).toBe('Version before')
  })

  test('offers no other version while a turn runs, which the stage would refuse', async () => {
    const it = stage()
    const id = it.add({}, [
      { role: 'user', content: 'First' },
      { role: 'assistant', content: 'Answer' },
    ])
    it.change(id, {}, { versions: [{ sequence: 0, at: 2, of: 2 }] })
    const { store } = mountModule(it, { conversationId: id })
    const before = page.getByRole('button', { name: 'Version before', includeHidden: true })
    await expect.element(before).toBeVisible()

    it.change(id, { status: 'processing' })
    store?.look(store.conversation(id))

    await expect.element(before).not.toBeVisible()
    await expect.element(page.getByText('2 of 2', { exact: true })).toBeVisible()
  })

  test('keeps the proposal that waits: another version is shown only after the decision', async () => {
    const it = stage()
    const id = it.propose([
      { id: 'c1', tool: 'update_record', title: 'Rename page 4', arguments: {}, preview: null },
    ])
    it.change(id, {}, { versions: [{ sequence: 0, at: 2, of: 2 }] })
    mountModule(it, { conversationId: id })
    const before = button('Version before')
    await expect.element(before).toHaveAttribute('aria-disabled', 'true')
    const why = 'First decide what is waiting for you in this version.'
    await expect.element(before).toHaveAccessibleDescription(why)

    ;(before.element() as HTMLElement).click()

    await expect.element(page.getByText(why).first()).toBeVisible()
    expect(it.to('/conversations/version')).toEqual([])

    await expect.element(button('Approve')).toHaveAttribute('aria-disabled', 'false')
    await button('Approve').click()
    await expect.poll(() => it.to('/conversations/approve')).toHaveLength(1)
    it.finish(id, 'Done.')
    await expect.element(log()).toMatchTextContent('Done.')
    await expect.element(before).not.toHaveAttribute('aria-disabled')
    await before.click()
    await expect.element(page.getByText('1 of 2', { exact: true })).toBeInTheDocument()
    await expect.element(page.getByText(why)).not.toBeInTheDocument()
  })

  test('tells its full date to who points at its time', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.add({}, [{ role: 'user', content: 'First' }]) })
    await expect.element(own('First')).toBeInTheDocument()
    const time = own('First').element().querySelector('time')

    await userEvent.hover(time as Element)

    expect(time?.title).toMatch(/^[A-Z][a-z]+day/)
    expect(time?.title).toMatch(/\d{4}.*\d\d:\d\d$/)
  })

  test('is not drawn again when a turn begins and ends; what must not be pressed then is hidden', async () => {
    const it = stage()
    const id = it.add({}, [
      { role: 'user', content: 'First.' },
      { role: 'assistant', content: 'Answer.', runId: 'r1' },
    ])
    mountModule(it, { conversationId: id })
    await expect.element(page.getByRole('button', { name: 'Try again' })).toBeInTheDocument()
    const first = own('First.').element()
    const edit = own('First.').getByRole('button', { name: 'Edit message' })
    await message().fill('Second.')
    await userEvent.keyboard('{Enter}')
    await expect.element(own('Second.')).toBeInTheDocument()
    const changes: MutationRecord[] = []
    const watch = new MutationObserver((seen) => changes.push(...seen))
    watch.observe(first, { subtree: true, childList: true, characterData: true, attributes: true })
    await expect.element(edit).not.toBeInTheDocument()

    it.finish(id, 'Second answer.')

    await expect.element(log()).toMatchTextContent('Second answer.')
    await expect.element(edit).toBeInTheDocument()
    watch.disconnect()
    expect(changes).toEqual([])
  })

  test('stays untouched, like all around it, by a drawing that changes nothing', async () => {
    const it = stage()
    const rows = [
      { role: 'user' as const, content: 'First.' },
      { role: 'assistant' as const, content: 'Answer.', runId: 'r1' },
    ]
    const module = mountModule(it, { conversationId: it.add({}, rows) })
    await expect.element(page.getByRole('button', { name: 'Try again' })).toBeInTheDocument()
    await expect.poll(() => module.isUpdatePending).toBe(false)
    const changes: MutationRecord[] = []
    const watch = new MutationObserver((seen) => changes.push(...seen))
    const all = { subtree: true, childList: true, characterData: true, attributes: true }
    watch.observe(module, all)
    watch.observe(module.shadowRoot as ShadowRoot, all)

    module.requestUpdate()
    await module.updateComplete

    watch.disconnect()
    expect(changes.map(({ target, attributeName }) => [target.nodeName, attributeName])).toEqual([])
  })

  test('is not drawn again when a sentence is said, or when its reader scrolls and nothing leads to the end', async () => {
    const it = stage()
    const content = 'A line.\n'.repeat(20)
    const rows = Array.from({ length: 4 }, () => ({ role: 'user' as const, content }))
    const module = mountModule(it, { conversationId: it.add({}, rows) })
    await expect.element(own('A line.').last()).toBeInTheDocument()
    await expect.poll(() => module.store?.active.isLoaded).toBe(true)
    await scrolled(
      (log) => log.scrollTo(0, log.scrollHeight / 2),
      () => module.scroller.isAtEnd,
    ).toBe(false)
    await expect.poll(() => module.isUpdatePending).toBe(false)
    let drawings = 0
    module.addController({ hostUpdated: () => drawings++ })

    module.announcer.say('Hello.')
    log().element().scrollTo(0, log().element().scrollHeight)
    await expect.poll(() => module.scroller.isAtEnd).toBe(true)

    await expect.element(said()).toMatchTextContent('Hello.')
    expect(drawings).toBe(0)
  })

  test('far above the screen is text alone, and becomes whole, in its place, when it comes near', async () => {
    const it = stage()
    const rows = Array.from({ length: 60 }, (_, at) => ({ role: 'user' as const, content: `Entry ${at}.` }))
    const module = mountModule(it, { conversationId: it.add({}, rows) })
    await expect.element(own('Entry 59.')).toBeInTheDocument()
    const edit = (text: string) => own(text).getByRole('button', { name: 'Edit message' }).elements().length
    expect([edit('Entry 0.'), edit('Entry 59.')]).toEqual([0, 1])

    const first = own('Entry 0.').element() as HTMLElement
    first.focus()

    await scrolled(
      () => first.scrollIntoView(),
      () => edit('Entry 0.'),
    ).toBe(1)
    expect(module.shadowRoot?.activeElement).toBe(first)
  })

  test('is not edited after all on Cancel', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.add({}, [{ role: 'user', content: 'First' }]) })
    await button('Edit message').click()

    await button('Cancel').click()

    await expect.element(own('First')).toBeInTheDocument()
    expect(it.to('/conversations/edit')).toEqual([])
  })

  test('that the stage refused says why and stays, with the same key when it is sent again', async () => {
    const it = stage()
    mountModule(it)
    it.refusals.set('/ai-chat/conversations/send', {
      status: 429,
      code: 'user.tooManyActive',
      message: 'Too many.',
    })
    await message().fill('Hello')
    await userEvent.keyboard('{Enter}')
    const unsent = page.getByRole('article', { name: 'You, not sent' })
    await expect.element(unsent).toMatchTextContent('Not sent. Too many.')

    await unsent.getByRole('button', { name: 'Send again' }).click()

    await expect.element(own('Hello')).toBeInTheDocument()
    expect(focused()).toBe('Message')
    await expect.poll(() => it.to('/conversations/send')).toHaveLength(2)
    const [first, second] = it.to('/conversations/send')
    expect(second?.key).toBe(first?.key)
    expect(second?.body).toEqual(first?.body)
  })

  test('that the stage refused shows at once why: a turn began elsewhere', async () => {
    const it = stage()
    const id = it.add({}, [{ role: 'user', content: 'First' }])
    mountModule(it, { conversationId: id })
    await expect.element(own('First')).toBeInTheDocument()
    it.change(id, { status: 'processing' })
    it.refusals.set('/ai-chat/conversations/send', {
      status: 409,
      code: 'conversation.busy',
      message: 'A turn is running.',
    })
    await message().fill('Second')
    await userEvent.keyboard('{Enter}')

    await expect.element(button('Stop')).toBeInTheDocument()
    await expect.element(page.getByRole('article', { name: 'You, not sent' })).toMatchTextContent('Second')
  })

  test('of a conversation that was deleted elsewhere goes with the draft to a new one, and the user is told', async () => {
    const it = stage()
    const id = it.add({}, [{ role: 'user', content: 'First' }])
    const module = mountModule(it, { conversationId: id })
    await expect.element(own('First')).toBeInTheDocument()
    const busy = { status: 409, code: 'conversation.busy', message: 'Busy.' }
    it.refusals.set('/ai-chat/conversations/send', busy)
    await message().fill('Second')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('article', { name: 'You, not sent' })).toMatchTextContent('Second')
    await message().fill('Third')
    it.conversations.delete(id)

    module.store.look(module.conversation)

    await expect.element(page.getByRole('heading', { name: 'New conversation' })).toBeInTheDocument()
    await expect.element(message()).toHaveValue('Second\n\nThird')
    const words = 'The conversation was deleted. What you wrote is in a new conversation.'
    await expect.poll(() => said().element().textContent).toBe(words)
    expect(focused()).toBe('Message')
    await page.getByRole('button', { name: 'Close' }).click()
    await expect.element(page.getByRole('button', { name: 'Close' })).not.toBeInTheDocument()
    expect(focused()).toBe('Message')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => it.to('/conversations/send').at(-1)?.body).toEqual({ content: 'Second\n\nThird' })
  })
})

test('a message that is edited after an archiving ends the offer to undo this', async () => {
  const it = stage()
  const conversationId = it.add({ title: 'Lamp' }, [
    { role: 'user', content: 'What does it cost?' },
    { role: 'assistant', content: 'It costs 149 EUR.', runId: 'r0' },
  ])
  mountModule(it, { conversationId })
  await button('More actions').click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  const offer = page.getByText('1 conversation was archived.', { exact: true })
  await expect.poll(() => offer.elements().length).toBeGreaterThan(0)
  await button('Edit message').click()
  const field = page.getByRole('textbox', { name: 'Edit message' })
  await field.fill('What does the table cost?')
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await expect.poll(() => field.elements()).toEqual([])

  expect(offer.elements()).toEqual([])
})
