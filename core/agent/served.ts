import type { ToolError } from '../base/error.ts'
import { referenceOf } from '../cms/change.ts'
import type { Versions } from '../cms/cms.ts'
import type { Decision } from '../conversation/transcript/pending.ts'
import { batchOf, notRun } from '../conversation/transcript/schema.ts'
import { decide, type GateFacts, reasonText } from './gate.ts'
import type { PlannedCall, PlannedWrite } from './plan.ts'
import { definitionOf, type Proposal } from './proposal.ts'
import type { Intent } from './run-record.ts'
import type { Outcome, StoredOutcome } from './write-outcome.ts'

/** The state that the calls of a reply share while they are carried out. */
export type Served = {
  versions: Proposal['versions']
  definitions: Proposal['definitions']
  /** The id of the call or batch whose write failed. Later writes do not run, except writes of the same batch. */
  failed: string | undefined
  /** The records that calls have changed, by call id. */
  places: Map<string, Versions[number]>
  /** True if it is unknown how a write ended; then no other write runs. */
  stopped: boolean
  /** Returns true if the user denied the call. */
  denied(id: string): boolean
  /** The user's remark about the decision. */
  remark: string
  /** The user's answer to the question that the model asked in its reply. */
  answer: string
}

/** The user's decision, the proposal that the user decided on, and the writes of that proposal that have begun. */
export type ProposalDecision = Decision & Omit<Proposal, 'calls'> & { begun: Intent[] }

/** Returns the state at which an earlier consumer stopped, or the initial state. */
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

/**
 * Notes how a write ended. After a success, later writes expect the record's new version; after a failure, other calls
 * may not write.
 */
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

/** The reason why a call does not run although the user approved the proposal, as the model reads it. */
type Withheld = {
  text: string
  outcome: ToolError['outcome']
  /** True if the user was asked about the call. Its result then also reports the decision. */
  isDecided: boolean
  /** True if the later writes of the approval must not run either. */
  isFailure: boolean
}

/**
 * Checks a call that the user did not deny against the approval and the current rules. Returns the reason if the call
 * must not run, else undefined.
 */
export function withheld(
  planned: PlannedWrite | PlannedCall,
  served: Served,
  facts: GateFacts,
): Withheld | undefined {
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

/** Returns true if a call must not run because an earlier write failed or has an unknown outcome. */
export function isHeld({ failed, stopped }: Served, callId: string): boolean {
  return stopped || (failed !== undefined && failed !== batchOf(callId))
}
