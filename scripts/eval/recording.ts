import { basename } from 'node:path'
import * as z from 'zod'
import { parsedJson } from '../../core/base/json.ts'
import { redact } from '../../core/base/safety/redact.ts'
import { isReply } from '../../core/conversation/transcript/notice.ts'
import { Message } from '../../core/conversation/transcript/schema.ts'
import { readNamed, UsageError } from '../command.ts'

/** A turn of a conversation that its owner has exported, with all earlier messages. */
export type RecordedTurn = {
  id: string
  before: Message[]
  question: Message
  /** Replies and results up to the last answer. */
  rows: Message[]
  /** The last text of the assistant. */
  answer: string
}

const Exported = z.object({ messages: z.array(Message) })

/**
 * Returns the answered turns of a conversation that its owner exported as JSON, with credentials redacted. Throws
 * UsageError for any other file.
 */
export async function turnsOf(path: string): Promise<RecordedTurn[]> {
  const text = await readNamed(path)
  const { data } = Exported.safeParse(parsedJson(redact(text)))
  if (!data) throw new UsageError(`${path} is no conversation that was exported as JSON.`)
  const name = basename(path)
    .replace(/\.json$/, '')
    .replace(/[^\w-]+/g, '-')
  const starts = data.messages.flatMap(({ role }, at) => (role === 'user' ? [at] : []))
  return starts.flatMap((start, nth): RecordedTurn[] => {
    const question = data.messages[start] as Message
    const rows = data.messages
      .slice(start + 1, starts[nth + 1])
      .filter((row) => row.role === 'tool' || isReply(row))
    const answer = rows.findLast(({ role, toolCalls }) => role === 'assistant' && !toolCalls)?.content ?? ''
    if (answer.trim() === '') return []
    return [{ id: `${name}-${nth + 1}`, before: data.messages.slice(0, start), question, rows, answer }]
  })
}
