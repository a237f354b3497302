import * as File from '../core/file/file.ts'
import { type Format, supportedFormats } from '../core/file/format.ts'
import { CompleteRequest, FileInfoQuery, UploadRequest } from '../core/file/schema.ts'
import { resolve } from '../core/settings/settings.ts'
import { http } from './http.ts'
import { formFile, isMultipart } from './multipart.ts'
import * as Request from './request.ts'
import { route, type Visit } from './route.ts'

/** Files into the service: in a form through this function, or past it straight into the store; and out again. */
export const routes = {
  'POST /ai-chat/file-upload': route({
    access: 'chat',
    isMultipart: true,
    // Nothing of it comes with a form; a JSON request needs it all.
    input: UploadRequest.partial(),
    run: async (visit) => {
      const { actor, event, now } = visit
      const formats = formatsFor(visit)
      if (isMultipart(event)) {
        return { status: 201, body: await File.accept(actor, await formFile(event), formats, now) }
      }
      const asked = Request.input(UploadRequest, event, {}, false)
      return { body: await File.ask(actor, asked, formats, now) }
    },
  }),
  'POST /ai-chat/file-upload/complete': route({
    access: 'chat',
    input: CompleteRequest,
    run: async ({ actor, now }, input) => ({ body: await File.complete(actor, input, now) }),
  }),
  'GET /ai-chat/file-info': route({
    access: 'chat',
    input: FileInfoQuery,
    run: async ({ actor }, { fileUid }) => ({ body: await File.info(actor, fileUid) }),
  }),
}

export const handler = http(routes)

/** What the status tells this user; without a working configuration, what needs no model's help. */
function formatsFor({ actor, settings }: Visit): Format[] {
  return supportedFormats(resolve(settings, actor).resolved?.model.capabilities ?? [])
}
