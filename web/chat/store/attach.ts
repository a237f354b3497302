import { ApiError } from '../api.ts'
import type { Translate } from '../i18n/i18n.ts'
import type { ChatStore } from './chat-store.ts'
import type { Attachment, Conversation } from './open-conversation.ts'

/**
 * Puts files to the message being written. One can go with it: a second, and what the stage would refuse anyway, is
 * listed with the reason and never sent.
 */
export function attach(
  store: ChatStore,
  conversation: Conversation,
  files: readonly File[],
  t: Translate,
): void {
  for (const file of files) {
    const attachment: Attachment = {
      id: crypto.randomUUID(),
      file,
      state: 'uploading',
      progress: 0,
      reason: null,
      fileUid: null,
      abort: null,
    }
    conversation.attachments = [...conversation.attachments, attachment]
    beginUpload(store, conversation, attachment, t)
  }
}

/** Sends a file on its way; once more, where it did not get through. */
export function beginUpload(
  store: ChatStore,
  conversation: Conversation,
  attachment: Attachment,
  t: Translate,
): void {
  const reason = refusalOf(store, conversation, attachment, t)
  Object.assign(attachment, { state: reason ? 'refused' : 'uploading', progress: 0, reason })
  if (!reason) void run(store, attachment, t)
  store.changed()
}

/** Removes a file from the message; aborts its upload if it still runs. */
export function detach(store: ChatStore, conversation: Conversation, attachment: Attachment): void {
  attachment.abort?.()
  conversation.attachments = conversation.attachments.filter((one) => one !== attachment)
  store.changed()
}

/** True when the conversation holds as many files as it may. */
function isFull(store: ChatStore, conversation: Conversation): boolean {
  return conversation.fileCount >= (store.status?.maxFilesPerConversation ?? 5)
}

/** Statuses that concern the file itself: too large, unsupported, or not of the claimed type. */
const refusals = [413, 415, 422]

function refusalOf(
  store: ChatStore,
  conversation: Conversation,
  attachment: Attachment,
  t: Translate,
): string | null {
  const { status } = store
  const { file } = attachment
  const isOther = (one: Attachment) => one !== attachment && ['uploading', 'ready'].includes(one.state)
  const ending = /\.([^.]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? ''
  const better = status && Object.hasOwn(status.saveAs, ending) ? status.saveAs[ending] : undefined
  if (better) return t('file.saveAs', { type: ending.toUpperCase(), better: better.toUpperCase() })
  if (status && !status.supportedFormats.includes(ending))
    return ending ? t('file.unsupported', { type: ending.toUpperCase() }) : t('file.untyped')
  if (file.size === 0) return t('file.empty')
  if (file.size > (status?.maxFileSize ?? 20_971_520)) return t('file.tooLarge')
  if (conversation.attachments.some(isOther)) return t('file.second')
  if (isFull(store, conversation)) return t('file.full', { count: status?.maxFilesPerConversation ?? 5 })
  return null
}

async function run(store: ChatStore, attachment: Attachment, t: Translate): Promise<void> {
  const stopper = new AbortController()
  attachment.abort = () => stopper.abort()
  const progress = (share: number) => {
    attachment.progress = share
    store.changed()
  }
  try {
    const { upload } = await import('../upload.ts')
    const stored = await upload(store.api, attachment.file, progress, stopper.signal)
    attachment.fileUid = stored.fileUid
    attachment.state = 'ready'
  } catch (error) {
    const isFinal = error instanceof ApiError && refusals.includes(error.status)
    attachment.state = isFinal ? 'refused' : 'failed'
    attachment.reason = error instanceof ApiError && error.message ? error.message : t('file.failed')
    if (error instanceof ApiError) store.caught(error)
  }
  attachment.abort = null
  store.changed()
}
