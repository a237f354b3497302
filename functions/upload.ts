import type { Rules } from '../core/file/file.ts'
import { supportedFormats } from '../core/file/format.ts'
import { CompleteRequest, FileInfoQuery, UploadRequest } from '../core/file/schema.ts'
import { resolve } from '../core/settings/settings.ts'
import { http } from './http.ts'
import * as Request from './request.ts'
import { route, type Visit } from './route.ts'

/** Half of the code of this function: what is refused before a file is looked at is answered without it. */
const files = () => import('../core/file/file.ts')

/** Files into the service: in a form through this function, or past it straight into the store; and out again. */
export const routes = {
  'POST /ai-chat/file-upload': route({
    access: 'chat',
    isMultipart: true,
    // Nothing of it comes with a form; a JSON request needs it all.
    input: UploadRequest.partial(),
    run: async (visit) => {
      const { actor, event, now } = visit
      const rules = rulesFor(visit)
      const File = await files()
      if (Request.isForm(event)) {
        const { formFile } = await import('./multipart.ts')
        return { status: 201, body: await File.accept(actor, await formFile(event), rules, now) }
      }
      const asked = Request.input(UploadRequest, event, {}, false)
      return { body: await File.ask(actor, asked, rules, now) }
    },
  }),
  'POST /ai-chat/file-upload/complete': route({
    access: 'chat',
    input: CompleteRequest,
    run: async ({ actor, now }, input) => ({ body: await (await files()).complete(actor, input, now) }),
  }),
  'GET /ai-chat/file-info': route({
    access: 'chat',
    input: FileInfoQuery,
    run: async ({ actor }, { fileUid }) => ({ body: await (await files()).info(actor, fileUid) }),
  }),
}

/** The function behind uploads. */
export const handler = http(routes)

/** The formats that the status tells this user; without a working configuration, what needs no model's help. */
function rulesFor({ actor, settings }: Visit): Rules {
  const formats = supportedFormats(resolve(settings, actor).resolved?.model.capabilities ?? [])
  return { formats, maxUnsent: settings.maxUnsentFilesPerUser }
}
