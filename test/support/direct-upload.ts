import type { UploadAnswer } from '../../core/file/schema.ts'

/** Sends a file to the address of a direct upload as a browser sends the form; the answer of the store. */
export function putInto({ url, fields }: UploadAnswer['upload'], file: Blob): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', file)
  return fetch(url, { method: 'POST', body: form })
}
