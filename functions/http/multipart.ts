import { VisibleError } from '../../core/base/error.ts'
import type { Event } from './route.ts'

/** A file that came in a form. */
export type FormFile = { name: string; mimeType: string; bytes: Uint8Array }

/**
 * The file of field `file`, the one field of the form. Throws `request.invalid` for any other form. The whole body is
 * at hand, so that it is parsed in one go: no stream is left open, and none can fail after the answer.
 */
export async function formFile({ headers, body, isBase64Encoded }: Event): Promise<FormFile> {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8')
  const form = await new Response(bytes, { headers: { 'content-type': headers['content-type'] ?? '' } })
    .formData()
    .catch((cause: unknown) => {
      throw new VisibleError('request.invalid', { fields: { body: 'not a form' }, cause })
    })
  const file = form.get('file')
  if ([...form.keys()].length !== 1 || !(file instanceof File) || file.name === '') {
    throw new VisibleError('request.invalid', { fields: { file: 'exactly one file, in the field "file"' } })
  }
  return { name: file.name, mimeType: file.type, bytes: await file.bytes() }
}
