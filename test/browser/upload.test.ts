import { describe, expect, test } from 'vitest'
import { arrive, type Chat, chatIn, requestsTo } from '../support/chat.ts'
import { scriptedScene } from '../support/scene.ts'

const { enter, api, client } = scriptedScene()

async function opened(path = '/backend/chat') {
  const { page } = await enter('editor')
  await arrive(page, path)
  const module = chatIn(page, 'module')
  await module.message.waitFor()
  return { page, module, sent: requestsTo(page, '/conversations/send') }
}

type Upload = { name: string; mimeType: string; buffer: Buffer }

const notes: Upload = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The lamp is blue.') }
const large: Upload = { name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.alloc(6_000_000, 'lamp ') }

/** Chooses files as a person does, in the browser's own dialog. */
async function choose(module: Chat, ...files: Upload[]): Promise<void> {
  const [chooser] = await Promise.all([
    module.root.page().waitForEvent('filechooser'),
    module.button('Attach file').click(),
  ])
  await chooser.setFiles(files)
}

/** Drops or pastes files that the page itself makes. */
async function transfer(module: Chat, kind: 'drop' | 'paste', files: Upload[]): Promise<void> {
  const target = kind === 'drop' ? module.log : module.message
  await target.evaluate(
    (element, { type, items }) => {
      const data = new DataTransfer()
      for (const { name, mimeType, text } of items) data.items.add(new File([text], name, { type: mimeType }))
      const init = { bubbles: true, composed: true, cancelable: true }
      if (type === 'paste')
        return element.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }))
      element.dispatchEvent(new DragEvent('dragover', { ...init, dataTransfer: data }))
      return element.dispatchEvent(new DragEvent('drop', { ...init, dataTransfer: data }))
    },
    { type: kind, items: files.map(({ buffer, ...file }) => ({ ...file, text: buffer.toString() })) },
  )
}

describe('a file comes to the message', () => {
  test('by the chooser, and goes out with it', async () => {
    const { module, sent } = await opened()
    await choose(module, notes)
    await module.attachments.getByText('TXT, 17 B').waitFor()
    await module.root.getByText('1 of 5 files in this conversation').waitFor()
    api().reply({ text: 'It is blue.' })
    await module.ask('What does it say?')
    await module.answer('It is blue.').waitFor()

    expect(sent.map(({ body }) => typeof body.fileUid)).toEqual(['number'])
    await module.own.getByRole('button', { name: /notes\.txt/ }).waitFor()
    await expect.poll(() => module.attachments.count()).toBe(0)
    expect(JSON.stringify(api().requests.at(-1)?.body)).toContain('The lamp is blue.')
  })

  test.each(['drop', 'paste'] as const)('by %s', async (kind) => {
    const { module } = await opened()
    await transfer(module, kind, [notes])

    await module.attachments.getByText('TXT, 17 B').waitFor()
    await module.attachments.getByRole('button', { name: 'Remove notes.txt' }).click()
    await expect.poll(() => module.attachments.count()).toBe(0)
  })

  test('and is still there after a reload', async () => {
    const { page, module, sent } = await opened()
    await choose(module, notes)
    await module.attachments.getByText('TXT, 17 B').waitFor()
    await page.reload()
    await module.attachments.getByText('notes.txt').waitFor()
    api().reply({ text: 'It is blue.' })
    await module.ask('What does it say?')
    await module.answer('It is blue.').waitFor()

    expect(sent.map(({ body }) => typeof body.fileUid)).toEqual(['number'])
  })

  test('and the user sees it where the code for uploads does not come', async () => {
    const { page, module } = await opened()
    await page.route(/\/assets\/attach-/, (route) => route.abort())
    await page.reload()
    await module.message.waitFor()
    await choose(module, notes)

    await module.root.getByText('The upload failed').locator('visible=true').first().waitFor()
    await module.button('Close').waitFor()
    await page.unroute(/\/assets\/attach-/)
    await choose(module, notes)
    await module.attachments.getByText('TXT, 17 B').waitFor()
  })

  test('and its chooser offers what the stage takes', async () => {
    const { module } = await opened()
    const { body } = await (await client('editor')).get<{ accept: string }>('/ai-chat/status')

    await expect.poll(() => module.root.locator('input[type=file]').getAttribute('accept')).toBe(body.accept)
  })
})

describe('a large file', () => {
  test('goes to the store directly, with its progress, and Send waits for it', async () => {
    const { page, module, sent } = await opened()
    const stored: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') stored.push(new URL(request.url()).pathname)
    })
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    const usual = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }
    await network.send('Network.emulateNetworkConditions', { ...usual, uploadThroughput: 50_000 })
    const shares = await module.root.evaluateHandle((host) => {
      const seen = new Set<number>()
      const look = () => {
        const bar = host.shadowRoot?.querySelector('progress')
        if (bar) seen.add(bar.value)
        requestAnimationFrame(look)
      }
      look()
      return { values: () => [...seen] }
    })
    await choose(module, large)
    await module.root.getByRole('progressbar', { name: 'Uploading large.txt' }).waitFor()
    await module.message.fill('What is in it?')
    await module.message.press('Enter')
    await module.root.getByText('Waits for the upload').first().waitFor()
    expect(sent).toEqual([])
    const isBetween = () => shares.evaluate((it) => it.values().some((value) => value > 0 && value < 100))
    await expect.poll(isBetween).toBe(true)
    await network.send('Network.emulateNetworkConditions', usual)

    await module.attachments.getByText('TXT, 6 MB').waitFor()
    expect(stored).toEqual([
      '/ai-chat/file-upload',
      expect.stringMatching(/^\/store\//),
      '/ai-chat/file-upload/complete',
    ])
    api().reply({ text: 'Lamps.' })
    await module.message.press('Enter')
    await module.answer('Lamps.').waitFor()
  })

  test('is taken back while it is on its way', async () => {
    const { page, module } = await opened()
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 50_000 }
    await network.send('Network.emulateNetworkConditions', slow)
    const uploads = { begun: 0, ended: 0 }
    const isUpload = (request: { url(): string }) => request.url().includes('/store/')
    page.on('request', (request) => isUpload(request) && uploads.begun++)
    page.on('requestfailed', (request) => isUpload(request) && uploads.ended++)
    await choose(module, large)
    await module.root.getByRole('progressbar', { name: 'Uploading large.txt' }).waitFor()
    await expect.poll(() => uploads).toEqual({ begun: 1, ended: 0 })
    await module.attachments.getByRole('button', { name: 'Remove large.txt' }).click()

    await expect.poll(() => module.attachments.count()).toBe(0)
    await expect.poll(() => uploads).toEqual({ begun: 1, ended: 1 })
  })
})

describe('refused in its place, with the reason', () => {
  test.each([
    ['a kind that is not read', { ...notes, name: 'tool.exe' }, 'EXE files cannot be read'],
    ['no kind at all', { ...notes, name: 'README' }, 'Files without an ending cannot be read'],
    ['nothing in it', { ...notes, buffer: Buffer.alloc(0) }, 'The file is empty'],
    ['more than 20 MB', { ...notes, buffer: Buffer.alloc(20_971_521, 'a') }, 'Larger than 20 MB'],
  ])('%s', async (_, file, reason) => {
    const { page, module } = await opened()
    const asked = requestsTo(page, '/file-upload')
    await choose(module, file)

    await module.attachments.filter({ hasText: file.name }).getByText(reason).waitFor()
    expect(asked).toEqual([])
    await module.button(`Remove ${file.name}`).click()
    await expect.poll(() => module.attachments.count()).toBe(0)
  })

  test('content that is not what its name says', async () => {
    const { module } = await opened()
    await choose(module, { ...notes, name: 'picture.png', mimeType: 'image/png' })

    const item = module.attachments.filter({ hasText: 'picture.png' })
    await item.getByText(/content/i).waitFor()
    await expect.poll(() => item.getByRole('progressbar').count()).toBe(0)
  })

  test('a second one for the same message, while the first stays', async () => {
    const { module } = await opened()
    await choose(module, notes)
    await module.attachments.getByText('TXT, 17 B').waitFor()
    await transfer(module, 'drop', [{ ...notes, name: 'more.txt' }])

    await module.attachments.filter({ hasText: 'more.txt' }).getByText('One file per message').waitFor()
    await expect.poll(() => module.attachments.filter({ hasText: 'notes.txt' }).count()).toBe(1)
  })
})

test('at five files of a conversation Attach file says so', async () => {
  const editor = await client('editor')
  api().always({ text: 'Read.' })
  let conversationId: string | undefined
  for (let n = 0; n < 5; n++) {
    const { body } = await editor.upload<{ fileUid: number }>(`file-${n}.txt`, 'text/plain', `Text ${n}`)
    const more = { fileUid: body.fileUid, ...(conversationId && { conversationId }) }
    conversationId = (await editor.ask(`File ${n}`, more)).conversation.id
  }
  const { page, module } = await opened(`/backend/chat/${conversationId}`)
  await module.own.nth(4).waitFor()
  const attach = module.button('Attach file')
  await module.root.getByText(/^5 of 5 files are in this conversation/).waitFor({ state: 'attached' })
  await expect.poll(() => attach.getAttribute('title')).toMatch(/^5 of 5 files are in this conversation/)
  let hasChooser = false
  page.once('filechooser', () => {
    hasChooser = true
  })
  await attach.click()

  await module.root.getByRole('status').filter({ hasText: '5 of 5 files' }).waitFor()
  expect(hasChooser).toBe(false)
})
