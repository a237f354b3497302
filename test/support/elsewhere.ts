import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import { afterAll } from 'vitest'
import { scene } from './scene.ts'

const key = 'a-key-that-both-sides-know-and-no-other-side'

/** A backend elsewhere whose pages embed the chat of a stage, for browser tests. Its users come to the stage by exchange. */
export function elsewhere(answer: RequestListener) {
  const server = createServer(answer)
  /** Another site than that of the stage, not only another port. */
  const address = () => `http://localhost:${(server.address() as AddressInfo).port}`
  const shown = scene(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      env: { AI_CHAT_SECRET_EXCHANGE: key },
      settings: {
        embedOrigins: [address()],
        accessTokens: { trustZone: 'internal' },
        exchange: { issuer: 'https://cms.example', audience: 'ai-chat', key: 'exchange' },
      },
    }
  })
  afterAll(() => {
    server.close()
  })
  return { ...shown, address, statement }
}

/** What the CMS elsewhere says about who is logged in there. */
function statement(uid: number): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('https://cms.example')
    .setAudience('ai-chat')
    .setSubject(String(uid))
    .setJti(randomUUID())
    .setExpirationTime('30s')
    .sign(new TextEncoder().encode(key))
}
