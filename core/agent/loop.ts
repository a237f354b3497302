import { batchOf, type ToolCall } from '../conversation/transcript/schema.ts'
import { find, singles } from '../tool/tools.ts'
import { ask } from './ask.ts'
import { limited, type Planned, planAll, surplus } from './plan.ts'
import { type Proposal, proposal } from './proposal.ts'
import { Reply } from './reply.ts'
import type { ProposalDecision } from './served.ts'
import { callOptions, readAdmitted, type Task } from './task.ts'

/**
 * Runs the task to the end of its turn, or to a pause. Asks the model, serves the calls that it wants, and asks again
 * until it answers. The agent does not know the conversation: the journal stores each event before the next effect.
 * Rejects with Stopped, ModelError, or the error of a part.
 */
export async function run(task: Task): Promise<void> {
  const { journal } = task
  let { openCalls: open } = task
  for (let round = task.round; ; round++) {
    if (open.length > 0) {
      const isPaused = await serve(task, open, Math.max(1, round - 1))
      if (isPaused) return
    }
    await journal.alive()
    await journal.hear()
    const wanted = await ask(task, round)
    if (wanted.length === 0) return
    open = wanted.flatMap(singles)
    task.reply = open
  }
}

/** Serves the calls of a reply in order; returns true if the turn pauses for a decision instead. */
async function serve(task: Task, open: ToolCall[], round: number): Promise<boolean> {
  const { decision, journal } = task
  // Calls beyond the limit get their result first. After a crash, the open calls are then still the first of the reply.
  const { kept: calls, over } = limited(open)
  const hasWrites = calls.some((call) => find(call.name)?.writes)
  const reply = new Reply(task, round, hasWrites)
  const made = [...task.madeCalls]
  for (const call of over) await reply.serve([surplus(call, callOptions(task))])
  const { planned, proposed } = await plan(task, calls, made, hasWrites)
  if (proposed && !holds(decision, proposed)) {
    await journal.pause(proposed, calls)
    return true
  }
  // A decision applies only to its own proposal, not to a later one of the same turn.
  task.decision = undefined
  if (decision) {
    const { approve: approved, digest } = decision
    journal.step({ kind: 'approval', round, ms: 0, approved }, { approved, digest })
  }
  for (const group of Map.groupBy(planned, ({ call }) => batchOf(call.id)).values()) await reply.serve(group)
  return false
}

/**
 * Plans the calls of a reply. With writes, the check of the acting user goes to the CMS in the same request as the
 * previews.
 */
async function plan(
  task: Task,
  calls: ToolCall[],
  made: ToolCall[],
  hasWrites: boolean,
): Promise<{ planned: Planned[]; proposed: Proposal | undefined }> {
  const { runId, cms, reply, wording, signal } = task
  const options = callOptions(task)
  const begun = task.decision?.begun ?? []
  const context = () => ({ runId, ...task.admitted, cms, made, reply, begun, options, signal, wording })
  const read = () => planAll(calls, context())
  // Loads the code first, because a load between the preview and the check would split them into two requests.
  if (hasWrites) await import('./previewed.ts')
  const planned = hasWrites ? await readAdmitted(task, read) : await read()
  return { planned, proposed: proposal(planned, context()) }
}

/** True if the decision was made on this proposal. A denial, or a write that has begun, needs no second check. */
function holds(decision: ProposalDecision | undefined, { digest }: Proposal): boolean {
  if (!decision) return false
  return !decision.approve || decision.begun.length > 0 || decision.digest === digest
}
