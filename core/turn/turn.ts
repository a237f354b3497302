import { decide, gateFacts } from '../agent/gate.ts'
import { Stopped } from '../agent/journal.ts'
import { run } from '../agent/loop.ts'
import { type See, seeing } from '../agent/prompt/picture.ts'
import * as Run from '../agent/run-record.ts'
import type { Task } from '../agent/task.ts'
import * as Thought from '../agent/thought.ts'
import { config } from '../base/config.ts'
import { nonce as nonceOf } from '../base/safety/fence.ts'
import * as Doubt from '../chat/doubt.ts'
import type { Cms } from '../cms/cms.ts'
import type { Hold } from '../conversation/claim.ts'
import { isReply } from '../conversation/transcript/notice.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import type { Live } from '../live.ts'
import type { Model } from '../model/model.ts'
import { viewImage } from '../tool/read/media.ts'
import type { Servers } from '../tool/remote/servers.ts'
import { type Acting, type ActingInCms, open } from './acting.ts'
import { taskOf } from './agent-task.ts'
import { attach } from './attachments.ts'
import { requestBaseOf } from './request-base.ts'
import type { FirstAnswer } from './title.ts'
import { appendRows, countUsage, type Invocation, recordSteps, type Work, workOn } from './work.ts'

/**
 * Works on a claimed conversation until its turn ends or pauses. Resolves the configuration, builds prompt and
 * transcript, and runs the agent on them. Continues after the last stored row, even if an earlier consumer stored it.
 * An undo of many records is a turn without the agent. Returns the turn if it gave the first answer of a conversation
 * without a written title.
 */
export async function turn(live: Live, hold: Hold, invocation: Invocation): Promise<FirstAnswer | undefined> {
  const { signal } = invocation
  const { owner, viewContext, undoing } = hold.conversation
  if (undoing !== undefined) {
    const { takeBackMany } = await import('./take-back.ts')
    await takeBackMany(live, hold, invocation)
    return undefined
  }
  const { ownInstructions, ...acting } = await open(
    live,
    owner,
    viewContext?.page ?? viewContext?.pageId ?? 0,
    viewContext?.table,
  )
  hold.model = acting.resolved.model.modelId
  const model = await live.model(acting.resolved)
  const { work, instructions } = await takeUp(live, hold, invocation, acting, model)
  await settleDoubt(work, live.cms)
  if (hold.conversation.cancelRequested) throw new Stopped('cancelled')
  const see = seesWith(model, acting, signal)
  const servers = await serversOf(live, acting)
  try {
    const said = { nonce: work.nonce, now: work.now(), viewContext, instructions, ownInstructions }
    const base = requestBaseOf(acting, model, { ...said, servers })
    const attached = await attach(work, live.cms, { model, base, see: maySee(acting) ? see : undefined })
    await answer(work, await taskOf(work, { live, acting, model, base, attached, servers, see }))
    return isFirstAnswer(work) ? { work, acting } : undefined
  } finally {
    await servers.close()
  }
}

/** True if this turn ended with the conversation's only reply, and the title is still the first message. */
function isFirstAnswer({ conversation, rows, answer }: Work): boolean {
  if (conversation.titleFixed || !answer || rows[0]?.role !== 'user') return false
  return rows.filter(isReply).every(({ runId }) => runId === conversation.runId)
}

/** Returns the function that prepares pictures of the whole turn; undefined for a model that sees no pictures. */
function seesWith({ capabilities, limits }: Model, { actor }: Acting, signal: AbortSignal): See | undefined {
  return capabilities.includes('vision') ? seeing(limits, { user: actor.uid, signal }) : undefined
}

/** True if the model gets the site's pictures that the user names, by the rule of the picture tool. */
function maySee({ actor, settings, resolved, capabilities }: ActingInCms): boolean {
  return decide(viewImage, gateFacts(actor, settings, resolved, capabilities)).allowed
}

/** Returns the tools of MCP servers and of the CMS's abilities. Only stages with such tools load the code for them. */
async function serversOf(
  { clock, cms }: Live,
  { actor, settings, capabilities }: ActingInCms,
): Promise<Servers> {
  const open = async (): Promise<Servers> => {
    if (settings.mcpServers.length === 0)
      return { tools: () => [], unconnected: [], close: async () => undefined }
    const { openServers } = await import('../tool/remote/servers.ts')
    return openServers(actor, settings, { now: clock.now, isLocal: config().isLocal })
  }
  const opening = open()
  const ofCms = async () =>
    capabilities.abilities
      ? (await import('../tool/remote/ability.ts')).abilityTools(cms, actor, capabilities.name)
      : []
  const close = async (error: unknown) => {
    await (await opening).close()
    throw error
  }
  const [servers, abilities] = await Promise.all([opening, ofCms().catch(close)])
  return { ...servers, tools: (...who) => [...servers.tools(...who), ...abilities] }
}

/** An upper bound for the characters of a token; the transcript for a request is cut by tokens later. */
const charactersPerToken = 5
/** The minimum number of characters to read: a request holds little of each old turn, so it reaches back many turns. */
const leastCharacters = 4_000_000
/** The maximum number of characters of a page title that the conversation stores. */
const longestTitle = 200

/** Reads what the table stores about the turn: the run, the transcript, the steps and the thoughts. */
async function takeUp(
  { clock }: Live,
  hold: Hold,
  invocation: Invocation,
  { actor, settings, page, record }: ActingInCms,
  model: Model,
): Promise<{ work: Work; instructions: string }> {
  const { conversation } = hold
  const [run, { messages: rows, pending, systemPrompt, activity }] = await Promise.all([
    Run.start(conversation.owner, conversation.id, conversation.runId, clock.now(), settings.retainRunDays),
    Transcript.opening(
      conversation,
      Math.max(leastCharacters, model.limits.contextTokens * charactersPerToken),
    ),
  ])
  const isContinued = rows.some((row) => row.runId === conversation.runId && row.toolCalls)
  const thoughts = isContinued ? await Thought.read(run) : new Map()
  hold.activityVersion = activity.version
  const pageTitle = (record ?? page)?.title.slice(0, longestTitle).toWellFormed()
  const nonce = nonceOf(config().secret, conversation.id)
  const known = { actor, retainAuditDays: settings.retainAuditDays, run, nonce, pageTitle, rows, pending }
  const work = workOn({ hold, ...known, thoughts, entries: activity.entries, clock, ...invocation })
  return { work, instructions: systemPrompt }
}

/**
 * Runs the agent. If it fails, counts the last call, and records the last step unless another consumer has the turn.
 */
async function answer(work: Work, task: Task): Promise<void> {
  try {
    await run(task)
  } catch (error) {
    await countUsage(work)
    const isLost = error instanceof Stopped && error.reason === 'lost'
    if (!isLost) await recordSteps(work)
    throw error
  }
}

/** Settles a write that an earlier consumer began and did not end, before the turn does anything else. */
async function settleDoubt(work: Work, cms: Cms): Promise<void> {
  const { conversation, actor, run, retainAuditDays } = work
  if (conversation.writing === undefined) return
  const scene = { actor, cms, run, retainAuditDays, now: work.now() }
  const { messages, writes } = await Doubt.settleDoubt(conversation, conversation.writing, scene)
  await appendRows(work, messages, { writing: undefined }, writes)
}
