import { randomUUID } from 'node:crypto'
import type { Line } from '../../../core/cms/bridge/line.ts'
import { headers, type Signed, sign } from '../../../core/cms/bridge/signature.ts'
import type { UserId } from '../../../core/cms/user-number/schema.ts'

/** The address of a check's requests, and their user by the id of the CMS. */
export type Wire = { line: Line; writer: UserId }
/** One sentence about requests and answers, tried on a CMS over the bridge. `run` throws where the CMS breaks it. */
export type WireCheck = { name: string; capability: string; run(wire: Wire): Promise<void> }

/** A request that differs from a good one. `secret` signs; `named` replaces headers, `sent` the body, after signing. */
export type Change = Partial<Signed> & {
  secret?: string
  named?: Record<string, string | null>
  sent?: string
}
export type Answered = { status: number; body: { result?: unknown; error?: { code: string } } | undefined }

/** Sends a request as it is said here, once. */
export async function send({ line, writer }: Wire, change: Change = {}): Promise<Answered> {
  const { secret = line.secret, named = {}, sent, ...other } = change
  const signed: Signed = {
    base: line.url,
    operation: 'tables',
    keyId: line.keyId,
    time: Date.now(),
    nonce: randomUUID(),
    user: writer,
    body: '{}',
    ...other,
  }
  const all: Record<string, string | null> = {
    'content-type': 'application/json',
    [headers.key]: signed.keyId,
    [headers.time]: String(signed.time),
    [headers.nonce]: signed.nonce,
    [headers.user]: String(signed.user),
    [headers.signature]: sign(secret, signed),
    ...named,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)
  const response = await (line.fetch ?? fetch)(`${line.url}/aic/v2/${signed.operation}`, {
    method: 'POST',
    headers: given,
    body: sent ?? signed.body,
    redirect: 'manual',
    signal: AbortSignal.timeout(20_000),
  })
  const text = await response.text()
  try {
    return { status: response.status, body: JSON.parse(text) }
  } catch {
    // Something that is no JSON: the checks say so.
    return { status: response.status, body: undefined }
  }
}
