import type { ToolError } from '../base/error.ts'
import { referenceOf } from '../cms/change.ts'
import type { Versions } from '../cms/cms.ts'
import type { Decision } from '../conversation/transcript/pending.ts'
import { batchOf, notRun } from '../conversation/transcript/schema.ts'
import { decide, type GateFacts, reasonText } from './gate.ts'
import type { Effect } from './plan.ts'
import { definitionOf, type Proposal } from './proposal.ts'
import type { Intent } from './run-record.ts'
import type { Outcome, StoredOutcome } from './write-outcome.ts'

/** The state that the calls of a reply share while they are served. */
export type Served = {
  versions: Proposal['versions']
  definitions: Proposal['definitions']
  /** The call, or the batch, whose write failed: the writes behind it do not run, the other singles of the batch do. */
  failed: string | undefined
  /** The records that calls have left, by call id. */
  places: Map<string, Versions[number]>
  /** True when it is not known how a write ended: no other write runs then. */
  stopped: boolean
  /** True if the user denied the write of a call. */
  denied(id: string): boolean
  /** The remark of the user about the decision. */
  remark: string
  /** The user's answer to the question of the reply. */
  answer: string
}

/** The user's decision with the proposal that it was made on, and the writes of that proposal that were begun before. */
export type ProposalDecision = Decision & Omit<Proposal, 'calls'> & { begun: Intent[] }

/** The point at which an earlier consumer stopped, if there was one. */
export function begin(decision: ProposalDecision | undefined): Served {
  const denied = new Set(decision?.denied)
  const served: Served = {
    versions: structuredClone(decision?.versions ?? {}),
    definitions: decision?.definitions ?? {},
    failed: undefined,
    places: new Map(),
    stopped: false,
    denied: (id) => decision?.approve === false || denied.has(id),
    remark: decision?.reason.trim() ?? '',
    answer: decision?.answer ?? '',
  }
  const begun = (decision?.begun ?? []).toSorted((a, b) => a.order - b.order)
  for (const { callId, outcome } of begun) advance(served, callId, outcome)
  return served
}

/** After a write that succeeded, later ones expect the record as it left it; after a write that failed, other calls may not write. */
export function advance(served: Served, callId: string, outcome: Outcome | StoredOutcome | undefined): void {
  if (outcome?.state === 'called' && !outcome.result.isError) return
  if (outcome?.state !== 'done') {
    served.failed ??= batchOf(callId)
    served.stopped ||= outcome === undefined
    return
  }
  const { table, uid, version } = outcome
  if (uid !== null) served.places.set(callId, { table, uid, version })
  for (const one of [...served.places.values(), ...Object.values(served.versions).flat()])
    if (one.table === table && one.uid === uid) one.version = version
}

/** Why a call does not run although the user approved the proposal, as the model reads it. */
export type Withheld = {
  text: string
  outcome: ToolError['outcome']
  /** True if the call was shown to the user, so that its result tells of the decision. */
  isDecided: boolean
  /** True if the later writes of the approval do not run either. */
  isFailure: boolean
}

/** The reason not to run a call that the user did not deny, by the rules of this moment; undefined if it may run. */
export function withheld(planned: Effect, served: Served, facts: GateFacts): Withheld | undefined {
  const { id } = planned.call
  const shown = { outcome: 'notRun', isDecided: true, isFailure: true } as const
  // A call that could not be shown was not part of the decision, even if it could be shown now.
  if (!Object.hasOwn(served.versions, id))
    return { ...shown, text: `${notRun}it was not part of the approval.`, isDecided: false, isFailure: false }
  if (definitionOf(planned) !== served.definitions[id]) {
    const text = `${notRun}it would no longer do what was approved. Propose it again.`
    return { ...shown, text, outcome: 'conflict' }
  }
  if (planned.kind === 'write' && planned.needs && !served.places.has(planned.needs)) {
    const why = served.denied(planned.needs) ? 'the user did not approve' : 'was not created'
    const text = `${notRun}it needs ${referenceOf(planned.change)}, which ${why}.`
    return { ...shown, text, isFailure: false }
  }
  if (isHeld(served, id))
    return { ...shown, text: `${notRun}an earlier change of the same approval failed.`, isFailure: false }
  const gate = decide(planned.tool, facts)
  if (!gate.allowed) return { ...shown, text: reasonText(gate.reason, 'en'), outcome: 'notPermitted' }
  if (planned.kind === 'write' && planned.drafts !== facts.drafts)
    return { ...shown, text: `${notRun}the rules on drafts changed meanwhile. Propose it again.` }
  return undefined
}

/** True if a call must not run because of an earlier one. */
export function isHeld({ failed, stopped }: Served, callId: string): boolean {
  return stopped || (failed !== undefined && failed !== batchOf(callId))
}
