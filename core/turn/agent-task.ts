import { gateFacts } from '../agent/gate.ts'
import { buildHistory } from '../agent/prompt/history.ts'
import type { See } from '../agent/prompt/picture.ts'
import { newestSummary } from '../agent/prompt/recall.ts'
import * as Run from '../agent/run-record.ts'
import type { Task } from '../agent/task.ts'
import type { Actor } from '../base/actor.ts'
import { madeCalls, openCalls, replyCalls } from '../chat/open-calls.ts'
import { isReply } from '../conversation/transcript/notice.ts'
import { batchOf, type ToolCall } from '../conversation/transcript/schema.ts'
import * as Files from '../file/site-files.ts'
import type { Live } from '../live.ts'
import type { Model } from '../model/model.ts'
import type { Settings } from '../stage/settings/schema.ts'
import type { Servers } from '../tool/remote/servers.ts'
import { type ActingInCms, enter } from './acting.ts'
import type { Attached } from './attachments.ts'
import { journal } from './journal.ts'
import { operations } from './operations.ts'
import type { RequestBase } from './request-base.ts'
import { type Spending, spending } from './spending.ts'
import type { Work } from './work.ts'

/** The ports, settings and request parts that a task is made of. */
type TaskParts = {
  live: Live
  acting: ActingInCms
  model: Model
  base: RequestBase
  attached: Attached
  servers: Pick<Servers, 'tools'>
  /** Prepares pictures for the model; undefined for a model that sees no pictures. */
  see: See | undefined
}

function forgetThoughts({ thoughts }: Work): boolean {
  const had = thoughts.size > 0
  thoughts.clear()
  return had
}

/** Returns the agent's task for this turn, without the conversation. The task continues after the last stored row. */
export async function taskOf(work: Work, parts: TaskParts): Promise<Task> {
  const { live, acting, model, base, attached, servers, see } = parts
  const { actor, settings, resolved, capabilities } = acting
  const { rows: allRows, signal, nonce, now } = work
  const { runId, owner } = work.conversation
  const rows = allRows.filter((row) => row.runId === runId)
  const spent = spending(work, settings, resolved, { maxTokens: base.maxTokens, signal })
  const open = openCalls(rows)
  const admitted = (actor: Actor, settings: Settings) => ({
    actor,
    facts: gateFacts(actor, settings, resolved, capabilities, servers.tools(actor, settings)),
  })
  return {
    ...base,
    runId,
    journal: journal(work, attached.reread),
    signal,
    admitted: admitted(actor, settings),
    admit: () => enter(live, owner).then((now) => admitted(now.actor, now.settings)),
    cms: live.cms,
    model,
    nonce,
    maxRounds: resolved.configuration.maxRounds,
    round: rows.filter(isReply).length + 1,
    openCalls: open,
    reply: replyCalls(rows),
    decision: await decisionOn(work, open),
    wording: wordingOf(work),
    madeCalls: madeCalls(rows),
    toolPorts: {
      files: Files.list,
      // Few turns read more of a document, so the document reader is loaded only when a tool needs it.
      readOn: async (...given) => (await import('../file/document/extract.ts')).readOn(...given),
      operations: () => operations(live, resolved),
      ...(see && { see }),
    },
    now,
    lang: actor.lang,
    history: historyOf(work, parts, spent),
    rows: allRows,
    forgetThoughts: () => forgetThoughts(work),
    reserve: spent.reserve,
    settle: spent.settle,
    withdraw: attached.withdraw,
  }
}

/**
 * Returns the function that builds the transcript of the next request. If the function leaves rows out, it records this
 * in `work`. Before the first request that leaves turns out, the model summarises these turns.
 */
function historyOf(work: Work, parts: TaskParts, spent: Spending): Task['history'] {
  const { acting, model, base } = parts
  const { expand } = parts.attached
  const { historyTokens, summaries } = acting.settings
  let narrowest = model.limits.contextTokens
  const thoughts = ({ sequence }: { sequence: number }) => {
    const thought = work.thoughts.get(sequence)
    return thought?.model === model.about.model ? thought.parts : undefined
  }
  const images = ({ toolCallId = '' }: { toolCallId?: string | undefined }) => work.pictures.get(toolCallId)
  const read = () =>
    buildHistory(work.rows, {
      ...base,
      contextTokens: narrowest,
      historyTokens,
      summary: summaries ? newestSummary(work.rows, work.nonce) : undefined,
      expand,
      parts: thoughts,
      images,
    })
  let isAsked = !summaries || !model.about.isAI
  return async (window = narrowest) => {
    narrowest = Math.min(narrowest, window)
    let history = read()
    if (!isAsked && history.until !== undefined) {
      isAsked = true
      const { storeSummary } = await import('./summary.ts')
      if (await storeSummary(work, history.until, { model, base, ...spent })) history = read()
    }
    work.isShortened ||= history.shortened
    return history
  }
}

/** Returns the user's own words for the calls of this run's proposal, by call id. They replace the model's words. */
function wordingOf({ run, pending }: Work): Task['wording'] {
  const calls = pending?.runId === run.runId ? pending.calls : []
  return Object.fromEntries(calls.flatMap(({ id, wording }) => (wording ? [[id, wording]] : [])))
}

/** Returns the decision about exactly these calls; undefined if the user made no decision. */
async function decisionOn({ run, pending }: Work, open: ToolCall[]): Promise<Task['decision']> {
  if (!pending?.decision || pending.runId !== run.runId || open.length === 0) return undefined
  const calls = new Set(pending.open.map(({ id }) => id))
  if (!open.every(({ id }) => calls.has(batchOf(id)))) return undefined
  const intents = await Run.intents(run)
  const { decision, digest, versions, definitions } = pending
  const begun = intents.filter(({ callId }) => calls.has(batchOf(callId)))
  return { ...decision, digest, versions, definitions, begun }
}
