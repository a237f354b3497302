import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Activity, Summary } from '../../core/conversation/schema.ts'

/** The parts of a poll's answer that the bench reads. */
export type Poll = { conversation: Summary; activity: Activity[]; unchanged: boolean }
type Sent = { conversation: Summary; sequence: number }

/** A user of a stage that runs, with connections that stay open, as a browser has them. */
export type Visitor = {
  send(content: string, conversationId?: string, fileUid?: number): Promise<Sent>
  /** With a version, the fast path where nothing is new. */
  poll(conversationId: string, version?: number): Promise<Poll>
}

/** Logs in with the password of the seeded users. */
export async function logIn(origin: string, username: string): Promise<Visitor> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const body = { username, password: 'demo' }
  const { headers } = await ask(agent, origin, 'POST', '/backend/login', { origin }, body)
  const [cookie = ''] = headers['set-cookie'] ?? []
  const token = /be_session=([^;]+)/.exec(cookie)?.[1] ?? ''
  return visitor(origin, token)
}

/** A user who has a session already. */
export function visitor(origin: string, token: string): Visitor {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const credentials = { authorization: `Bearer ${token}`, origin }
  return {
    send: async (content, conversationId, fileUid) => {
      const body = { content, ...(conversationId && { conversationId }), ...(fileUid && { fileUid }) }
      const path = '/ai-chat/conversations/send'
      return (await ask<Sent>(agent, origin, 'POST', path, credentials, body)).body
    },
    poll: async (conversationId, version) => {
      const query = new URLSearchParams({
        conversationId,
        ...(version && { version: String(version), after: '0' }),
      })
      const path = `/ai-chat/conversations/messages?${query}&limit=1`
      return (await ask<Poll>(agent, origin, 'GET', path, credentials)).body
    },
  }
}

type Answered<T> = { headers: IncomingHttpHeaders; body: T }

/** Throws where the answer is no success. */
function ask<T>(
  agent: Agent,
  origin: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answered<T>> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((done, failed) => {
    const asked = request(
      new URL(path, origin),
      { method, agent, headers: { ...headers, ...(text && { 'content-type': 'application/json' }) } },
      (response) => {
        let read = ''
        response.setEncoding('utf8')
        response.on('data', (part) => {
          read += part
        })
        response.once('error', failed)
        response.once('end', () => {
          const { statusCode = 0 } = response
          if (statusCode >= 300) return failed(new Error(`${path} was answered with ${statusCode}: ${read}`))
          done({ headers: response.headers, body: JSON.parse(read) as T })
        })
      },
    )
    asked.once('error', failed)
    asked.end(text)
  })
}
