import { createHash, createHmac, randomUUID } from 'node:crypto'
import { audience, type Pairing, pairingOf } from '../../../core/cms/bridge/pairing.ts'
import { answer, type BridgeRequest } from '../../../core/cms/bridge/server.ts'
import type { Cms } from '../../../core/cms/cms.ts'

/** The period in which a statement is valid, in seconds. */
const statementSeconds = 30
/** The longest time that a logout waits for the stage, in milliseconds. */
const patienceMs = 3_000

/** The connection to a stage: its pairings, the current one first, and the base address that its signatures contain. */
export type Line = { pairings: [Pairing, ...Pairing[]]; base: string }

/**
 * Returns the connection for a pairing code; during a change of codes `previousCode` is valid too. Throws if `code` is
 * not a pairing code.
 */
export function lineOf(code: string | undefined, previousCode: string | undefined, base: string): Line {
  const [pairing, previous] = [pairingOf(code ?? ''), pairingOf(previousCode ?? '')]
  if (!pairing) throw new Error('The code of the AI chat is no pairing code.')
  return { pairings: previous ? [pairing, previous] : [pairing], base: base.replace(/\/+$/, '') }
}

/**
 * Answers a request of the stage. `spend` stores a nonce until a time in milliseconds; it returns false if the nonce
 * was used before.
 */
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

/**
 * The user in a statement: the id, and the session in the CMS if it has sessions. The stage gets only the session's
 * hash.
 */
export type Subject = { id: number | string; session?: string | undefined }

/** Returns a signed statement for the stage that this user is logged in. It is valid once, for half a minute. */
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

/** Ends the chat sessions that began in this session of the CMS; without a session, all chat sessions of the user. */
export async function endSessions(line: Line, subject: Subject): Promise<void> {
  // A stage that cannot be reached ends the session itself within minutes, so a failure does not block the logout.
  await fetch(`${line.pairings[0].origin}/backend/exchange/end`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: statement(line, subject, { use: 'end' }) }),
    signal: AbortSignal.timeout(patienceMs),
  }).catch(() => undefined)
}
