import { fence } from '../safety/fence.ts'
import { redact, redactBeginning } from '../safety/redact.ts'
import type { Mark } from '../transcript/schema.ts'

/** Why a call has no result; the words are for the model, this is for whoever counts. */
export type Fault = 'notPermitted' | 'notValid' | 'refused' | 'denied' | 'notRun' | 'failed'

/** What the model gets of a call. */
export type Result = { text: string; isError: boolean; fault?: Fault }

/** The most that a model gets of one result, fence included, in bytes of UTF-8. */
export const maxResultBytes = 50_000

const cutMark = '\n[The result was cut here: it is too long. Ask for less, for example with a smaller limit.]'

/**
 * What a tool says as the model may read it: credentials redacted, cut to 50,000 bytes with a mark, and inside the
 * fence of the conversation.
 */
export function present(nonce: string, tool: string, text: string): string {
  const body = redactBeginning(text, maxResultBytes) || '(nothing)'
  const room = maxResultBytes - Buffer.byteLength(fence(nonce, tool, ''))
  if (Buffer.byteLength(body) <= room) return fence(nonce, tool, body)
  return fence(nonce, tool, cutBytes(body, room - Buffer.byteLength(cutMark)) + cutMark)
}

const saying: Mark = 'The user says to this: '

/** A result with what the user said when they decided on the call; left out where the model would get too much. */
export function remarked(result: Result, remark: string): Result {
  const text = `${result.text}\n${saying}${redact(remark)}`
  return Buffer.byteLength(text) > maxResultBytes ? result : { ...result, text }
}

/** The beginning of a text that fits so many bytes, never ending within a character. */
export function cutBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text)
  if (buffer.length <= bytes) return text
  let end = bytes
  while (end > 0 && ((buffer[end] as number) & 0xc0) === 0x80) end--
  return buffer.subarray(0, end).toString()
}
