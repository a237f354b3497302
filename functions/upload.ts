import { VisibleError } from '../core/base/error.ts'
import { PictureAnswer, PictureQuery } from '../core/chat/request.ts'
import type { Rules } from '../core/file/file.ts'
import { supportedFormats } from '../core/file/format.ts'
import * as Shape from '../core/file/schema.ts'
import { abilities } from '../core/model/model.ts'
import { resolve } from '../core/stage/settings/settings.ts'
import { http } from './http/http.ts'
import { portsWithFiles } from './http/ports-with-files.ts'
import * as Request from './http/request.ts'
import { type Event, route, type Visit } from './http/route.ts'

/**
 * Imports half of this function's code on demand: a request that is refused before its file is read does not need it.
 */
const files = () => import('../core/file/file.ts')

/** Routes for files: uploads in a form through this function or directly into the store, and downloads. */
export const routes = {
  'POST /ai-chat/file-upload': route({
    isMultipart: true,
    // A form has none of these fields; a JSON request needs all of them.
    input: Shape.UploadRequest.unwrap().partial(),
    summary: 'Uploads a file in a form, or asks for a direct upload.',
    description:
      'A form carries about 4.5 MB. For more, up to 20 MB, send name, type and size as JSON, post the file to the `upload.url` with its `fields`, and call `/ai-chat/file-upload/complete`.',
    answers: {
      200: { description: 'The form of a direct upload.', schema: Shape.UploadAnswer },
      201: { description: 'The stored file.', schema: Shape.FileInfo },
    },
    errors: ['file.tooLarge', 'file.unsupported', 'file.mismatch', 'file.unreadable', 'file.tooMany'],
    example: { name: 'prices.txt', mimeType: 'text/plain', size: 1024 },
    run: async (visit) => {
      const { actor, event, now } = visit
      const rules = rulesFor(visit)
      const File = await files()
      if (Request.isForm(event))
        return { status: 201, body: await File.accept(actor, await formFile(event), rules, now) }
      const asked = Request.input(Shape.UploadRequest, event, {}, 'json')
      return { body: await File.ask(actor, asked, rules, now) }
    },
  }),
  'POST /ai-chat/file-upload/complete': route({
    input: Shape.CompleteRequest,
    summary: 'Ends a direct upload: the content is checked, and the file can be sent.',
    answers: { 200: { description: 'The stored file.', schema: Shape.FileInfo } },
    errors: ['file.notFound', 'file.tooLarge', 'file.unsupported', 'file.mismatch', 'file.unreadable'],
    example: { fileUid: 123456789 },
    run: async ({ actor, now }, input) => ({ body: await (await files()).complete(actor, input, now) }),
  }),
  'GET /ai-chat/file-info': route({
    input: Shape.FileInfoQuery,
    summary: 'An own file, with a short-lived address to download it.',
    answers: { 200: { description: 'The file.', schema: Shape.FileInfoAnswer } },
    errors: ['file.notFound'],
    example: { fileUid: 123456789 },
    run: async ({ actor }, { fileUid, inline }) => {
      const { use, ...info } = await (await files()).info(actor, fileUid, inline === '1')
      if (!use) return { body: info }
      const { useWords } = await import('../core/conversation/transcript/not-used.ts')
      return { body: { ...info, read: useWords(use, actor.lang) } }
    },
  }),
  'GET /ai-chat/picture': route({
    input: PictureQuery,
    summary: 'The picture of a record of media, as the user may see it now.',
    description:
      'Not found is also what has no picture that can be shown: PNG, JPEG, GIF and WebP can, of at most 3 MB.',
    answers: { 200: { description: 'The picture.', schema: PictureAnswer } },
    errors: ['record.notFound'],
    example: { table: 'media', uid: 1 },
    run: async ({ actor, live: { cms } }, { table, uid }) => {
      const { look } = await import('../core/cms/picture.ts')
      const { pictures } = await cms.capabilities()
      const picture = pictures ? await look(cms, actor, table, uid) : 'none'
      if (typeof picture === 'string') throw new VisibleError('record.notFound')
      const { bytes, ...about } = picture
      return { body: { ...about, base64: Buffer.from(bytes).toString('base64') } }
    },
  }),
}

/** The function for uploads, which also reads the files of the site. */
export const handler = http(routes, portsWithFiles)

/**
 * Returns the formats that the answer of `/status` names for this user; without a working configuration, the formats
 * that need no model.
 */
function rulesFor({ actor, settings }: Visit): Rules {
  const { resolved } = resolve(settings, actor)
  const formats = supportedFormats(resolved ? abilities(resolved) : [])
  return { formats, maxUnsent: settings.maxUnsentFilesPerUser }
}

/** A file that came in a form. */
type FormFile = { name: string; mimeType: string; bytes: Uint8Array }

/**
 * Returns the file of field `file`, the only field of the form. Throws `request.invalid` for any other form. Parses the
 * whole body at once, so that no stream stays open or fails after the answer.
 */
async function formFile({ headers, body, isBase64Encoded }: Event): Promise<FormFile> {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8')
  const form = await new Response(bytes, { headers: { 'content-type': headers['content-type'] ?? '' } })
    .formData()
    .catch((cause: unknown) => {
      throw new VisibleError('request.invalid', { fields: { body: 'not a form' }, cause })
    })
  const file = form.get('file')
  if ([...form.keys()].length !== 1 || !(file instanceof File) || file.name === '')
    throw new VisibleError('request.invalid', { fields: { file: 'exactly one file, in the field "file"' } })
  return { name: file.name, mimeType: file.type, bytes: await file.bytes() }
}
