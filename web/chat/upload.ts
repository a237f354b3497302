import type { ErrorAnswer } from '../../core/chat/request.ts'
import type { FileInfo, UploadAnswer } from '../../core/file/schema.ts'
import { type Api, ApiError, refusal } from './api.ts'

/** A larger file goes to the store directly, in bytes: a function takes no request of more than 6 MB. */
const directBytes = 4_000_000

type Progress = (share: number) => void

/** Stores a file of the user; `progress` gets 0 to 1. Rejects with the stage's refusal, or when the signal ends. */
export async function upload(
  api: Api,
  file: File,
  progress: Progress,
  signal: AbortSignal,
): Promise<FileInfo> {
  if (file.size > directBytes) return direct(api, file, progress, signal)
  try {
    const form = new FormData()
    form.append('file', file)
    await api.bearer?.ready()
    return await post(api.url('/ai-chat/file-upload'), form, api.credentials(), progress, signal)
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
  // The store reads the fields in order and ignores what comes behind the file.
  form.append('file', file)
  await post(ticket.upload.url, form, {}, progress, signal)
  return api.post<FileInfo>('/file-upload/complete', { fileUid: ticket.fileUid })
}

/** A form by XMLHttpRequest: fetch does not tell how much has been sent. */
function post<T>(
  url: string,
  form: FormData,
  headers: Record<string, string>,
  progress: Progress,
  signal: AbortSignal,
): Promise<T> {
  const request = new XMLHttpRequest()
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  request.open('POST', url)
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0)
  request.onload = () => {
    const body = parseBody(request.responseText)
    if (request.status >= 200 && request.status < 300) resolve(body as T)
    else reject(refusal(request, body as Partial<ErrorAnswer>))
  }
  request.onerror = () => reject(new ApiError(0, { code: 'network', message: '' }))
  request.onabort = () => reject(new DOMException('The upload was stopped', 'AbortError'))
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.send(form)
  return promise
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
