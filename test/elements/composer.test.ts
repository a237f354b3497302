import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { button, clear, focused, log, message, mountModule, said, stage } from './mount.ts'

/** That of this machine, which the browser has too. */
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()

afterEach(clear)
const { send } = XMLHttpRequest.prototype
afterEach(() => {
  XMLHttpRequest.prototype.send = send
})

/** From now on an upload is answered like this. */
function answerUploads(body: unknown): void {
  XMLHttpRequest.prototype.send = function (this: XMLHttpRequest) {
    Object.defineProperties(this, { status: { value: 201 }, response: { value: body } })
    queueMicrotask(() => this.onload?.(new ProgressEvent('load')))
  }
}

/** The stage has said what is possible. */
const ready = () =>
  expect
    .poll(() =>
      document.querySelector('ai-chat-module')?.shadowRoot?.querySelector('[accept=".png,.pdf,.txt"]'),
    )
    .toBeTruthy()
const group = () => page.getByRole('group', { name: 'Attachments' })
const give = (...files: File[]) => {
  const input = document
    .querySelector('ai-chat-module')
    ?.shadowRoot?.querySelector<HTMLInputElement>('#files')
  const transfer = new DataTransfer()
  for (const file of files) transfer.items.add(file)
  if (!input) throw new Error('There is no field for files')
  input.files = transfer.files
  input.dispatchEvent(new Event('change'))
}

/** Drags a file over the log, or drops it there; returns what the page does with the event. */
function drag(type: 'dragover' | 'drop') {
  const dataTransfer = new DataTransfer()
  dataTransfer.items.add(new File(['Words'], 'notes.txt'))
  // The browser sets no effect of an event that it did not make.
  Object.defineProperty(dataTransfer, 'dropEffect', { value: 'move', writable: true })
  const init = { bubbles: true, composed: true, cancelable: true, dataTransfer }
  const isPrevented = !log().element().dispatchEvent(new DragEvent(type, init))
  return { effect: dataTransfer.dropEffect, isPrevented }
}
const dropHint = page.getByText(/Drop to attach/)

test('a dropped file is attached', async () => {
  answerUploads({ fileUid: 7, name: 'notes.txt', mimeType: 'text/plain', size: 5 })
  const it = stage()
  mountModule(it, { conversationId: it.add({}, [{ role: 'user', content: 'Hello' }]) })
  await ready()
  await expect.element(log()).toMatchTextContent('Hello')

  expect(drag('dragover')).toEqual({ effect: 'copy', isPrevented: true })
  await expect.element(dropHint).toBeVisible()
  drag('drop')

  await expect.element(group()).toMatchTextContent('notes.txt')
})

test.each([
  ['a copied picture, which has no words', { 'text/html': '<img src="lamp.png">' }, true],
  ['a copied file, which has its name', { 'text/plain': 'lamp.png' }, true],
  ['copied cells, and not their picture', { 'text/plain': 'A\tB', 'text/html': '<table></table>' }, false],
])('takes %s from the clipboard', async (_, texts, isAttached) => {
  answerUploads({ fileUid: 7, name: 'lamp.png', mimeType: 'image/png', size: 5 })
  const element = mountModule(stage())
  await ready()
  const clipboardData = new DataTransfer()
  clipboardData.items.add(new File(['Words'], 'lamp.png', { type: 'image/png' }))
  for (const [type, text] of Object.entries(texts)) clipboardData.setData(type, text)
  const paste = new ClipboardEvent('paste', {
    bubbles: true,
    composed: true,
    cancelable: true,
    clipboardData,
  })

  expect(!message().element().dispatchEvent(paste)).toBe(isAttached)
  const names = () => element.conversation.attachments.map(({ file }) => file.name)
  await expect.poll(names).toEqual(isAttached ? ['lamp.png'] : [])
})

test.each([
  ['an archived conversation', false, 'This conversation is archived.'],
  ['a user who may not chat', true, /^You may not use the AI chat/],
])('a dropped file is refused for %s, and the browser does not open it', async (_, isDenied, words) => {
  const it = stage()
  it.isDenied = isDenied
  const conversationId = isDenied ? null : it.add({ archived: true }, [{ role: 'user', content: 'Hello' }])
  const element = mountModule(it, { conversationId })
  await expect.element(page.getByText(words)).toBeVisible()

  expect(drag('dragover')).toEqual({ effect: 'none', isPrevented: true })
  await element.updateComplete
  await expect.element(dropHint).not.toBeInTheDocument()
  expect(drag('drop').isPrevented).toBe(true)

  await import('../../web/chat/store/attach.ts')
  expect(element.conversation.attachments).toEqual([])
})

describe('the message field', () => {
  test('sends with Enter and keeps the cursor, breaks the line with Shift and Enter', async () => {
    const it = stage()
    mountModule(it)
    await ready()
    await message().click()
    await userEvent.keyboard('One{Shift>}{Enter}{/Shift}Two{Enter}')

    await expect.poll(() => it.to('/conversations/send')[0]?.body.content).toBe('One\nTwo')
    await expect.element(message()).toHaveValue('')
    expect(focused()).toBe('Message')
  })

  test('sends nothing that is empty, and says so', async () => {
    const it = stage()
    mountModule(it)
    await ready()
    await message().fill('   ')
    await userEvent.keyboard('{Enter}')

    await expect.element(said()).toMatchTextContent('Write a message first')
    await expect.element(button('Send')).toHaveAttribute('aria-disabled', 'true')
    expect(it.to('/conversations/send')).toEqual([])
  })

  test.each([
    ['en', 'Message'],
    ['de', 'Nachricht'],
    ['fr', 'Message'],
  ])('has one row before its first letter, and a whole button: %s', async (lang, name) => {
    await page.viewport(320, 740)
    onTestFinished(() => page.viewport(1280, 800))
    const it = stage()
    it.lang = lang
    const context = { pageId: 3, module: 'web_page', title: 'Aurora lamp' }
    const module = mountModule(it, { lang, context, conversationId: it.propose([]) })
    await expect.poll(() => module.find('.composer-bar .context')).not.toBeNull()
    const field = module.find<HTMLTextAreaElement>('#message') as HTMLTextAreaElement
    const empty = field.offsetHeight

    expect(field.placeholder.length).toBeGreaterThan(20)
    expect(module.find('.composer-bar .btn')?.offsetWidth).toBe(44)
    await page.getByRole('textbox', { name, exact: true }).fill('A')
    expect(field.offsetHeight).toBe(empty)
  })

  test('has a draft for each conversation', async () => {
    const it = stage()
    const [one, two] = [it.add({ title: 'One' }), it.add({ title: 'Two' })]
    const module = mountModule(it, { conversationId: one })
    await ready()
    await message().fill('For one')

    module.conversationId = two
    await expect.element(message()).toHaveValue('')
    await message().fill('For two')
    module.conversationId = one

    await expect.element(message()).toHaveValue('For one')
    module.store?.flush()
    expect(JSON.parse(localStorage.getItem(`aic:v1:${it.uid}`) ?? '{}').drafts).toEqual({
      [one]: 'For one',
      [two]: 'For two',
    })
  })

  test('counts the characters that are left when they become few', async () => {
    const it = stage()
    mountModule(it)
    await ready()
    await message().fill('x'.repeat(195))
    await expect.element(page.getByText('5 characters left')).toBeInTheDocument()

    await message().fill('x'.repeat(203))

    await expect.element(page.getByText('3 characters too long')).toBeInTheDocument()
    await expect.element(button('Send')).toHaveAttribute('aria-disabled', 'true')
  })

  test('draws nothing again for a stroke', async () => {
    const it = stage()
    const module = mountModule(it)
    await ready()
    await message().fill('a')
    await module.updateComplete
    let drawn = 0
    const update = module.requestUpdate.bind(module)
    module.requestUpdate = (...change) => {
      drawn++
      update(...change)
    }

    await userEvent.keyboard('bcdef')

    await expect.element(message()).toHaveValue('abcdef')
    expect(drawn).toBe(0)
  })

  test('opens the last message for a change with the arrow, when it is empty', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.add({}, [{ role: 'user', content: 'Typo' }]) })
    await expect.element(log()).toMatchTextContent('Typo')
    await message().click()
    await userEvent.keyboard('{ArrowUp}')

    await expect.poll(focused).toBe('Edit message')
    await expect.element(page.getByRole('textbox', { name: 'Edit message' })).toHaveValue('Typo')
  })

  test('names the open record by its type where it is no page, to the user and to the stage', async () => {
    const it = stage()
    it.status = { pages: null }
    mountModule(it, { context: { pageId: 1, table: 'articles', module: 'page', title: 'Aurora lamp' } })
    await expect.element(page.getByText('articles: Aurora lamp [1]')).toBeInTheDocument()
    await expect.element(button('Leave this record out')).toBeInTheDocument()
    await expect.element(button('Who changed “Aurora lamp” last, and what?')).toBeInTheDocument()
    await message().fill('What is this?')
    await button('Send').click()

    await expect
      .poll(() => it.to('/conversations/send').map(({ body }) => body.viewContext))
      .toEqual([{ pageId: 1, table: 'articles', module: 'page', timeZone }])
  })

  test('is filled by a prompt that fits the page, and not sent', async () => {
    const it = stage()
    mountModule(it, { context: { pageId: 3, module: 'web_page', title: 'Aurora lamp' } })
    await expect.element(page.getByRole('heading', { name: 'Ask about Aurora lamp' })).toBeInTheDocument()
    await button('Find every place that names “Aurora lamp”').click()

    await expect.element(message()).toHaveValue('Find every place that names “Aurora lamp”')
    expect(focused()).toBe('Message')
    expect(it.to('/conversations/send')).toEqual([])
  })

  test('says which script answers where no model does', async () => {
    const it = stage()
    it.status = { provider: { name: 'demo', model: 'demo-scripted-1', isAI: false } }
    mountModule(it)

    await expect.element(page.getByText('Demo mode: a fixed script, not an AI')).toBeInTheDocument()
  })

  test.each([
    ['an administrator has to do', false, 'chat.notConfigured', 'Task 1 has no configuration.'],
    ['keeps messages from being taken', true, 'service.maintenance', 'The assistant is being maintained.'],
  ])('says what %s', async (_, available, code, words) => {
    const it = stage()
    it.status = { available, issues: [{ code, message: words }] }
    mountModule(it)

    await expect.element(page.getByText(words)).toBeInTheDocument()
  })
})

test('a stage without a model is called no demo, and suggests nothing', async () => {
  const it = stage()
  const issues = [{ code: 'provider.missing', message: 'No model is configured.' }]
  const provider = { name: '', model: '', isAI: false }
  it.status = { available: false, issues, provider, tools: [] } as typeof it.status
  const module = mountModule(it)

  await expect.element(page.getByText('No model is configured.')).toBeInTheDocument()
  expect(page.getByText(/^Demo mode/).elements()).toEqual([])
  expect(module.shadowRoot?.querySelectorAll('.empty ul:not([hidden])')).toHaveLength(0)
})

test('a page whose title is not known is suggested for no question', async () => {
  const it = stage()
  mountModule(it, { context: { pageId: 99, module: 'page', title: '…' } })
  await ready()

  await expect
    .element(page.getByRole('heading', { name: 'What would you like to know?' }))
    .toBeInTheDocument()
  await expect.element(button('Give me an overview of the pages of this site')).toBeInTheDocument()
  expect(page.getByText(/…”/).elements()).toEqual([])
})

describe('attachments', () => {
  const busy = { status: 409, code: 'conversation.busy', message: 'Busy.' }

  /** Uploads a PDF of one byte, until it is ready to be sent. */
  async function attachPdf(name: string, fileUid: number): Promise<void> {
    answerUploads({ fileUid, name, mimeType: 'application/pdf', size: 1 })
    give(new File(['x'], name))
    await expect.element(group().getByRole('listitem')).toMatchTextContent(`${name} PDF, 1 B`)
  }

  test('that cannot be read are named with the reason, and can be removed', async () => {
    const it = stage()
    mountModule(it)
    await ready()
    give(new File(['x'], 'photos.zip'))
    await expect
      .element(group().getByRole('listitem'))
      .toMatchTextContent('photos.zip ZIP files cannot be read')

    await button('Remove photos.zip').click()

    await expect.element(group()).not.toBeInTheDocument()
  })

  test.each([
    ['empty', new File([], 'a.pdf'), 'The file is empty'],
    ['of an old format', new File(['x'], 'letter.doc'), 'DOC files cannot be read. Save it as DOCX'],
    ['without an ending', new File(['x'], 'notes'), 'Files without an ending cannot be read'],
  ])('that are %s are refused before anything is sent', async (_, file, reason) => {
    const it = stage()
    mountModule(it)
    await ready()
    give(file)

    await expect.element(group()).toMatchTextContent(reason)
    expect(it.to('/file-upload')).toEqual([])
  })

  test('are one for a message: a second is refused in place', async () => {
    const it = stage()
    mountModule(it)
    await ready()
    give(new File(['x'], 'a.pdf'), new File(['y'], 'b.pdf'))

    await expect
      .element(group().getByRole('listitem').filter({ hasText: 'b.pdf' }))
      .toMatchTextContent('One file per message')
  })

  test('however many, leave the message in the window', async () => {
    const it = stage()
    const { innerWidth, innerHeight } = window
    onTestFinished(() => page.viewport(innerWidth, innerHeight))
    await page.viewport(400, 780)
    mountModule(it)
    await ready()
    give(...Array.from({ length: 20 }, (_, at) => new File(['x'], `photos ${at}.zip`)))

    await expect.element(group()).toMatchTextContent('photos 19.zip')
    const { bottom } = message().element().getBoundingClientRect()
    expect(bottom).toBeLessThan(780)
  })

  test('that did not get through are sent again without choosing them again, and nothing goes out without them', async () => {
    const it = stage()
    mountModule(it)
    await ready()
    // The stage of these tests answers fetch alone: an upload gets no answer.
    give(new File(['x'], 'a.pdf'))
    await expect.element(group().getByRole('listitem')).toMatchTextContent('a.pdf The upload failed')
    await message().fill('Read this')
    await userEvent.keyboard('{Enter}')
    await expect.element(said()).toMatchTextContent('The upload failed: try again, or remove the file')
    expect(it.to('/conversations/send')).toEqual([])

    answerUploads({ fileUid: 7, name: 'a.pdf', mimeType: 'application/pdf', size: 1 })
    await button('Upload a.pdf again').click()
    await expect.element(group().getByRole('listitem')).toMatchTextContent('PDF, 1 B')
    expect(focused()).toBe('Message')
    await userEvent.keyboard('{Enter}')

    await expect.poll(() => it.to('/conversations/send').map(({ body }) => body.fileUid)).toEqual([7])
  })

  test('come back with a message that was not sent, to be edited', async () => {
    const it = stage()
    mountModule(it)
    await ready()
    await attachPdf('a.pdf', 7)
    it.refusals.set('/ai-chat/conversations/send', busy)
    await message().fill('Read this')
    await userEvent.keyboard('{Enter}')
    const unsent = page.getByRole('article', { name: 'You, not sent' })
    await expect.element(unsent).toMatchTextContent('a.pdf')
    await expect.element(group()).not.toBeInTheDocument()

    await unsent.getByRole('button', { name: 'Edit message' }).click()

    await expect.element(group().getByRole('listitem')).toMatchTextContent('a.pdf PDF, 1 B')
    await expect.element(message()).toHaveValue('Read this')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => it.to('/conversations/send').map(({ body }) => body.fileUid)).toEqual([7, 7])
  })

  test('that come back beside another file wait for the message after it', async () => {
    const it = stage()
    mountModule(it)
    await ready()
    await attachPdf('a.pdf', 7)
    it.refusals.set('/ai-chat/conversations/send', busy)
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('article', { name: 'You, not sent' })).toBeInTheDocument()
    await attachPdf('b.pdf', 8)
    await button('Edit message').click()
    await expect.poll(() => group().getByRole('listitem').elements().length).toBe(2)

    await userEvent.keyboard('{Enter}')

    await expect.element(group().getByRole('listitem')).toMatchTextContent('b.pdf PDF, 1 B')
    expect(it.to('/conversations/send').map(({ body }) => body.fileUid)).toEqual([7, 7])
  })

  test('that are pictures are shown small before they are anywhere else', async () => {
    const it = stage()
    const module = mountModule(it)
    await ready()
    answerUploads({ fileUid: 7, name: 'a.png', mimeType: 'image/png', size: 70 })
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    give(new File([Uint8Array.from(atob(png), (one) => one.charCodeAt(0))], 'a.png', { type: 'image/png' }))

    const small = () => module.shadowRoot?.querySelector<HTMLImageElement>('.files img')
    await expect.poll(() => small()?.naturalWidth).toBe(1)
    await expect.element(group().getByRole('listitem')).toMatchTextContent('a.png Image, 70 B')
    expect(small()?.naturalWidth).toBe(1)
  })

  test('have a chooser with the types of the stage', async () => {
    const it = stage()
    const module = mountModule(it)
    await ready()

    await expect
      .poll(() => module.shadowRoot?.querySelector<HTMLInputElement>('input[type=file]')?.accept)
      .toBe('.png,.pdf,.txt')
  })

  test('are full at five', async () => {
    const it = stage()
    const files = Array.from({ length: 5 }, (_, index) => ({
      role: 'user' as const,
      content: 'x',
      fileUid: index + 1,
      fileName: `${index}.pdf`,
      fileMimeType: 'application/pdf',
    }))
    mountModule(it, { conversationId: it.add({}, files) })

    await expect
      .element(button('Attach file'))
      .toHaveAccessibleDescription(/5 of 5 files are in this conversation/)
    await button('Attach file').click()

    await expect.element(said()).toMatchTextContent('5 of 5 files are in this conversation')
  })
})
