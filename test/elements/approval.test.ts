import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { readable, wordsOf } from '../../core/cms/readable/readable.ts'
import type { PendingCall } from '../../core/conversation/schema.ts'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import {
  button,
  clear,
  focused,
  log,
  message,
  mountModule,
  mountPanel,
  said,
  scrolled,
  stage,
  toTop,
} from './mount.ts'

afterEach(clear)

const call: PendingCall = {
  id: 'c1',
  tool: 'update_record',
  title: 'Change 2 fields of “Aurora lamp”',
  arguments: { table: 'content', uid: 12, fields: { header: 'Aurora', subheader: 'New' } },
  preview: {
    table: 'content',
    uid: 12,
    label: 'Aurora lamp',
    page: { uid: 3, title: 'Aurora lamp' },
    changes: [
      { field: 'header', label: 'Header', before: 'A lamp, 149 EUR.', after: 'A lamp, 139 EUR.' },
      { field: 'subheader', label: 'Subheader', before: null, after: 'New' },
    ],
  },
}
const card = () => page.getByRole('region', { name: call.title })

/** Wholly within what the log shows. */
const isSeen = (locator: Locator) => {
  const [{ top, bottom }, frame] = [locator, log()].map((one) => one.element().getBoundingClientRect()) as [
    DOMRect,
    DOMRect,
  ]
  return top >= frame.top && bottom <= frame.bottom
}

const linksOf = (region: Locator) =>
  region
    .getByRole('link')
    .elements()
    .map((link) => [link.textContent, link.getAttribute('href')])

/** The row of the change that was approved and is stored. */
const stored = {
  role: 'tool',
  content: 'Text',
  toolCallId: 'c1',
  toolName: 'update_record',
  runId: 'run',
  outcome: 'done',
  approved: true,
  records: [{ table: 'content', uid: 12, title: 'Technical data' }],
  count: 1,
} as const satisfies Partial<Message>

/** Behind the time in which a click does nothing. */
const settled = () => {
  const approve = button(/^(?:Approve|Approuver)/)
  const guards = () => new Set(approve.elements().map((one) => one.getAttribute('aria-disabled')))
  return expect.poll(guards).toEqual(new Set(['false']))
}

describe('a proposal', () => {
  test('gives way to the message that its reader cannot send', async () => {
    const it = stage()
    const id = it.propose([call])
    mountModule(it, { conversationId: id })
    await expect.element(card()).toBeInTheDocument()
    it.isOffline = true

    await message().fill('Line\n'.repeat(20))
    await userEvent.keyboard('{Enter}')

    const again = page
      .getByRole('article', { name: 'You, not sent' })
      .getByRole('button', { name: 'Send again' })
    await expect.element(again).toBeInViewport({ ratio: 1 })
  })

  test('that was read to its end stays there when the conversation gets another name', async () => {
    const it = stage()
    const changes = Array.from({ length: 40 }, (_, at) => ({
      field: `field${at}`,
      label: `Field ${at}`,
      before: null,
      after: 'New',
    }))
    const id = it.propose([{ ...call, preview: call.preview && { ...call.preview, changes } }])
    mountModule(it, { conversationId: id })
    await expect.element(card()).toBeInTheDocument()
    const pane = log().element()
    const below = () => pane.scrollHeight - pane.scrollTop - pane.clientHeight
    expect(below()).toBeGreaterThan(100)
    await scrolled(
      () => {
        pane.scrollTop = pane.scrollHeight
      },
      () => below() < 2,
    ).toBe(true)

    it.change(id, { title: 'Another name' })

    await expect.element(page.getByRole('heading', { name: 'Another name' })).toBeVisible()
    expect(below()).toBeLessThan(2)
  })

  test('shows every field before and after, with the changed words marked', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.propose([call]), recordHref: '/r/{table}/{uid}' })
    await expect.element(card()).toBeInTheDocument()

    for (const name of ['Field', 'Now', 'After approval'])
      await expect.element(card().getByRole('columnheader', { name })).toBeInTheDocument()
    await expect.poll(() => card().element().querySelector('del')?.textContent).toBe('149')
    expect(card().element().querySelector('ins')?.textContent).toBe('139')
    await expect.element(card().getByRole('row').filter({ hasText: 'Subheader' })).toMatchTextContent('empty')
    await expect.element(card()).toMatchTextContent('Nothing changes until you approve.')
    await expect.element(card()).toMatchTextContent('Content [12] on page Aurora lamp [3].')
    expect(linksOf(card())).toEqual([
      ['Content [12]', '/r/content/12'],
      ['Aurora lamp [3]', '/r/pages/3'],
    ])
  })

  test('of a translation has the original beside it, and links to it', async () => {
    const it = stage()
    const translation: PendingCall = {
      ...call,
      tool: 'translate_record',
      preview: {
        table: 'content',
        uid: null,
        original: 12,
        label: 'Aurora lamp',
        page: { uid: 3, title: 'Aurora lamp' },
        changes: [
          {
            field: 'header',
            label: 'Header',
            before: null,
            after: 'Aurora-Leuchte',
            original: 'Aurora lamp',
          },
        ],
      },
    }
    mountModule(it, { conversationId: it.propose([translation]), recordHref: '/r/{table}/{uid}' })

    await expect.element(card()).toMatchTextContent('Translation of Content [12].')
    const texts = (role: 'columnheader' | 'cell') =>
      card()
        .getByRole(role)
        .elements()
        .map((element) => element.textContent)
    expect(texts('columnheader')).toEqual(['Field', 'Original', 'Translation'])
    expect(texts('cell')).toEqual(['Original: Aurora lamp', 'Translation: Aurora-Leuchte'])
    expect(linksOf(card())).toEqual([['Content [12]', '/r/content/12']])
  })

  test('of a long translation shows all of the original when asked', async () => {
    const it = stage()
    const original = 'A lamp. '.repeat(200)
    const change = { field: 'body', label: 'Body', before: 'Lampe', after: 'Eine Lampe', original }
    const preview = { table: 'content', uid: 13, label: 'Lampe', changes: [change] }
    mountModule(it, { conversationId: it.propose([{ ...call, preview }]) })
    const whole = button('Original: Show the whole text')

    await whole.click()

    await expect.element(whole).not.toBeInTheDocument()
    expect(card().element().querySelector('.fold')).toBeNull()
  })

  test('shows rich text as it reads, what else is in it marked, and as it is stored when asked', async () => {
    const it = stage()
    const [address, other] = ['https://example.com/lamps', 'https://example.com/desks']
    const value = (to: string, style: string) =>
      `<h2>Lamps</h2><p${style}><a href="${to}">All of them</a></p>`
    const change = { before: value(address, ''), after: value(other, ' style="color:#fff"') }
    const form = readable(change, 'html', wordsOf('en'))
    const changes = [{ field: 'body', label: 'Body', ...change, ...(form && { readable: form }) }]
    mountModule(it, {
      conversationId: it.propose([{ ...call, preview: call.preview && { ...call.preview, changes } }]),
    })
    const source = button('Body: Source')
    const after = () => card().element().querySelector('td.will')?.textContent
    await expect.element(source).toHaveAttribute('aria-pressed', 'false')

    await expect.poll(() => card().element().querySelector('del')?.textContent).toBe('lamps')
    expect(after()).toBe(
      `After approval: ⟦Heading 2⟧ Lamps\n\n⟦<p style="color:#fff">⟧ [All of them] ⟦→ ${other}⟧`,
    )
    await source.click()
    await expect.poll(after).toBe(`After approval: ${change.after}`)
    await source.click()
    await expect.poll(after).toContain('⟦Heading 2⟧ Lamps')
  })

  test('of something new names the page that it comes to', async () => {
    const it = stage()
    const draft = (tool: string, table: string, args: Record<string, unknown>): PendingCall => ({
      id: tool,
      tool,
      title: `Create ${table}`,
      arguments: args,
      preview: {
        table,
        uid: null,
        label: 'New',
        page: { uid: 1, title: 'Home' },
        changes: [{ field: 'title', label: 'Title', before: null, after: 'New' }],
      },
    })
    const calls = [
      draft('create_page_draft', 'pages', { parent: 1, title: 'New' }),
      draft('create_content_draft', 'content', { page: 1, header: 'New' }),
    ]
    mountModule(it, { conversationId: it.propose(calls), recordHref: '/r/{table}/{uid}' })
    const region = page.getByRole('region', { name: '2 changes' })

    await expect.element(region).toMatchTextContent('New page below Home [1].')
    await expect.element(region).toMatchTextContent('New content on page Home [1].')
    expect(linksOf(region)).toEqual([
      ['Home [1]', '/r/pages/1'],
      ['Home [1]', '/r/pages/1'],
    ])
  })

  test('names no page in a CMS without a page tree, and links the record by its own type', async () => {
    const it = stage()
    it.status = { pages: null }
    const article = { table: 'articles', changes: call.preview?.changes ?? [] }
    const own = { uid: 1, title: 'Aurora lamp' }
    const calls: PendingCall[] = [
      { ...call, preview: { ...article, uid: 1, label: 'Aurora lamp', page: own } },
      {
        ...call,
        id: 'c2',
        preview: { ...article, uid: null, label: 'New', page: { uid: 0, title: 'Articles' } },
      },
    ]
    mountModule(it, { conversationId: it.propose(calls), recordHref: '/r/{table}/{uid}' })
    const region = page.getByRole('region', { name: '2 changes' })

    await expect.element(region).toMatchTextContent('New articles. Visitors see it when you unhide it.')
    expect(linksOf(region)).toEqual([['articles [1]', '/r/articles/1']])
    await expect.element(region).not.toMatchTextContent('on page')
  })

  test.each([
    ['that fits is seen whole, whatever was said before it', 2],
    ['that is longer is seen from its title, with the decision at the lower edge', 30],
  ])('%s', async (_, fields) => {
    const it = stage()
    const changes = Array.from({ length: fields }, (__, index) => ({
      field: `f${index}`,
      label: `Field ${index}`,
      before: 'Old',
      after: 'New',
    }))
    const id = it.add({ status: 'locked' }, [{ role: 'user', content: 'Change it' }])
    mountModule(it, { conversationId: id })
    await expect.element(log()).toMatchTextContent('Change it')
    it.say(id, { role: 'assistant', content: 'I read this.\n\n'.repeat(30), runId: 'run' })
    it.pause(id, { calls: [{ ...call, preview: call.preview && { ...call.preview, changes } }] })
    await expect.element(card()).toBeInTheDocument()

    await expect.poll(() => isSeen(card().getByRole('heading', { name: call.title }))).toBe(true)
    await expect.poll(() => isSeen(button('Approve'))).toBe(true)
    await expect.poll(() => isSeen(button('Deny'))).toBe(true)
  })

  test.each([
    ['beside', 'Stored as a draft: visitors see what is published until a person publishes the draft.'],
    ['publish', 'Your approval changes what visitors see.'],
  ] as const)('with drafts first says what it does for visitors: %s', async (effect, words) => {
    const it = stage()
    const id = it.propose([{ ...call, effect }])
    mountModule(it, { conversationId: id })

    await expect.element(card().getByText(words)).toBeVisible()
  })

  test('is read in a low window, as at 200 % zoom: its decision covers no change', async () => {
    await page.viewport(640, 400)
    onTestFinished(() => page.viewport(1280, 800))
    const it = stage()
    mountModule(it, { conversationId: it.propose([call]) })
    await settled()
    const [foot, change] = ['.approval-foot', 'td.will'].map((part) => card().element().querySelector(part))

    change?.scrollIntoView({ block: 'nearest' })

    const edges = [foot?.getBoundingClientRect().top ?? 0, change?.getBoundingClientRect().bottom ?? 0]
    expect(edges[0]).toBeGreaterThanOrEqual((edges[1] ?? 0) - 1)
  })

  test('that is out of view has a way to its decision', async () => {
    const it = stage()
    const id = it.propose([call])
    mountModule(it, { conversationId: id })
    await expect.element(card()).toBeInTheDocument()
    it.say(id, { role: 'assistant', content: 'I read this.\n\n'.repeat(60), runId: 'run' })
    await expect.element(log()).toMatchTextContent('I read this.')
    await scrolled(toTop, () => button('To the decision').query()).not.toBeNull()

    await button('To the decision').click()

    await expect.poll(() => isSeen(button('Approve'))).toBe(true)
    await expect.element(button('To the decision')).not.toBeInTheDocument()
  })

  test('with a long text is folded, and opened by its button', async () => {
    const it = stage()
    const text = (word: string) => `${word} of a long story. `.repeat(200).trim()
    const changes = [{ field: 'bodytext', label: 'Text', before: text('Start'), after: text('Other') }]
    mountModule(it, {
      conversationId: it.propose([{ ...call, preview: call.preview && { ...call.preview, changes } }]),
    })
    const open = button('After approval: Show the whole text')
    await expect.element(open).toBeInTheDocument()
    const folded = card().element().getBoundingClientRect().height

    await open.click()

    await expect.element(open).not.toBeInTheDocument()
    expect(card().element().getBoundingClientRect().height).toBeGreaterThan(folded)
    await expect.element(card()).toMatchTextContent(text('Other'))
  })

  test.each([
    ['tag characters', '\u{e0070}\u{e0061}\u{e0079}', '3 hidden tag characters: pay'],
    ['a space without width', '\u200b', 'U+200B character without width: not seen'],
    ['an override of the direction', '\u202e', 'U+202E direction mark: turns the order of what follows'],
    ['an isolate', '\u2067', 'U+2067 direction mark: turns the order of what follows'],
    ['a variation selector', '\ufe01', 'U+FE01 variation selector: not seen'],
    ['a soft hyphen', '\u00ad', 'U+00AD soft hyphen: seen only at the end of a line'],
    ['a Hangul filler', '\u3164', 'U+3164 filler: looks like a space, or like nothing'],
  ])('shows %s, in the title and on both sides', async (_, hidden, name) => {
    const it = stage()
    const changes = [
      { field: 'header', label: 'Header', before: 'Contact', after: `Con${hidden}tact` },
      { field: 'subheader', label: 'Subheader', before: `Of${hidden}fer`, after: 'Offer' },
    ]
    mountModule(it, {
      conversationId: it.propose([
        {
          ...call,
          title: `Change “Con${hidden}tact”`,
          preview: call.preview && { ...call.preview, changes },
        },
      ]),
    })

    const marks = page.getByRole('region', { name: /^Change/ }).getByRole('img', { name, exact: true })
    await expect.poll(() => marks.elements()).toHaveLength(3)
    for (const mark of marks.elements()) expect(mark.getBoundingClientRect().width).toBeGreaterThan(8)
    expect(marks.elements().map((mark) => mark.closest('td')?.className ?? 'title')).toEqual([
      'title',
      'will',
      'was',
    ])
  })

  test('is announced, and takes no focus', async () => {
    const it = stage()
    const id = it.add({ status: 'locked' }, [{ role: 'user', content: 'Change it' }])
    mountModule(it, { conversationId: id })
    await page.getByRole('textbox', { name: 'Message' }).click()
    it.say(id, {
      role: 'assistant',
      content: '',
      runId: 'run',
      toolCalls: [{ id: 'c1', name: 'update_record', arguments: {} }],
    })
    it.pause(id, { calls: [call] })

    await expect.element(said()).toMatchTextContent(`Waiting for your approval: ${call.title}`)
    expect(focused()).toBe('Message')
  })

  test('ignores a click that came with it, and shows so long that it does', async () => {
    const it = stage()
    const { renderRoot } = mountModule(it, { conversationId: it.propose([call]) })
    const approve = button('Approve')
    // In the moment in which the card comes, however slow the machine is.
    const shown = await new Promise<(string | null)[]>((clicked) => {
      const clickBoth = (_: unknown, observer: MutationObserver) => {
        const both = [...approve.elements(), ...button('Deny').elements()] as HTMLElement[]
        if (both.length < 2) return
        observer.disconnect()
        for (const one of both) one.click()
        both[0]?.focus()
        clicked(both.map((one) => one.getAttribute('aria-disabled')))
      }
      new MutationObserver(clickBoth).observe(renderRoot, { childList: true, subtree: true })
    })
    expect(shown).toEqual(['true', 'true'])
    await settled()
    expect(it.to('/conversations/approve')).toEqual([])
    expect(page.getByRole('textbox', { name: /^Reason/ }).elements()).toEqual([])
    expect(focused()).toBe('Approve')
    await approve.click()

    await expect.poll(() => it.to('/conversations/approve')).toHaveLength(1)
  })

  test('that is stored leads to the page on the site where the CMS says its address', async () => {
    const it = stage()
    const id = it.propose([call])
    mountModule(it, { conversationId: id })
    await settled()
    await button('Approve').click()
    const [record] = stored.records ?? []
    const url = 'https://northlight.example/aurora-lamp'
    it.say(id, { ...stored, records: record ? [{ ...record, url }] : [] })
    it.finish(id, 'Done.')

    const link = page.getByRole('link', { name: 'Show on the site' })
    await expect.element(link).toHaveAttribute('href', url)
    await expect.element(link).toHaveAttribute('target', '_blank')
  })

  test('that is approved becomes a row with the record and the way back', async () => {
    const it = stage()
    const id = it.propose([call])
    mountModule(it, { conversationId: id })
    await expect.element(card()).toBeInTheDocument()
    await settled()
    await button('Approve').click()

    await expect.element(log()).toMatchTextContent(/You approved this at \d\d:\d\d\. It is being done now\./)
    await expect.poll(focused).toMatch(/^You approved this/)
    await expect
      .poll(() => it.to('/conversations/approve')[0]?.body)
      .toEqual({ conversationId: id, digest: 'd1', approve: true })

    it.say(id, stored)
    await expect.element(page.getByRole('link', { name: 'Open record' })).toBeInTheDocument()
    // The stage refuses an undo while the turn runs.
    expect(button('Undo').elements()).toHaveLength(0)
    it.finish(id, 'Done.')
    await expect.element(button('Undo')).toBeInTheDocument()
    expect(focused()).toMatch(/^You approved this/)
    await expect.element(card()).not.toBeInTheDocument()

    const undo = button('Undo').element() as HTMLButtonElement
    undo.click()
    // A second press comes before the answer to the first one.
    undo.click()
    await expect.element(log()).toMatchTextContent('Undone.')
    await expect.poll(focused).toMatch(/^You approved this.*Undone\./)
    // Once is enough: no row of its own, and no strip that has to be closed.
    expect(
      page
        .getByText(/undone/i)
        .elements()
        .filter((one) => one.role !== 'status'),
    ).toHaveLength(1)
    const undone = it.to('/conversations/undo').map(({ body }) => body)
    expect(undone).toEqual([{ conversationId: id, runId: 'run' }])
    await expect.element(button('Undo')).not.toBeInTheDocument()
  })

  test('is denied with a reason that the assistant reads', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.propose([call]) })
    await expect.element(card()).toBeInTheDocument()
    await settled()
    await button('Deny').click()
    await page.getByRole('textbox', { name: 'Reason, for the assistant (optional)' }).fill('Not now')
    await button('Deny').click()

    await expect
      .element(log())
      .toMatchTextContent(/You denied this at .* Nothing was changed\. Reason: Not now/)
    await expect
      .poll(() => it.to('/conversations/approve')[0]?.body)
      .toMatchObject({ approve: false, reason: 'Not now' })
  })

  describe('of which the user has begun the denial', () => {
    const reason = page.getByRole('textbox', { name: 'Reason, for the assistant (optional)' })
    const begin = async () => {
      const it = stage()
      const id = it.propose([call])
      const module = mountModule(it, { conversationId: id })
      await expect.element(card()).toBeInTheDocument()
      await settled()
      await button('Deny').click()
      await reason.fill('Not now')
      return { it, id, module }
    }

    test('is not denied by the Enter that ends the work of an input method in Safari', async () => {
      const { it } = await begin()
      const enter = new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true })
      reason.element().dispatchEvent(enter)
      await reason.fill('Not today')
      await button('Deny').click()

      await expect
        .poll(() => it.to('/conversations/approve').map(({ body }) => body.reason))
        .toEqual(['Not today'])
    })

    test('keeps the reason while another conversation is shown', async () => {
      const { it, id, module } = await begin()
      module.conversationId = it.add({}, [{ role: 'user', content: 'Another' }])
      await expect.element(card()).not.toBeInTheDocument()
      module.conversationId = id

      await expect.element(reason).toHaveValue('Not now')
      await button('Deny').click()
      await expect
        .poll(() => it.to('/conversations/approve').map(({ body }) => body.reason))
        .toEqual(['Not now'])
    })

    test('keeps the reason over a reload, until Cancel or the decision', async () => {
      const it = stage()
      const id = it.propose([call])
      const name = `reason ${id} run c1`
      localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ drafts: { [name]: 'Not now' } }))
      const module = mountModule(it, { conversationId: id })
      const kept = () => module.store?.memory.drafts[name]
      await expect.element(reason).toHaveValue('Not now')

      await reason.fill('Not today')
      expect(kept()).toBe('Not today')
      await button('Cancel').click()
      expect(kept()).toBe('')

      await settled()
      await button('Deny').click()
      await reason.fill('Not at all')
      expect(kept()).toBe('Not at all')
      await button('Deny').click()
      await expect.poll(kept).toBe('')
      expect(it.to('/conversations/approve').map(({ body }) => body.reason)).toEqual(['Not at all'])
    })

    test('does not bring the reason to the proposal that follows a decision of another tab', async () => {
      const { it, id, module } = await begin()
      it.say(id, stored, {
        role: 'assistant',
        content: 'And this.',
        runId: 'run',
        toolCalls: [{ id: 'c2', name: call.tool, arguments: call.arguments }],
      })
      it.pause(id, { calls: [{ ...call, id: 'c2' }], digest: 'd2' })
      module.store?.look(module.conversation)

      await expect.element(log()).toMatchTextContent('And this.')
      await expect.element(button('Approve')).toBeInTheDocument()
      await expect.element(reason).not.toBeInTheDocument()
    })

    test('keeps the reason after a refusal', async () => {
      const { it } = await begin()
      it.refusals.set('/ai-chat/conversations/approve', {
        status: 503,
        code: 'service.unavailable',
        message: 'Later.',
      })
      await button('Deny').click()

      await expect.element(page.getByText('Later.').first()).toBeInTheDocument()
      await expect.element(reason).toHaveValue('Not now')
    })

    test('does not bring the reason to the next proposal of the turn', async () => {
      const { it, id } = await begin()
      await button('Deny').click()
      await expect.poll(() => it.to('/conversations/approve')).toHaveLength(1)
      it.pause(id, { calls: [{ ...call, id: 'c2' }], digest: 'd2' })

      await settled()
      await button('Deny').click()
      await expect.element(reason).toHaveValue('')
    })
  })

  test.each([
    ['Cancel', () => button('Cancel').click()],
    ['Escape', () => userEvent.keyboard('{Escape}')],
  ])('is not denied after all on %s, and Deny has the focus', async (_, leave) => {
    const it = stage()
    mountModule(it, { conversationId: it.propose([call]) })
    await expect.element(card()).toBeInTheDocument()
    await settled()
    await button('Deny').click()
    await expect.poll(focused).toBe('Reason, for the assistant (optional)')

    await leave()

    await expect.element(button('Approve')).toBeInTheDocument()
    await expect.poll(focused).toBe('Deny')
    expect(it.to('/conversations/approve')).toEqual([])
  })

  test('that changes under the pointer is decided as it was drawn', async () => {
    const it = stage()
    const module = mountModule(it, { conversationId: it.propose([call]) })
    await expect.element(card()).toBeInTheDocument()
    await settled()
    const approve = button('Approve').element() as HTMLElement
    const { transcript } = module.conversation
    const approval = transcript.approval && { ...transcript.approval, digest: 'd2' }

    module.conversation.transcript = { ...transcript, approval }
    approve.click()

    await expect.poll(() => it.to('/conversations/approve').map(({ body }) => body.digest)).toEqual(['d1'])
  })

  test('that was refused waits again, with the reason', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.propose([call]) })
    it.refusals.set('/ai-chat/conversations/approve', {
      status: 409,
      code: 'approval.stale',
      message: 'The proposal has changed. Look at it again.',
    })
    await expect.element(card()).toBeInTheDocument()
    await settled()
    await button('Approve').click()

    await expect
      .element(page.getByText('The proposal has changed. Look at it again.').first())
      .toBeInTheDocument()
    await expect.element(button('Approve')).toBeInTheDocument()
    await expect.poll(focused).toMatch(new RegExp(`^${call.title}`))
  })

  test('that gets no answer waits again, and says that it may not be done', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.propose([call]) })
    await expect.element(card()).toBeInTheDocument()
    await settled()
    it.isOffline = true
    await button('Approve').click()

    const words = page.getByText('No answer came. Check whether it was done before you try again.')
    await expect.element(words.first()).toBeVisible()
    it.isOffline = false
    dispatchEvent(new Event('online'))

    await expect.element(page.getByText(/^No connection/).first()).not.toBeInTheDocument()
    await expect.element(button('Approve')).toBeInTheDocument()
    await expect.element(words.first()).toBeVisible()
    expect(focused()).toMatch(new RegExp(`^${call.title}`))
  })

  test('that was replaced by a fresh one says so, and is guarded again', async () => {
    const it = stage()
    const id = it.propose([call])
    mountModule(it, { conversationId: id })
    await expect.element(card()).toBeInTheDocument()
    await settled()

    it.pause(id, { calls: [call], digest: 'd2' })

    await expect.element(card()).toMatchTextContent('The record was changed meanwhile.')
    await settled()
    await button('Approve').click()
    await expect.poll(() => it.to('/conversations/approve')[0]?.body.digest).toBe('d2')
  })

  test('that was decided elsewhere is gone', async () => {
    const it = stage()
    const id = it.propose([call])
    mountModule(it, { conversationId: id })
    await expect.element(card()).toBeInTheDocument()

    it.say(id, stored)
    it.change(id, { status: 'processing' }, { pendingApproval: null })

    await expect.element(card()).not.toBeInTheDocument()
    await expect.element(log()).toMatchTextContent('You approved this at')
  })

  test('of several calls is one decision', async () => {
    const it = stage()
    const draft: PendingCall = {
      id: 'c2',
      tool: 'create_content_draft',
      title: 'Create hidden content element “Evenings”',
      arguments: { page: 1, type: 'text', header: 'Evenings' },
      preview: {
        table: 'content',
        uid: null,
        label: 'Evenings',
        changes: [{ field: 'header', label: 'Header', before: null, after: 'Evenings' }],
      },
    }
    mountModule(it, { conversationId: it.propose([call, draft]) })

    const both = page.getByRole('region', { name: '2 changes' })
    await expect.element(both).toBeInTheDocument()
    await expect.element(both.getByRole('heading', { name: call.title })).toBeInTheDocument()
    await expect.element(both.getByRole('columnheader', { name: 'New' })).toBeInTheDocument()
    expect(both.getByRole('button', { name: 'Approve' }).elements()).toHaveLength(1)
  })

  test('that is a plan numbers its changes, and leaves out what needs an unticked one', async () => {
    const it = stage()
    const from = new Date(Date.now() + 7 * 86_400_000).toISOString()
    const made = (id: string, label: string, more: Partial<PendingCall> = {}): PendingCall => ({
      id,
      tool: 'create_page_draft',
      title: `Create hidden page “${label}”`,
      arguments: { parent: 1, title: label },
      preview: {
        table: 'pages',
        uid: null,
        label,
        page: { uid: 1, title: 'Home' },
        changes: [{ field: 'title', label: 'Title', before: null, after: label }],
      },
      ...more,
    })
    const state = {
      tool: 'set_state',
      title: 'Plan when visitors see “Camp”',
      arguments: { table: 'pages', uid: 'new:1', state: 'scheduled', from },
      needs: 'n1',
    }
    const plan = [made('n1', 'Camp'), made('n2', 'Camp', state), made('n3', 'Teaser')]
    const id = it.propose(plan)
    mountModule(it, { conversationId: id })
    const proposal = page.getByRole('region', { name: '3 changes' })
    await expect.element(proposal).toBeInTheDocument()

    const headings = proposal.getByRole('heading', { level: 4 }).elements()
    expect(headings.map(({ textContent }) => textContent)).toEqual([
      '1. Create hidden page “Camp”',
      '2. Plan when visitors see “Camp”',
      '3. Create hidden page “Teaser”',
    ])
    await expect
      .element(proposal)
      .toMatchTextContent(
        /Needs change 1, and is checked when it is stored\. Visitors see it from .*, in 7 days\./,
      )
    const box = (title: string) => proposal.getByRole('checkbox', { name: `Include: ${title}` })
    await box('Create hidden page “Camp”').click()
    await expect.element(box(state.title)).not.toBeChecked()
    await expect.element(box(state.title)).toBeDisabled()
    await expect.element(proposal).toMatchTextContent('Left out with change 1.')

    await settled()
    await button('Approve 1 of 3').click()
    await expect.poll(() => it.to('/conversations/approve').map(({ body }) => body.denied)).toEqual([['n1']])
  })

  test('that was left out in part says what was left out with it', async () => {
    const it = stage()
    const calls = [
      { id: 'n1', name: 'create_page_draft', arguments: { parent: 1, title: 'Camp' } },
      { id: 'n2', name: 'set_state', arguments: { table: 'pages', uid: 'new:1', state: 'visible' } },
      { id: 'n3', name: 'update_record', arguments: { table: 'content', uid: 12, fields: {} } },
    ]
    const row = { role: 'tool', content: 'Text', runId: 'run', approved: true } as const
    const id = it.add({}, [
      { role: 'user', content: 'Publish it' },
      { role: 'assistant', content: '', runId: 'run', toolCalls: calls },
      { ...row, toolCallId: 'n1', toolName: 'create_page_draft', outcome: 'denied', approved: false },
      { ...row, toolCallId: 'n2', toolName: 'set_state', outcome: 'notRun' },
      { ...stored, toolCallId: 'n3' },
    ])
    mountModule(it, { conversationId: id })

    await expect
      .element(log())
      .toMatchTextContent(
        '1 of 3 records were changed. 1 was left out by you. 1 was left out: the record that it needs',
      )
    await expect
      .element(log())
      .toMatchTextContent('left out, because the record that it needs was not created')
  })

  test('of a user without the right cannot be decided', async () => {
    const it = stage()
    const id = it.propose([call])
    it.pause(id, { calls: [call], mayDecide: false })
    mountModule(it, { conversationId: id })

    await expect.element(card()).toMatchTextContent('a right is missing')
    await expect.element(button('Approve')).not.toBeInTheDocument()
  })

  test('that is decided in the panel is decided in the module', async () => {
    const it = stage()
    const id = it.propose([call])
    mountModule(it, { conversationId: id })
    const panel = mountPanel(it, { open: true, conversationId: id })
    await expect.poll(() => card().elements()).toHaveLength(2)
    await settled()

    const own = () => panel.shadowRoot?.querySelector<HTMLButtonElement>('.approval .btn-primary')
    await expect.poll(own).toBeInstanceOf(HTMLButtonElement)
    own()?.click()

    await expect.poll(() => card().elements()).toHaveLength(0)
  })
})

test('in French the hidden names of values and buttons have the space before their colon', async () => {
  const it = stage()
  const change = {
    field: 'bodytext',
    label: 'Texte',
    before: '<p>a</p>',
    after: `<p>${'b '.repeat(700)}</p>`,
    readable: { before: 'a', after: 'b '.repeat(700) },
  }
  const preview = { table: 'content', uid: 12, label: 'Aurora', changes: [change] }
  mountModule(it, { lang: 'fr', conversationId: it.propose([{ ...call, preview }]) })
  const diff = page.getByRole('table', { name: 'Modifications, champ par champ' })

  await expect.element(diff.getByRole('cell').first()).toMatchTextContent(/^Maintenant\s: a$/)
  const names = () =>
    diff
      .getByRole('button')
      .elements()
      .map((one) => one.getAttribute('aria-label'))
  await expect
    .poll(names)
    .toEqual(['Texte\u202f: Code source', 'Après approbation\u202f: Afficher le texte entier'])
})

test('in French a proposal is read, explained and decided in French', async () => {
  const it = stage()
  const title = 'Modifier 2 champs de «\u202fAurora\u202flamp\u202f»'
  mountPanel(it, { open: true, lang: 'fr', conversationId: it.propose([{ ...call, title }]) })
  const panel = page.getByRole('region', { name: 'Chat IA', exact: true })
  const proposal = panel.getByRole('region', { name: /^Modifier 2 champs/ })
  // The spaces of French are no hidden characters; the same character within a name is one.
  const heading = proposal.getByRole('heading', { name: /^Modifier 2 champs/ })
  await expect.element(heading).toMatchTextContent(/^Modifier 2 champs de «\sAuroraU\+202Flamp\s»$/)
  await expect.element(proposal).toMatchTextContent('Rien ne change avant votre approbation.')
  await expect.element(proposal.getByRole('table', { name: 'Modifications, champ par champ' })).toBeVisible()
  await expect.element(panel.getByRole('textbox', { name: 'Message' })).toBeVisible()
  for (const name of ['Joindre un fichier', 'Envoyer', 'Fermer', 'Nouvelle conversation'])
    await expect.element(panel.getByRole('button', { name, exact: true })).toBeVisible()

  await settled()
  await proposal.getByRole('button', { name: 'Refuser', exact: true }).click()
  await proposal.getByRole('textbox', { name: 'Motif, pour l’assistant (facultatif)' }).fill('Trop cher')
  await proposal.getByRole('button', { name: 'Refuser', exact: true }).click()

  await expect
    .element(panel.getByRole('log', { name: 'Conversation' }))
    .toMatchTextContent('Vous avez refusé (')
})

test('an answer that the user begins stays with its question, also over a refusal', async () => {
  const it = stage()
  const ask = (text: string) =>
    it.propose([
      {
        id: 'c1',
        tool: 'ask_user',
        title: text,
        preview: null,
        arguments: { question: text },
        question: { text, choices: ['Blue', 'Red'], several: false, freeText: true },
      },
    ])
  const [first, second] = [ask('Which lamp?'), ask('Which table?')]
  const module = mountModule(it, { conversationId: first })
  const words = page.getByRole('textbox', { name: 'Or in your own words' })
  const blue = page.getByRole('radio', { name: 'Blue' })
  const question = (name: string) => expect.element(page.getByRole('region', { name })).toBeVisible()
  await question('Which lamp?')
  module.conversationId = second
  await question('Which table?')
  await words.fill('The round one')
  await blue.click()

  module.conversationId = first
  await question('Which lamp?')
  await expect.element(words).toHaveValue('')
  await expect.element(blue).not.toBeChecked()

  module.conversationId = second
  await question('Which table?')
  await expect.element(words).toHaveValue('The round one')
  await expect.element(blue).toBeChecked()
  expect(module.store?.memory.drafts[`choices ${second} run`]).toBe('0')

  it.refusals.set('/ai-chat/conversations/answer', {
    status: 409,
    code: 'conversation.busy',
    message: 'Not now.',
  })
  await button('Answer').click()
  await expect.element(page.getByText('Not now.').first()).toBeVisible()
  await expect.element(words).toHaveValue('The round one')
  await button('Answer').click()

  await expect.element(log()).toMatchTextContent('You: Blue; The round one')
  await expect
    .poll(() => module.store?.memory.drafts)
    .toMatchObject({
      [`answer ${second} run`]: '',
      [`choices ${second} run`]: '',
    })
})
