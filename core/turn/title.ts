import { transact, type Write } from '../base/aws/table.ts'
import * as Row from '../conversation/row.ts'
import type { Live } from '../live.ts'
import { tokensOfRequest } from '../model/estimate.ts'
import { type ModelChoice, titleModel } from '../model/fallback.ts'
import type { ModelRequest, Usage as Used } from '../model/model.ts'
import { microDollars } from '../model/price.ts'
import { tokensOf } from '../stage/usage/budget.ts'
import * as Usage from '../stage/usage/usage.ts'
import type { Acting } from './acting.ts'
import { spending } from './spending.ts'
import { titleIn, titleRequest } from './title-request.ts'
import type { Work } from './work.ts'

/** The title that a model writes once for a conversation, after the turn of the first answer has ended. */

/** A turn that has ended with the first answer of its conversation. */
export type FirstAnswer = { work: Work; acting: Acting; nonce: string }

/** The limits of the process that asks for the title. */
type Limits = { remainingMs(): number; stopping?: AbortSignal }

/** A title takes at most this long, in milliseconds; an invocation with less than twice that left asks for none. */
const longestMs = 20_000

/**
 * Asks a model for the title, counts the call and stores the title. `unwanted`: the settings want none, or the process is
 * about to end. `unusable`: the answer is no title. `lost`: the conversation has another title or is deleted meanwhile.
 * Rejects if the model cannot be asked, or the user's tokens of the day are used up.
 */
export async function giveTitle(
  live: Live,
  first: FirstAnswer,
  { remainingMs, stopping }: Limits,
): Promise<'stored' | 'unwanted' | 'unusable' | 'lost'> {
  const { work, acting, nonce } = first
  const choice = titleModel(acting.settings, acting.resolved)
  const [question] = work.rows
  const { answer } = work
  if (!choice || !question || !answer || stopping?.aborted || remainingMs() < 2 * longestMs) return 'unwanted'
  const request = titleRequest(question, answer, { lang: acting.actor.lang, nonce })
  const signal = AbortSignal.any([AbortSignal.timeout(longestMs), ...(stopping ? [stopping] : [])])
  const { text, usage, counted } = await ask(live, first, choice, request, signal)
  const title = text === undefined ? undefined : titleIn(text)
  const used = { tokens: tokensOf(usage), cost: microDollars(usage, choice.model.prices) }
  const isStored = title !== undefined && (await store(work.conversation, title, used, counted))
  // The usage counts even if the title is not stored.
  if (!isStored) await transact([counted])
  if (title === undefined) return 'unusable'
  return isStored ? 'stored' : 'lost'
}

type Asked = { text: string | undefined; usage: Used; counted: Write }

/** Calls the model under the user's budget and at the pace of its provider; without a text if it refuses. */
async function ask(
  live: Live,
  { work, acting }: FirstAnswer,
  choice: ModelChoice,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Asked> {
  const { settings, resolved } = acting
  const { fallback: _, ...alone } = { ...resolved, ...choice }
  const { maxTokens } = request
  const spent = spending(work, settings, alone, { maxTokens, signal })
  const { owner, runId } = work.conversation
  try {
    // Rounds grow over the whole run, and a turn has fewer rounds than rows.
    await spent.reserve(work.rows.length, tokensOfRequest(request) + maxTokens)
    const model = await live.model(alone)
    const answer = await model.ask(request, signal)
    const counted = await spent.countBeside(answer.usage, choice.model.modelId)
    return { text: answer.stop === 'refusal' ? undefined : answer.text, usage: answer.usage, counted }
  } finally {
    if (settings.dailyTokensPerUser !== null) await Usage.release(owner, runId, work.now())
  }
}

/** Stores the title and the sums of the call; false if another title is there, or the conversation is deleted. */
async function store(
  { id, title: before }: Work['conversation'],
  title: string,
  { tokens, cost }: { tokens: number; cost: number | null },
  counted: Write,
): Promise<boolean> {
  const stored = await Row.read(id)
  if (!stored) return false
  const outcome = await Row.contend(stored, async (conversation) => {
    if (conversation.titleFixed || conversation.title !== before || conversation.deletedAt) return 'lost'
    const micro = cost === null ? conversation.usedMicroDollars : (conversation.usedMicroDollars ?? 0) + cost
    const sums = { usedTokens: conversation.usedTokens + tokens, usedMicroDollars: micro }
    return (await Row.store(conversation, { title, titleFixed: true, ...sums }, [counted])) && 'stored'
  })
  return outcome === 'stored'
}
