import { mayChat } from '../access.ts'
import type { Actor } from '../actor.ts'
import { gateFacts } from '../agent/gate.ts'
import { Stopped } from '../agent/journal.ts'
import { offered, refused } from '../agent/offer.ts'
import { reasonText } from '../agent/reason.ts'
import * as Run from '../agent/run.ts'
import { run, type Task } from '../agent/runtime.ts'
import { config } from '../config.ts'
import type { Hold } from '../conversation/claim.ts'
import { Failure } from '../conversation/failure.ts'
import type { Pending } from '../conversation/pending.ts'
import { nonce as nonceOf } from '../fence.ts'
import * as Files from '../file/list.ts'
import type { Live } from '../live.ts'
import * as Message from '../message/message.ts'
import { isReply } from '../message/notice.ts'
import type { Message as Entry, ToolCall } from '../message/schema.ts'
import type { ModelError, ModelMessage } from '../model/model.ts'
import type { Settings } from '../settings/schema.ts'
import { load, type Resolved, resolve } from '../settings/settings.ts'
import { title } from '../tool/label.ts'
import { inputSchema } from '../tool/tool.ts'
import * as Usage from '../usage/usage.ts'
import { type Expansion, expand, fileOf } from './attachment.ts'
import { settleDoubt } from './doubt.ts'
import { build } from './history.ts'
import { journal } from './journal.ts'
import { operations } from './operations.ts'
import { compose } from './prompt.ts'
import { type Work, work } from './work.ts'

/** What an invocation gives a turn. */
export type Invocation = {
  /** Milliseconds that are left; infinite for a worker. */
  remainingMs(): number
  /** Aborted, with Stopped as its reason, when the turn must not go on. */
  signal: AbortSignal
}

/** Everything of a turn that its owner and the stage decide, read afresh at its start. */
type Scene = { actor: Actor; settings: Settings; resolved: Resolved }

/**
 * Works on a claimed conversation until its turn ends or pauses: resolves the configuration, builds prompt and
 * transcript, and binds the agent to what it finds. Goes on behind the last stored row, whoever stored it.
 */
export async function turn(live: Live, hold: Hold, invocation: Invocation): Promise<void> {
  const { clock } = live
  const { it } = hold
  const scene = await enter(live, it.owner)
  const { actor, settings, resolved } = scene
  const model = await live.model(resolved)
  if (it.sweptTo > it.messageCount) await Message.sweep(it)
  const [record, { messages: rows, pending, systemPrompt, activity }] = await Promise.all([
    Run.start(it.owner, it.id, it.runId, clock.now(), settings.retainRunDays),
    Message.opening(it, model.limits.contextTokens * charactersPerToken),
  ])
  hold.activityVersion = activity.version
  const at = work({
    hold,
    actor,
    run: record,
    rows,
    pending,
    entries: activity.entries,
    clock,
    ...invocation,
  })
  const { signal } = invocation
  // What an edit dropped is gone now: the turns to come need not look for it again.
  if (it.sweptTo > 0) await at.save({ sweptTo: 0 })
  const nonce = nonceOf(config().secret, it.id)
  await settleDoubt(at, live.cms, nonce)
  if (hold.it.cancelRequested) throw new Stopped('cancelled')

  const blocked = new Set(it.refusedFiles)
  const options = { now: clock.now(), nonce, blocked, signal }
  let expansion = await expand(actor, rows, model, options)
  const system = await prompt(live, scene, at, nonce, systemPrompt)
  const facts = (who: Actor) => gateFacts(who, settings, resolved)
  const specs = offered(facts(actor)).map((tool) => ({
    name: tool.name,
    description: tool.description,
    schema: inputSchema(tool),
  }))
  const maxTokens = Math.min(resolved.configuration.maxTokens, model.limits.maxOutputTokens)
  at.history = () => {
    const built = build(at.rows, {
      system,
      tools: specs,
      maxTokens,
      contextTokens: model.limits.contextTokens,
      ...sent(() => expansion),
    })
    at.isShortened = built.shortened || at.isShortened
    return built
  }
  const mine = rows.filter((row) => row.runId === it.runId)
  const open = openCalls(mine)
  const task: Task = {
    runId: it.runId,
    actor: async () => (await enter(live, it.owner)).actor,
    cms: live.cms,
    model,
    facts,
    nonce,
    system,
    offered: specs,
    maxTokens,
    maxRounds: resolved.configuration.maxRounds,
    round: mine.filter(isReply).length + 1,
    open,
    decision: await decided(record, pending, open),
    made: madeCalls(mine),
    tools: { files: Files.list, operations: () => operations(live, resolved) },
    now: () => clock.now(),
    lang: actor.lang,
    ...budget(at, settings),
    withdraw: async (error, messages) => {
      const fileUid = refusedFile(error, messages, expansion)
      if (fileUid === undefined || blocked.has(fileUid)) return false
      blocked.add(fileUid)
      await at.save({ refusedFiles: [...blocked] })
      expansion = await expand(actor, rows, model, options)
      return true
    },
  }
  try {
    await run(task, journal(at), signal)
  } catch (error) {
    const isLost = error instanceof Stopped && error.reason === 'lost'
    if (!isLost) await at.record()
    throw error
  }
}

/** A token is rarely shorter than this; the window itself is cut by tokens. */
const charactersPerToken = 5

/** The owner as the CMS knows them now, and what their turns run with. Rejects with Failure where there is none. */
async function enter(live: Live, owner: number): Promise<Scene> {
  const now = live.clock.now()
  const [actor, settings] = await Promise.all([live.cms.user(owner), load(now)])
  if (!actor || !mayChat(actor, settings)) throw new Failure('access.lost', 'The user may not use the chat.')
  const { resolved, missing } = resolve(settings, actor)
  if (!resolved) throw new Failure('chat.notConfigured', missing)
  return { actor, settings, resolved }
}

async function prompt(
  live: Live,
  { actor, settings, resolved }: Scene,
  { it }: Work,
  nonce: string,
  instructions: string,
): Promise<ReturnType<typeof compose>> {
  const { pageId, module } = it.viewContext ?? { pageId: 0, module: undefined }
  const [languages, page] = await Promise.all([
    live.cms.languages(),
    pageId > 0 ? live.cms.page(actor, pageId) : undefined,
  ])
  const refusals = refused(gateFacts(actor, settings, resolved)).map(({ tool, reason }) => ({
    tool: `${title(tool.name, 'en')} (${tool.name})`,
    reason: reasonText(reason, 'en'),
  }))
  return compose({
    systemPrompt: resolved.configuration.system_prompt,
    promptTemplate: resolved.task.prompt_template,
    languages,
    nonce,
    lang: actor.lang,
    module,
    page,
    refusals,
    instructions,
  })
}

function sent(expansion: () => Expansion) {
  return {
    expand: (row: Entry) => expansion().get(row.sequence)?.blocks ?? [],
    cost: (row: Entry) => expansion().get(row.sequence)?.tokens ?? 0,
  }
}

function budget(
  { it, now }: Work,
  { dailyTokensPerUser: daily }: Settings,
): Pick<Task, 'reserve' | 'settle'> {
  const { owner, runId } = it
  return {
    reserve: async (round, tokens) => {
      const isGranted = await Usage.reserve(owner, { runId, round, tokens }, daily, now())
      if (!isGranted) throw new Failure('user.budgetSpent', 'The tokens of today are used up.')
    },
    settle: (round, usage) => {
      const act = daily === null && round > 1 ? Usage.count : Usage.settle
      return act(owner, { runId, round }, usage, now())
    },
  }
}

/** The calls of the run's last reply that have no result yet. */
export function openCalls(rows: Entry[]): ToolCall[] {
  const last = rows.findLast(isReply)
  const answered = new Set(rows.map((row) => row.toolCallId))
  return (last?.toolCalls ?? []).filter((call) => !answered.has(call.id))
}

/** The decision that was made on these very calls, if one was. */
async function decided(
  run: Run.Place,
  pending: Pending | undefined,
  open: ToolCall[],
): Promise<Task['decision']> {
  if (!pending?.decision || pending.runId !== run.runId || open.length === 0) return undefined
  const calls = new Set(pending.open.map(({ id }) => id))
  if (!open.every(({ id }) => calls.has(id))) return undefined
  const intents = await Run.intents(run)
  const { decision, digest, versions } = pending
  return { ...decision, digest, versions, begun: intents.filter(({ callId }) => calls.has(callId)) }
}

function madeCalls(rows: Entry[]): ToolCall[] {
  const answered = new Set(rows.map((row) => row.toolCallId))
  return rows.flatMap((row) => row.toolCalls ?? []).filter((call) => answered.has(call.id))
}

function refusedFile(error: ModelError, messages: ModelMessage[], expansion: Expansion): number | undefined {
  const { attachment } = error
  const message = attachment && messages[attachment.message]
  const block = message?.role === 'user' ? message.content[attachment?.block ?? -1] : undefined
  return fileOf(expansion, block)
}
