import type { IncomingMessage } from 'node:http'
import { ToolError } from '../../../core/base/error.ts'
import type { Adapter, Chat, Connection, PanelData } from './adapter.ts'
import { cmsOf } from './cms.ts'
import { answerStage, endSessions, lineOf, statement } from './line.ts'

/** A refusal of the CMS, in an English sentence for the model: the reason, and the next step. */
export class Refused extends ToolError {}

/** Connects a CMS with a stage. Throws if the code is not a pairing code. */
export function connect(adapter: Adapter, { code, previousCode, base }: Connection): Chat {
  const line = lineOf(code, previousCode, base)
  const cms = cmsOf(adapter)
  const path = `${new URL(base).pathname.replace(/\/$/, '')}/aic/v2/`
  const spend = (nonce: string, until: number) => adapter.keys.add(`nonce:${nonce}`, '', until)
  const answer = async (
    method: string | undefined,
    url: string,
    headers: Record<string, string>,
    read: () => Promise<string>,
  ) => {
    const { pathname } = new URL(url, base)
    if (method !== 'POST' || !pathname.startsWith(path)) return undefined
    const request = { operation: pathname.slice(path.length), headers, body: await read() }
    return answerStage(cms, line, spend, request)
  }
  return {
    answer: (request) =>
      answer(request.method, request.url, Object.fromEntries(request.headers), () => request.text()),
    async handle(request, response) {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      )
      const answered = await answer(request.method, request.url ?? '/', headers, () => bodyOf(request))
      if (!answered) return false
      response.writeHead(answered.status, { 'content-type': 'application/json' }).end(await answered.text())
      return true
    },
    statement: (user, session) => statement(line, { id: user, session }),
    end: (user, session) => endSessions(line, { id: user, session }),
    tag: (data) => tagOf(line.pairings[0].origin, data),
  }
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
    .map(
      ([name, value]) =>
        ` data-${name.replace(/[A-Z]/g, (sign) => `-${sign.toLowerCase()}`)}="${escaped(value)}"`,
    )
  return `<script type="module" src="${escaped(origin)}/backend/embed.js"${attributes.join('')}></script>`
}
