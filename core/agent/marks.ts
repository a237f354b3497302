import { withoutNonces } from '../base/safety/fence.ts'
import type { Message } from '../conversation/transcript/schema.ts'
import type { ModelMessage, ModelRequest } from '../model/model.ts'
import { code, findUnsupported } from './unsupported.ts'

/** The invented parts of an answer: references to records that were not read, and figures without a source. */
export type Marks = Partial<Pick<Message, 'unread' | 'unsupported'>>

/** Everything that the model got for an answer: its request, and the rows, of which the request may show a part. */
export type Given = Pick<ModelRequest, 'system' | 'messages'> & { rows: readonly Message[] }

/** References such as `[pages:3]`, or `[3]` beside a title in quotation marks; links and list numbers do not count. */
const reference =
  /\[([A-Za-z_][\w.-]{0,63}:[\w-][\w.~-]{0,127})\](?!\()|(?<=[”"»“‘’'] )\[(\d{1,15})\](?!\()|\[(\d{1,15})\](?= [“"«„‘])/g

/** The maximum number of references that are checked, because each search takes time. */
const maxReferences = 100

/**
 * Finds the invented parts of an answer: references such as `31` or `posts:p-4`, and figures and days that the request
 * does not name. Finds nothing if the request has a PDF or a picture, because this code cannot read their bytes.
 */
export function marksOf(answer: string, { system, messages, rows }: Given, now: number): Marks {
  if (messages.some(hasBytes)) return {}
  const names = [...answer.replace(code, ' ').matchAll(reference)].map(
    ([, named, before, after]) => named ?? before ?? after ?? '',
  )
  if (names.length === 0 && !/\d/.test(answer)) return {}
  const invented = rows.flatMap(({ unread = [], unsupported = [] }) => [...unread, ...unsupported])
  const sent = messages.map(({ role, content }) =>
    content.map((block) =>
      role === 'assistant' && block.type === 'text' ? without(block.text, invented) : block,
    ),
  )
  const told = rows.map((row) =>
    row.role === 'assistant' ? { ...row, content: without(row.content, invented) } : row,
  )
  const read = withoutNonces(textIn([system, sent, told]))
  const user = rows.flatMap(({ role, content, remark }) => (role === 'user' ? [content] : (remark ?? [])))
  const unread = [...new Set(names)]
    .slice(0, maxReferences)
    .filter((name) => !isNamed(name.slice(name.indexOf(':') + 1), read))
  const lone = findUnsupported(answer, {
    read,
    user: user.join('\n') || textIn(sent.slice(-1)),
    now,
    hasResults: messages.some(({ content }) => content.some(({ type }) => type === 'tool_result')),
  })
  return { ...(unread.length > 0 && { unread }), ...(lone.length > 0 && { unsupported: lone }) }
}

const hasBytes = ({ content }: ModelMessage) =>
  content.some(
    (block) =>
      block.type === 'document' || block.type === 'image' || ('images' in block && block.images?.length),
  )

/** Members whose digits support no figure: bytes, times, ids, and marks of earlier answers. */
const ignoredMembers = new Set([
  'base64',
  'signature',
  'data',
  'id',
  'given',
  'callId',
  'toolCallId',
  'runId',
  'createdAt',
  'sequence',
  'until',
  'at',
  'unread',
  'unsupported',
])

/**
 * Returns all texts and numbers in a value, one per line. All arguments of calls count, even under an ignored name,
 * because the model chose them.
 */
function textIn(value: unknown, isArgument = false): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  return Object.entries(value)
    .filter(([key]) => isArgument || !ignoredMembers.has(key))
    .map(([key, one]) => textIn(one, isArgument || key === 'arguments'))
    .join('\n')
}

/** Returns the text with blanks in place of the parts: an invented part must not support its own repetition. */
function without(text: string, parts: string[]): string {
  if (parts.length === 0) return text
  const written = parts.map((part) => part.replaceAll('.', '\\.')).join('|')
  return text.replace(new RegExp(`(?<!\\d|\\d[.,])(?:${written})(?![.,]?\\d)`, 'g'), ' ')
}

/** True if the text contains the uid as a separate word. */
function isNamed(uid: string, text: string): boolean {
  for (let at = text.indexOf(uid); at !== -1; at = text.indexOf(uid, at + 1))
    if (!isWord(text[at - 1]) && !isWord(text[at + uid.length])) return true
  return false
}

const isWord = (character = '') => /\w/.test(character)
