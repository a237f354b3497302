import { ToolError } from '../base/error.ts'
import { own } from '../base/json.ts'
import { withUid } from '../cms/change.ts'
import type { PutPreview } from '../cms/preview.ts'
import { batchOf, type RecordName, type ToolCall } from '../conversation/transcript/schema.ts'
import { answered, remarked } from '../tool/result.ts'
import { refusal, run as runTool } from '../tool/run.ts'
import type { ToolContext } from '../tool/tool.ts'
import { decide, reasonText } from './gate.ts'
import { type Ended, faultSentence } from './journal.ts'
import type { Planned, PlannedCall, PlannedRead, PlannedWrite } from './plan.ts'
import { advance, begin, type Served, withheld } from './served.ts'
import { callOptions, contextOf, readAdmitted, type Task } from './task.ts'
import { callOnce, mayHaveChanged, type WriteEnd, write } from './write.ts'

/** The result of a denied call. The demo knows a denial by these words. */
export const denial = 'Denied by the user: nothing was changed. Do not propose the same again unless asked.'

/** The maximum number of results without effect that one write stores. */
const maxTogether = 50

/** Serves the calls of one reply of the model, and stores each effect before the next one. */
export class Reply {
  readonly #task: Task
  readonly #round: number
  readonly #served: Served
  /** True while nothing was written or called since the user was read from the CMS. */
  #isFresh: boolean

  /** Serves a reply; takes up the task's decision where an earlier consumer stopped. */
  constructor(task: Task, round: number, isFresh: boolean) {
    this.#task = task
    this.#round = round
    this.#served = begin(task.decision)
    this.#isFresh = isFresh
  }

  /** Serves a call, or the calls of a batch, as one step. Rejects with Stopped if the turn may not continue. */
  async serve(group: Planned[]): Promise<void> {
    const { journal, now, madeCalls } = this.#task
    await journal.alive()
    const startedAt = now()
    const all: Ended[] = []
    const waiting: Ended[] = []
    for (const [at, planned] of group.entries()) {
      const isEffect = planned.kind !== 'refuse' && !this.#served.denied(planned.call.id)
      if (isEffect && all.length > 0) await journal.alive()
      const ended = { call: planned.call, ...(await this.#end(planned)) }
      madeCalls.push(planned.call)
      all.push(ended)
      waiting.push(ended)
      const isLast = at === group.length - 1
      if (!isLast && (isEffect || waiting.length === maxTogether)) await journal.results(waiting.splice(0))
    }
    this.#report(all, startedAt)
    // The last result is stored together with the step.
    if (waiting.length > 0) await journal.results(waiting)
  }

  #report(all: Ended[], startedAt: number): void {
    const [first] = all as [Ended, ...Ended[]]
    const outcomes = all.map(({ result }) => result.outcome)
    const faults = outcomes.filter((outcome) => outcome !== 'done')
    // A user who approves one part of a batch and denies the other has decided; nothing failed.
    const isPartlyDone = faults.length < outcomes.length
    const problem = faults.find((fault) => !isPartlyDone || fault !== 'denied')
    const error = problem && { error: faultSentence(problem) }
    const ms = this.#task.now() - startedAt
    const calls = all.map(detailOf)
    this.#task.journal.step(
      { kind: 'tool', round: this.#round, ms, tool: first.call.name, ...error },
      calls.length === 1 ? (calls[0] as Detail) : { calls },
    )
  }

  async #end(planned: Planned): Promise<Ending> {
    if (planned.kind === 'refuse') return { result: planned.result, changed: false }
    if (planned.kind === 'ask') return { result: answered(this.#served.answer), changed: false }
    if (planned.kind === 'read') return this.#read(planned)
    return this.#effect(planned)
  }

  async #read({ call, tool }: PlannedRead): Promise<Ending> {
    this.#isFresh = false
    const task = this.#task
    const result = await readAdmitted(task, async () => {
      const gate = decide(tool, task.admitted.facts)
      if (!gate.allowed) return this.#refuse(call.name, reasonText(gate.reason, 'en'), 'notPermitted').result
      const context = readingContext(task, call)
      return runTool(tool, call.arguments, context, callOptions(task))
    })
    return { result, changed: false }
  }

  async #effect(planned: PlannedWrite | PlannedCall): Promise<Ending> {
    const { call } = planned
    const task = this.#task
    const served = this.#served
    if (served.denied(call.id)) return finish(planned, this.#refuse(call.name, denial, 'denied'), served)
    if (!this.#isFresh) task.admitted = await task.admit()
    this.#isFresh = false
    const reason = withheld(planned, served, task.admitted.facts)
    if (reason) {
      if (reason.isFailure) served.failed ??= batchOf(call.id)
      const ending = this.#refuse(call.name, reason.text, reason.outcome)
      return reason.isDecided ? finish(planned, ending) : ending
    }
    const { result, outcome } = await this.#send(planned)
    advance(served, call.id, outcome)
    return finish(planned, { result, changed: planned.kind === 'write' && mayHaveChanged(outcome) }, served)
  }

  #send(planned: PlannedWrite | PlannedCall): Promise<WriteEnd> {
    const task = this.#task
    const { runId, journal } = task
    const context = { ...contextOf(task), runId, journal, options: callOptions(task) }
    if (planned.kind === 'call') return callOnce(planned, context)
    const { versions, places } = this.#served
    const basis = places.get(planned.needs ?? '')
    const put = basis ? withUid(planned.preview.put, basis.uid) : planned.preview.put
    const expected = [...(own(versions, planned.call.id) ?? []), ...(basis ? [basis] : [])]
    return write(planned, { put, versions: expected }, context)
  }

  #refuse(name: string, text: string, outcome: ToolError['outcome']): Ending {
    return {
      result: refusal(name, new ToolError(text, { outcome }), callOptions(this.#task)),
      changed: false,
    }
  }
}

/**
 * The maximum time for a call that reads much, in milliseconds. Every step has at least five minutes of the consumer's
 * time.
 */
const longestMs = 240_000

/** Returns the context of a reading call, in which the call reports its progress and sees its time limit. */
function readingContext(task: Task, call: ToolCall): ToolContext {
  const context = contextOf(task)
  return {
    ...context,
    progress: (n, total) => task.journal.progress(call, n, total),
    hasTime: () => task.now() - context.now < longestMs,
  }
}

type Detail = Record<string, unknown>

/** Returns the entry of a call in the run record. */
const detailOf = ({ call, result }: Ended): Detail => ({
  call: call.id,
  arguments: call.arguments,
  result: result.text,
  isError: result.isError,
})

/** The result of a call, and whether it changed a record. */
type Ending = Omit<Ended, 'call'>

/**
 * Returns the result of a decided call, with its record and the user's remark. The remark is outside the fence: it is
 * the user's word to the model, and a fence contains the data of others.
 */
function finish(planned: PlannedWrite | PlannedCall, { result, changed }: Ending, served?: Served): Ending {
  const records = planned.kind === 'write' ? subjectOf(planned.preview) : []
  const whole = { records, ...result, approved: result.outcome !== 'denied' }
  const said = served?.remark ? remarked(whole, served.remark) : whole
  const wording = planned.kind === 'write' && result.outcome === 'done' ? planned.wording : undefined
  return { result: wording ? withWording(said, Object.keys(wording)) : said, changed }
}

function subjectOf({ table, uid, label, page }: PutPreview): RecordName[] {
  if (uid === null) return []
  return [{ table, uid, title: label, page: page.uid }]
}

/**
 * Adds the fields with the user's own words to a result. Field names need no fence, because the tools' schemas allow
 * only letters, digits and a few signs in them.
 */
function withWording(result: Ended['result'], edited: string[]): Ended['result'] {
  const text = `${result.text}\nBefore approving, the user put other words in the place of yours for: ${edited.join(', ')}.`
  return { ...result, text, edited }
}
