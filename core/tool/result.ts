import { fence } from '../safety/fence.ts'
import { redact, redactBeginning } from '../safety/redact.ts'
import type { CallResult } from '../transcript/result.ts'
import type { RecordName } from '../transcript/schema.ts'
import { cut } from './format.ts'
import type { Found } from './tool.ts'

/** The most records that a row names; more of them would not be read. */
const maxRecords = 200

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

const saying = 'The user says to this: '

/** The result of a call that was done: what the model may read, and for readers the records with redacted names. */
export function done(nonce: string, tool: string, found: string | Found): CallResult {
  const { text, records, count, images } = typeof found === 'string' ? { text: found } : found
  const names = records?.slice(0, maxRecords).map(
    ({ table, uid, title, page }): RecordName => ({
      table,
      uid,
      title: redact(cut(title, 200)),
      ...(page !== undefined && { page }),
    }),
  )
  return {
    text: present(nonce, tool, text),
    isError: false,
    outcome: 'done',
    ...(names && { records: names }),
    ...(count !== undefined && { count }),
    ...(images && images.length > 0 && { images }),
  }
}

/** A result with what the user said with the decision; the model does not get it where it would get too much. */
export function remarked(result: CallResult, words: string): CallResult {
  const remark = redact(words)
  const text = `${result.text}\n${saying}${remark}`
  return { ...result, remark, ...(Buffer.byteLength(text) <= maxResultBytes && { text }) }
}

/** The result of a question: outside the fence, because the answer is the user's own word. */
export function answered(words: string): CallResult {
  if (words === '') return { text: unanswered, isError: false, outcome: 'done' }
  const remark = redact(words)
  return { text: `${answers}${remark}`, isError: false, outcome: 'done', remark }
}

const answers = 'The user answers: '
const unanswered =
  'The user chose not to answer. Do not ask again: go on with what is known, or say what is missing.'

/** The beginning of a text that fits so many bytes, never ending within a character. */
export function cutBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text)
  if (buffer.length <= bytes) return text
  let end = bytes
  while (end > 0 && ((buffer[end] as number) & 0xc0) === 0x80) end--
  return buffer.subarray(0, end).toString()
}
