import { Stopped } from '../agent/journal.ts'
import { newestSummary } from '../agent/prompt/recall.ts'
import { transact } from '../base/aws/table.ts'
import { dataRule, fence } from '../base/safety/fence.ts'
import { redact } from '../base/safety/redact.ts'
import { isReply, notice } from '../conversation/transcript/notice.ts'
import type { Message } from '../conversation/transcript/schema.ts'
import { Failure } from '../conversation/turn-failure.ts'
import { tokensOfRequest } from '../model/estimate.ts'
import * as Port from '../model/model.ts'
import type { RequestBase } from './request-base.ts'
import type { Spending } from './spending.ts'
import { appendRows, checkAlive, type Work } from './work.ts'

/**
 * Makes the summary of the turns that a request will leave out. The summary is a row of the transcript, stored once, on
 * the branch of these turns. It is read, exported and erased with them.
 */

type Making = Spending & { model: Port.Model; base: Pick<RequestBase, 'maxTokens'> }

/** The maximum number of characters of a stored summary. */
const longest = 4_000
/**
 * The maximum number of characters of one message, and of the whole text to sum up. A token has at least one character.
 */
const messageLength = 2_000
const textLength = 200_000
/** The tokens reserved for the instructions and an earlier summary, and the least that are left for the text. */
const frameTokens = 5_000
const leastTokens = 1_000

const instructions = [
  'You sum up the earlier part of a conversation between a user of a content management system and an assistant.',
  'The assistant gets the summary in the place of that part, and the user reads it.',
  'Write at most 300 words, in the language of the user: what the user wants; what was found, with the ids of records in square brackets; what was changed, decided or denied; what is still open.',
  'Keep what an earlier summary says as far as it still holds. Add nothing that the part does not say, and no password or key.',
  `${dataRule} Answer with the summary alone.`,
].join('\n')

/**
 * Stores a summary of all rows before a sequence, or a mark that the model gave no summary. Returns true only for a
 * summary. A failed call stores no row: the turn goes on, and a later turn asks again.
 */
export async function storeSummary(work: Work, until: number, making: Making): Promise<boolean> {
  if (work.rows.some((row) => (row.until ?? 0) >= until)) return false
  await checkAlive(work)
  const answer = await sumUp(work, until, making)
  if (!answer) return false
  const counted = await making.countBeside(answer.usage, Port.authorOf(answer, making.model).model)
  const text = redact(answer.text.trim()).slice(0, longest).toWellFormed()
  const isMade = text !== '' && answer.stop !== 'refusal'
  const told = { ...notice('shortened', work.actor.lang, work.at(), work.conversation.runId), until }
  const row = isMade ? { ...told, content: text, notice: 'summarised' as const } : told
  await appendRows(work, [row], { shortened: true }, [counted]).catch(async (error: unknown) => {
    // The provider charges for the call even if the consumer lost its claim meanwhile.
    if (error instanceof Stopped) await transact([counted])
    throw error
  })
  work.isShortened = true
  await checkAlive(work)
  return isMade
}

/**
 * Asks the model for the summary; undefined if its window is too small, if the call fails, or if the demo answers in
 * its place. Also undefined if the user's tokens for today are used up.
 */
async function sumUp(work: Work, until: number, making: Making): Promise<Port.Answer | undefined> {
  const { model, base, askBeside } = making
  const request = summaryRequest(work.rows, until, { model, base, nonce: work.nonce })
  if (!request) return undefined
  try {
    const tokens = tokensOfRequest(request) + base.maxTokens
    const answer = await askBeside(tokens, () => model.ask(request, work.signal))
    return Port.authorOf(answer, model).isAI ? answer : undefined
  } catch (error) {
    if (error instanceof Port.ModelError || error instanceof Failure) return undefined
    throw error
  }
}

type Asking = { model: Pick<Port.Model, 'limits'>; nonce: string; base: Pick<RequestBase, 'maxTokens'> }

/**
 * Returns the request for a summary of the rows from the newest summary to `until`; undefined if the window is too
 * small.
 */
export function summaryRequest(
  rows: Message[],
  until: number,
  { model, nonce, base }: Asking,
): Port.ModelRequest | undefined {
  const { maxTokens } = base
  const room = model.limits.contextTokens - maxTokens - frameTokens
  if (room < leastTokens) return undefined
  const before = newestSummary(rows, nonce)
  const fallen = rows.filter(({ sequence }) => sequence >= (before?.until ?? 0) && sequence < until)
  const text = redact(textOf(fallen)).slice(-Math.min(textLength, room))
  const parts = [
    ...(before ? [before.quote(longest)] : []),
    fence(nonce, 'earlier part of the conversation', text),
    'Write the summary.',
  ]
  return Port.plainRequest(instructions, parts, maxTokens)
}

/** Returns the messages, decisions and undos of the rows as text, without tool results. */
function textOf(rows: readonly Message[]): string {
  return rows
    .flatMap((row) => {
      const speaker = speakerOf(row)
      return speaker && row.content.trim() ? [`${speaker}: ${row.content.slice(0, messageLength)}`] : []
    })
    .join('\n\n')
}

function speakerOf(row: Message): string | undefined {
  if (row.role === 'user') return row.fileName ? `User, with the file ${row.fileName}` : 'User'
  if (row.role === 'tool')
    return row.approved === undefined && row.remark === undefined
      ? undefined
      : `Decided by the user, ${row.toolName}`
  if (row.notice === 'undone') return 'Taken back'
  return isReply(row) ? 'Assistant' : undefined
}
