import type { ErrorAnswer } from '../../../core/chat/request.ts'
import type { FileInfo, UploadAnswer } from '../../../core/file/schema.ts'
import { type Api, ApiError, apiError } from '../api.ts'
import type { Translate } from '../i18n/i18n.ts'
import type { ChatStore } from './chat-store.ts'
import type { Attachment, Conversation } from './open-conversation.ts'

/**
 * Adds files to the message that the user is writing. A message has only one file. A further file, or a file that the
 * stage would refuse, is listed with the reason and never sent.
 */
export function attach(
  store: ChatStore,
  conversation: Conversation,
  files: readonly File[],
  t: Translate,
): void {
  for (const file of files) {
    const begun = { state: 'uploading', progress: 0, reason: null, fileUid: null, abort: null } as const
    const attachment: Attachment = { id: crypto.randomUUID(), file, ...begun }
    conversation.attachments = [...conversation.attachments, attachment]
    conversation.isWritten = true
    beginUpload(store, conversation, attachment, t)
  }
}

/** Starts the upload of a file; also repeats a failed upload. */
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

/** Removes a file from the message, and aborts its upload if it still runs. */
export function detach(store: ChatStore, conversation: Conversation, attachment: Attachment): void {
  attachment.abort?.()
  conversation.attachments = conversation.attachments.filter((one) => one !== attachment)
  conversation.isWritten = true
  store.changed()
}

/**
 * The HTTP statuses with which the stage refuses the file itself: too large, unsupported, or not of the claimed type.
 */
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
  if (file.size > (status?.maxFileSize ?? Number.POSITIVE_INFINITY)) return t('file.tooLarge')
  if (conversation.attachments.some(isOther)) return t('file.second')
  const count = status?.maxFilesPerConversation ?? Number.POSITIVE_INFINITY
  if (conversation.fileCount >= count) return t('file.full', { count })
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

/**
 * The size in bytes above which a file is uploaded directly to the storage: a function accepts at most 6 MB per
 * request.
 */
const directBytes = 4_000_000

type Progress = (share: number) => void

/** Uploads a file; `progress` gets values from 0 to 1. Rejects with the stage's refusal, or when the signal aborts. */
async function upload(api: Api, file: File, progress: Progress, signal: AbortSignal): Promise<FileInfo> {
  if (file.size > directBytes) return direct(api, file, progress, signal)
  try {
    const form = new FormData()
    form.append('file', file)
    const url = api.url('/ai-chat/file-upload')
    return await api.renewing(() => post<FileInfo>(url, form, api.credentials(), progress, signal))
  } catch (error) {
    if (error instanceof ApiError && error.status === 413) return direct(api, file, progress, signal)
    throw error
  }
}

async function direct(api: Api, file: File, progress: Progress, signal: AbortSignal): Promise<FileInfo> {
  const { name, size } = file
  const mimeType = file.type || 'application/octet-stream'
  const ticket = await api.post<UploadAnswer>('/file-upload', { name, mimeType, size })
  const form = new FormData()
  for (const [field, value] of Object.entries(ticket.upload.fields)) form.append(field, value)
  // The storage reads the fields in order, and ignores fields after the file.
  form.append('file', file)
  await post(ticket.upload.url, form, {}, progress, signal)
  signal.throwIfAborted()
  return api.post<FileInfo>('/file-upload/complete', { fileUid: ticket.fileUid })
}

/** Sends a form by XMLHttpRequest, because fetch does not report the upload's progress. */
function post<T>(
  url: string,
  form: FormData,
  headers: Record<string, string>,
  progress: Progress,
  signal: AbortSignal,
): Promise<T> {
  signal.throwIfAborted()
  const request = new XMLHttpRequest()
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  request.open('POST', url)
  request.responseType = 'json'
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0)
  request.onload = () => {
    // Null if the answer is no JSON.
    const body: unknown = request.response
    if (request.status >= 200 && request.status < 300) resolve(body as T)
    else reject(apiError(request, body as Partial<ErrorAnswer> | null))
  }
  request.onerror = () => reject(new ApiError(0, { code: 'network', message: '' }))
  request.onabort = () => reject(new DOMException('The upload was stopped', 'AbortError'))
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.send(form)
  return promise
}
