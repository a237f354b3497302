import { checkWrite, transact, type Write } from '../base/aws/table.ts'
import { key } from '../conversation/item.ts'
import * as Row from '../conversation/row.ts'
import type { Live } from '../live.ts'
import { tokensOfRequest } from '../model/estimate.ts'
import { type ModelChoice, titleModel } from '../model/fallback.ts'
import type { ModelRequest, Usage as Used } from '../model/model.ts'
import { microDollars } from '../model/price.ts'
import { tokensOf } from '../stage/usage/budget.ts'
import type { Acting } from './acting.ts'
import { spending } from './spending.ts'
import { titleIn, titleRequest } from './title-request.ts'
import type { Work } from './work.ts'

/** Lets a model write the title of a conversation once, after the turn with the first answer has ended. */

/** The ended turn that gave the first answer of its conversation. */
export type FirstAnswer = { work: Work; acting: Acting }

/** The limits of the process that asks for the title. */
type Limits = { remainingMs(): number; stopping?: AbortSignal }

/**
 * The maximum time for a title, in milliseconds. An invocation with less than twice this time left asks for no title.
 */
const longestMs = 20_000

/**
 * Asks a model for the title, counts the call and stores the title. `unwanted`: the settings want no title, or the
 * process is about to end. `unusable`: the answer holds no title. `lost`: the conversation got another title or was
 * deleted meanwhile. Rejects if the model call fails or the user's tokens for today are used up.
 */
export async function giveTitle(
  live: Live,
  first: FirstAnswer,
  { remainingMs, stopping }: Limits,
): Promise<'stored' | 'unwanted' | 'unusable' | 'lost'> {
  const { work, acting } = first
  const choice = titleModel(acting.settings, acting.resolved)
  const [question] = work.rows
  const { answer } = work
  if (!choice || !question || !answer || stopping?.aborted || remainingMs() < 2 * longestMs) return 'unwanted'
  const request = titleRequest(question, answer, { lang: acting.actor.lang, nonce: work.nonce })
  const signal = AbortSignal.any([AbortSignal.timeout(longestMs), ...(stopping ? [stopping] : [])])
  const { text, usage, counted } = await ask(live, first, choice, request, signal)
  const title = text === undefined ? undefined : titleIn(text)
  const used = { tokens: tokensOf(usage), cost: microDollars(usage, choice.model.prices) }
  const isStored = title !== undefined && (await store(work.conversation, title, used, counted))
  // The usage counts even if the title is not stored, but not after an erasure, which leaves no row of the user.
  if (!isStored) await transact([counted, checkWrite(key(work.conversation.id), isThere)])
  if (title === undefined) return 'unusable'
  return isStored ? 'stored' : 'lost'
}

const isThere = { condition: 'attribute_exists(pk)' }

type Asked = { text: string | undefined; usage: Used; counted: Write }

/** Calls the model within the user's budget and the pace of its provider; `text` is undefined if the model refuses. */
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
  const model = await live.model(alone)
  const tokens = tokensOfRequest(request) + maxTokens
  const answer = await spent.askBeside(tokens, () => model.ask(request, signal))
  const counted = await spent.countBeside(answer.usage, choice.model.modelId)
  return { text: answer.stop === 'refusal' ? undefined : answer.text, usage: answer.usage, counted }
}

/** Stores the title and the usage of the call; false if the conversation has another title or is deleted. */
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
    const used = { titleTokens: tokens, titleMicroDollars: cost ?? undefined }
    return (await Row.store(conversation, { title, titleFixed: true, ...used }, [counted])) && 'stored'
  })
  return outcome === 'stored'
}
