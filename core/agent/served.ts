import type { Decision } from '../conversation/transcript/pending.ts'
import { batchOf } from '../conversation/transcript/schema.ts'
import type { Proposal } from './proposal.ts'
import type { Intent } from './run-item.ts'
import type { Outcome, StoredOutcome } from './write-outcome.ts'

/** The state that the calls of a reply share while they are served. */
export type Served = {
  versions: Proposal['versions']
  definitions: Proposal['definitions']
  /** The call, or the batch, whose write failed: the writes behind it do not run, the other singles of the batch do. */
  failed: string | undefined
  /** True when it is not known how a write ended: no other write runs then. */
  stopped: boolean
  /** True if the user denied the write of a call. */
  denied(id: string): boolean
  /** The user's remark with the decision. */
  remark: string
  /** The user's answer to the question of the reply. */
  answer: string
}

/** The user's decision with the proposal that it was made on, and the writes of that proposal that were begun before. */
export type ProposalDecision = Decision & {
  digest: string
  versions: Proposal['versions']
  definitions: Proposal['definitions']
  begun: Intent[]
}

/** The point at which an earlier consumer stopped, if there was one. */
export function begin(decision: ProposalDecision | undefined): Served {
  const denied = new Set(decision?.denied)
  const served: Served = {
    versions: structuredClone(decision?.versions ?? {}),
    definitions: decision?.definitions ?? {},
    failed: undefined,
    stopped: false,
    denied: (id) => decision?.approve === false || denied.has(id),
    remark: decision?.reason.trim() ?? '',
    answer: decision?.answer ?? '',
  }
  for (const { callId, outcome } of decision?.begun ?? []) advance(served, callId, outcome)
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
  for (const versions of Object.values(served.versions)) {
    for (const one of versions) {
      if (one.table === outcome.table && one.uid === outcome.uid) one.version = outcome.version
    }
  }
}

/** True if a call must not run because of an earlier one. */
export function isHeld({ failed, stopped }: Served, callId: string): boolean {
  return stopped || (failed !== undefined && failed !== batchOf(callId))
}
