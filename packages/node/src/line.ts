import { createHash, createHmac, randomUUID } from 'node:crypto'
import { audience, type Pairing, pairingOf } from '../../../core/cms/bridge/pairing.ts'
import { answer, type BridgeRequest } from '../../../core/cms/bridge/server.ts'
import type { Cms } from '../../../core/cms/cms.ts'

/** The period in which a statement is good, in seconds. */
const statementSeconds = 30
/** The patience of a logout with the stage, in milliseconds. */
const patienceMs = 3_000

/** Both ends of the line to a stage: its pairings, the present one first, and the address that its signatures contain. */
export type Line = { pairings: [Pairing, ...Pairing[]]; base: string }

/** The line of a pairing code; `previousCode` is good as well while a stage changes over. Throws for what is no code. */
export function lineOf(code: string, previousCode: string | undefined, base: string): Line {
  const [pairing, previous] = [pairingOf(code), previousCode ? pairingOf(previousCode) : undefined]
  if (!pairing) throw new Error('The code of the AI chat is no pairing code.')
  return { pairings: previous ? [pairing, previous] : [pairing], base }
}

/** Answers a request of the stage. `spend` notes a nonce until a time in milliseconds; false when it came before. */
export async function answerStage(
  cms: Cms,
  { pairings, base }: Line,
  spend: (nonce: string, until: number) => Promise<boolean>,
  request: BridgeRequest,
): Promise<Response> {
  const keys = new Map(pairings.map(({ keyId, bridgeKey }) => [keyId, bridgeKey]))
  const { status, body } = await answer(cms, { base, keys, spend, now: Date.now }, request)
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}

/** A user in a statement: their id, and their session in the CMS where it has sessions. The stage gets its hash alone. */
export type Subject = { id: number | string; session?: string | undefined }

/** A statement for the stage: this user is logged in. It is good once, for half a minute. */
export function statement(
  { pairings: [pairing] }: Line,
  { id, session }: Subject,
  more: object = {},
): string {
  const { keyId, exchangeKey } = pairing
  const sid = session === undefined ? {} : { sid: createHash('sha256').update(session).digest('hex') }
  const exp = Math.floor(Date.now() / 1_000) + statementSeconds
  const claims = { iss: keyId, aud: audience, sub: String(id), jti: randomUUID(), exp, ...sid, ...more }
  const parts = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const signed = parts.join('.')
  return `${signed}.${createHmac('sha256', exchangeKey).update(signed).digest('base64url')}`
}

/** Ends the sessions in the chat that began in this session of the CMS; without one, all sessions of the user. */
export async function endSessions(line: Line, subject: Subject): Promise<void> {
  // A stage that cannot be reached ends its session by itself within minutes; the logout does not wait for it.
  await fetch(`${line.pairings[0].origin}/backend/exchange/end`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: statement(line, subject, { use: 'end' }) }),
    signal: AbortSignal.timeout(patienceMs),
  }).catch(() => undefined)
}
