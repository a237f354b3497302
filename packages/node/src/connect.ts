import type { IncomingMessage } from 'node:http'
import { ToolError } from '../../../core/base/error.ts'
import type { BridgeRequest } from '../../../core/cms/bridge/server.ts'
import type { Adapter, Chat, Connection, PanelData } from './adapter.ts'
import { cmsOf } from './cms.ts'
import { answerStage, endSessions, lineOf, statement } from './line.ts'

/** A refusal of the CMS, in an English sentence for the model: the reason, and the next step. */
export class Refused extends ToolError {}

/** Connects a CMS with a stage. Throws if the code is not a pairing code. */
export function connect(adapter: Adapter, { code, previousCode, base }: Connection): Chat {
  const line = lineOf(code, previousCode, base)
  const cms = cmsOf(adapter)
  const { pathname: path } = new URL(`${line.base}/aic/v2/`)
  const spend = (nonce: string, until: number) => adapter.keys.add(`nonce:${nonce}`, '', until)
  const answer = async (
    { method, url = '' }: { method?: string | undefined; url?: string | undefined },
    headers: BridgeRequest['headers'],
    read: () => Promise<string>,
  ) => {
    const pathname = URL.canParse(url, base) ? new URL(url, base).pathname : ''
    if (method !== 'POST' || !pathname.startsWith(path)) return undefined
    const request = { operation: pathname.slice(path.length), headers, body: await read() }
    return answerStage(cms, line, spend, request).catch(failed)
  }
  return {
    answer: (request) => answer(request, Object.fromEntries(request.headers), () => request.text()),
    async handle(request, response) {
      // Node.js gives each header of the bridge as one text.
      const headers = request.headers as BridgeRequest['headers']
      const answered = await answer(request, headers, () => bodyOf(request).catch(() => ''))
      const head = { 'content-type': 'application/json' }
      if (answered) response.writeHead(answered.status, head).end(await answered.text())
      return answered !== undefined
    },
    statement: (user, session) => statement(line, { id: user, session }),
    end: (user, session) => endSessions(line, { id: user, session }),
    tag: (data) => tagOf(line.pairings[0].origin, data),
  }
}

/** Answers for an error in the CMS. It logs the error, because a rejection would end a server without a handler. */
function failed(error: unknown): Response {
  console.error('The CMS cannot answer the AI chat.', error)
  return new Response('{}', { status: 500 })
}

/** The maximum size of a request in bytes; the stage sends no value of more than some hundred kilobytes. */
const maxBodyBytes = 8 * 1024 * 1024

/** Returns the body of a request. If the body is too large, returns an empty text, which is then refused. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= maxBodyBytes) chunks.push(chunk)
  }
  return bytes > maxBodyBytes ? '' : Buffer.concat(chunks).toString('utf8')
}

const escaped = (value: unknown) => String(value).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

function tagOf(origin: string, data: PanelData): string {
  const attributes = Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` data-${name.replace(/[A-Z]/g, '-$&').toLowerCase()}="${escaped(value)}"`)
  return `<script type="module" src="${escaped(origin)}/backend/embed.js"${attributes.join('')}></script>`
}
