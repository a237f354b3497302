import { afterEach, expect, test, vi } from 'vitest'
import { Api } from '../../../../web/chat/api.ts'
import type { Translate } from '../../../../web/chat/i18n/i18n.ts'
import { attach, detach } from '../../../../web/chat/store/attach.ts'
import { ChatStore } from '../../../../web/chat/store/chat-store.ts'
import { shelf } from './shelf.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** A stage that gives the ticket of an upload when the test says so. */
class Stage extends Api {
  readonly ticket = Promise.withResolvers<void>()
  readonly asked: string[] = []

  override async post<T>(path: string): Promise<T> {
    this.asked.push(path)
    await this.ticket.promise
    return { fileUid: 1, upload: { url: 'http://storage.test', fields: {} } } as T
  }
}

/** The browser's requests to the storage, each of which succeeds at once. */
function storageRequests(): string[] {
  const urls: string[] = []
  class Request {
    readonly upload = {}
    readonly status = 204
    onload = () => {}
    open(_: string, url: string): void {
      urls.push(url)
    }
    send(): void {
      this.onload()
    }
  }
  vi.stubGlobal('XMLHttpRequest', Request)
  return urls
}

/** A large file whose upload has begun. */
function uploading() {
  const stage = new Stage('http://stage.test', false)
  const page = { isVisible: () => true, storage: undefined, tab: shelf(), locks: undefined }
  const store = new ChatStore(stage, page)
  const conversation = store.conversation(null)
  attach(store, conversation, [new File(['x'.repeat(4_000_001)], 'large.txt')], ((key) => key) as Translate)
  const [attachment] = conversation.attachments
  if (!attachment) throw new Error('No attachment')
  return { stage, store, conversation, attachment }
}

test('a large file goes to the storage with its ticket, and is then complete', async () => {
  const urls = storageRequests()
  const { stage, attachment } = uploading()

  stage.ticket.resolve()

  await expect.poll(() => attachment.state).toBe('ready')
  expect(urls).toEqual(['http://storage.test'])
  expect(stage.asked).toEqual(['/file-upload', '/file-upload/complete'])
})

test('a large file that is removed before its ticket comes goes nowhere', async () => {
  const urls = storageRequests()
  const { stage, store, conversation, attachment } = uploading()

  detach(store, conversation, attachment)
  stage.ticket.resolve()

  await expect.poll(() => attachment.state).toBe('failed')
  expect(urls).toEqual([])
  expect(stage.asked).toEqual(['/file-upload'])
})
