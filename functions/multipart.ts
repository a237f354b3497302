import multipart from '@middy/http-multipart-body-parser'
import * as z from 'zod'
import { VisibleError } from '../core/error.ts'
import { maxFileBytes } from '../core/file/schema.ts'
import type { Event } from './route.ts'

/** A file that came in a form. */
export type FormFile = { name: string; mimeType: string; bytes: Uint8Array }

/** The one field of the form; another one, or a second file, is a mistake of the caller. */
const Form = z.strictObject({
  file: z.object({ filename: z.string().min(1), mimetype: z.string(), content: z.instanceof(Buffer) }),
})

const parser = () =>
  multipart({
    busboy: { limits: { fileSize: maxFileBytes + 1, files: 2, fields: 2 } },
    // The parser's own check knows fewer boundaries than RFC 2046.
    disableContentTypeCheck: true,
  })

/** The file of field `file`. Throws `request.invalid` for any other form. */
export async function formFile(event: Event): Promise<FormFile> {
  const { headers, body, isBase64Encoded } = event
  const request = { event: { headers, body, isBase64Encoded } }
  try {
    await parser().before?.(request as never)
  } catch (cause) {
    throw new VisibleError('request.invalid', { fields: { body: 'not a form' }, cause })
  }
  const form = Form.safeParse(request.event.body)
  if (!form.success) {
    throw new VisibleError('request.invalid', { fields: { file: 'exactly one file, in the field "file"' } })
  }
  const { filename, mimetype, content } = form.data.file
  return { name: filename, mimeType: mimetype, bytes: content }
}
