import { fence } from '../base/safety/fence.ts'
import { cut } from '../base/safety/invisible.ts'
import { redact, redactBeginning } from '../base/safety/redact.ts'
import type { CallResult } from '../conversation/transcript/result.ts'
import type { RecordName } from '../conversation/transcript/schema.ts'
import type { Found } from './tool.ts'

/** The maximum number of records that a result names; users would not read more. */
const maxRecords = 200

/** The maximum size of one result for the model with its fence, in bytes of UTF-8. */
export const maxResultBytes = 50_000

const cutMark =
  '\n[The result was cut here: it is too long. Ask for less where you can: a smaller limit or depth, a single record.]'

/**
 * Returns the text of a tool for the model: redacts credentials, cuts at 50,000 bytes with a mark, and adds the
 * conversation's fence around untrusted data.
 */
export function present(nonce: string, tool: string, text: string): string {
  const body = redactBeginning(text, maxResultBytes) || '(nothing)'
  const room = maxResultBytes - Buffer.byteLength(fence(nonce, tool, ''))
  if (Buffer.byteLength(body) <= room) return fence(nonce, tool, body)
  return fence(nonce, tool, cutBytes(body, room - Buffer.byteLength(cutMark)) + cutMark)
}

const saying = 'The user says to this: '

/**
 * Returns the result of a completed call: the text for the model, and the records with redacted names for the
 * interface.
 */
export function done(nonce: string, tool: string, found: string | Found): CallResult {
  const { text, records, count, images } = typeof found === 'string' ? { text: found } : found
  const names = records?.slice(0, maxRecords).map(
    ({ table, uid, title, page, url }): RecordName => ({
      table,
      uid,
      title: redact(cut(title, 200)),
      ...(page !== undefined && { page }),
      ...(url !== undefined && { url }),
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

/**
 * Returns the result with the user's remark from the decision; the text for the model omits a remark that makes it too
 * long.
 */
export function remarked(result: CallResult, words: string): CallResult {
  const remark = redact(words)
  const text = `${result.text}\n${saying}${remark}`
  return { ...result, remark, ...(Buffer.byteLength(text) <= maxResultBytes && { text }) }
}

/** Returns the result of a question. It has no fence, because the answer comes from the user. */
export function answered(words: string): CallResult {
  if (words === '') return { text: unanswered, isError: false, outcome: 'done' }
  const remark = redact(words)
  return { text: `${answers}${remark}`, isError: false, outcome: 'done', remark }
}

const answers = 'The user answers: '
const unanswered =
  'The user chose not to answer. Do not ask again: go on with what is known, or say what is missing.'

/** Returns the text cut to `bytes`, never in the middle of a character. */
export function cutBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text)
  if (buffer.length <= bytes) return text
  let end = bytes
  while (end > 0 && ((buffer[end] as number) & 0xc0) === 0x80) end--
  return buffer.subarray(0, end).toString()
}
