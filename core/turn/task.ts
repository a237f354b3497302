import { gateFacts } from '../agent/gate.ts'
import type { Task } from '../agent/loop.ts'
import { build, type History } from '../agent/prompt/history.ts'
import type { See } from '../agent/prompt/picture.ts'
import * as Run from '../agent/run-record.ts'
import * as Metric from '../base/metric/metric.ts'
import { metrics } from '../base/metric/name.ts'
import { Failure } from '../conversation/failure.ts'
import { bornAt } from '../conversation/item.ts'
import { isReply } from '../conversation/transcript/notice.ts'
import { batchOf, type ToolCall } from '../conversation/transcript/schema.ts'
import * as Files from '../file/list.ts'
import type { Live } from '../live.ts'
import type { Model } from '../model/model.ts'
import { microDollars } from '../model/price.ts'
import type { Settings } from '../stage/settings/schema.ts'
import type { Resolved } from '../stage/settings/settings.ts'
import { dayOf, tokensOf } from '../stage/usage/budget.ts'
import type { Reserved } from '../stage/usage/settlement.ts'
import * as Usage from '../stage/usage/usage.ts'
import type { Servers } from '../tool/remote/servers.ts'
import { type ActingInCms, enter } from './acting.ts'
import type { Attached } from './attachments.ts'
import { madeCalls, openCalls } from './open-calls.ts'
import { operations } from './operations.ts'
import type { Paced } from './pace.ts'
import type { RequestBase } from './request-base.ts'
import type { Work } from './work.ts'

/** What a task is made of: the ports, what decides about the turn, and what its requests are made of. */
export type TaskParts = {
  live: Live
  acting: ActingInCms
  model: Model
  nonce: string
  base: RequestBase
  attached: Attached
  servers: Pick<Servers, 'tools'>
  /** Looks at pictures for the model; undefined where it sees none. */
  see: See | undefined
  paced: Paced
}

/** The turn as the agent gets it, without the conversation; it continues after the last stored row. */
export async function taskOf(work: Work, parts: TaskParts): Promise<Task> {
  const { live, acting, model, nonce, base, attached, servers, see } = parts
  const { actor, settings, resolved, capabilities } = acting
  const { runId, owner } = work.it
  const rows = work.rows.filter((row) => row.runId === runId)
  const open = openCalls(rows)
  return {
    runId,
    admitted: {
      actor,
      facts: gateFacts(actor, settings, resolved, capabilities, servers.tools(actor, settings)),
    },
    admit: async () => {
      const { actor, settings } = await enter(live, owner)
      return {
        actor,
        facts: gateFacts(actor, settings, resolved, capabilities, servers.tools(actor, settings)),
      }
    },
    cms: live.cms,
    model,
    nonce,
    system: base.system,
    offered: base.tools,
    maxTokens: base.maxTokens,
    reasoning: base.reasoning,
    maxRounds: resolved.configuration.maxRounds,
    round: rows.filter(isReply).length + 1,
    open,
    decision: await decisionOn(work, open),
    wording: wordingOf(work),
    made: madeCalls(rows),
    tools: {
      files: Files.list,
      operations: () => operations(live, resolved),
      ...(see && { see }),
    },
    now: work.now,
    lang: acting.actor.lang,
    history: historyOf(work, parts),
    forget: () => {
      const had = work.thoughts.size > 0
      work.thoughts.clear()
      return had
    },
    ...budget(work, settings, resolved, parts.paced),
    withdraw: attached.withdraw,
  }
}

/** The transcript of the next request; remembers on the work that something of it was left out. */
function historyOf(work: Work, { model, base, attached: { expand, cost } }: TaskParts): Task['history'] {
  let narrowest = model.limits.contextTokens
  return (window = narrowest): History => {
    narrowest = Math.min(narrowest, window)
    const parts = ({ sequence }: { sequence: number }) => {
      const thought = work.thoughts.get(sequence)
      return thought?.model === model.about.model ? thought.parts : undefined
    }
    const images = ({ toolCallId = '' }: { toolCallId?: string | undefined }) => work.pictures.get(toolCallId)
    const built = build(work.rows, { ...base, contextTokens: narrowest, expand, cost, parts, images })
    work.isShortened ||= built.shortened
    return built
  }
}

/** What the user has reworded of the proposal of this run. */
function wordingOf({ run, pending }: Work): Task['wording'] {
  const calls = pending?.runId === run.runId ? pending.calls : []
  return Object.fromEntries(calls.flatMap(({ id, wording }) => (wording ? [[id, wording]] : [])))
}

/** The decision that was made on these very calls, if one was. */
async function decisionOn({ run, pending }: Work, open: ToolCall[]): Promise<Task['decision']> {
  if (!pending?.decision || pending.runId !== run.runId || open.length === 0) return undefined
  const calls = new Set(pending.open.map(({ id }) => id))
  if (!open.every(({ id }) => calls.has(batchOf(id)))) return undefined
  const intents = await Run.intents(run)
  const { decision, digest, versions, definitions } = pending
  const begun = intents.filter(({ callId }) => calls.has(batchOf(callId)))
  return { ...decision, digest, versions, definitions, begun }
}

function budget(
  work: Work,
  { dailyTokensPerUser: daily }: Settings,
  { model: first, fallback }: Resolved,
  paced: Paced,
): Pick<Task, 'reserve' | 'settle'> {
  const { it, hold, now } = work
  const { owner, runId } = it
  const { used } = hold
  let reserved: Reserved = { date: dayOf(now()), tokens: 0 }
  let askedAt = now()
  return {
    reserve: async (round, tokens) => {
      await paced.admit(tokens)
      const granted = await Usage.reserve(owner, { runId, round, tokens }, daily, now())
      if (!granted) throw new Failure('user.budgetSpent', 'The tokens of today are used up.')
      reserved = granted
      askedAt = now()
    },
    settle: async (round, usage, model) => {
      const { prices, contextTokens } = model === first.modelId ? first : (fallback?.model ?? first)
      const cost = microDollars(usage, prices)
      const call = { runId, round }
      const { input, output, cacheRead, cacheWrite } = usage
      const spent = { input, output, cacheRead, cacheWrite, model, microDollars: cost }
      // Whether the turn of a run from another day is counted already, only a look at both days tells.
      if (round === 1 && dayOf(bornAt(runId)) !== reserved.date) await Usage.settle(owner, call, spent, now())
      else work.uncounted = { call, used: spent, reserved }
      used.usedTokens += tokensOf(usage)
      used.windowPercent = Math.min(100, Math.round((100 * tokensOf(usage)) / contextTokens))
      if (cost !== null) used.usedMicroDollars = (used.usedMicroDollars ?? 0) + cost
      Metric.measure(metrics.modelMs, now() - askedAt)
      Metric.count(metrics.modelTokens, tokensOf(usage))
      Metric.count(metrics.modelMicroDollars, cost ?? 0)
      await paced.settle(tokensOf(usage))
    },
  }
}
