import type { Decision } from '../transcript/pending.ts'
import type { Proposal } from './propose.ts'
import type { Outcome } from './run.ts'
import type { Intent } from './run-item.ts'

/** What the calls of a reply share while they are served. */
export type Served = {
  versions: Proposal['versions']
  /** A write failed: the writes behind it do not run. */
  stopped: boolean
  /** The writes were denied. */
  denied: boolean
  /** What the user said with the decision. */
  remark: string
}

/** The user's decision with the proposal that it was made on, and the writes of that proposal that were begun before. */
export type ProposalDecision = Decision & {
  digest: string
  versions: Proposal['versions']
  begun: Intent[]
}

/** Where an earlier consumer has left off, if there was one. */
export function begin(decision: ProposalDecision | undefined): Served {
  const served: Served = {
    versions: structuredClone(decision?.versions ?? {}),
    stopped: false,
    denied: decision?.approve === false,
    remark: decision?.reason.trim() ?? '',
  }
  for (const { outcome } of decision?.begun ?? []) advance(served, outcome as Outcome | undefined)
  return served
}

/** After a write that was done, later ones expect the record as it was left; after any other, none may run. */
export function advance(served: Served, outcome: Outcome | undefined): void {
  if (outcome?.state === 'called' && !outcome.result.isError) return
  if (outcome?.state !== 'done') {
    served.stopped = true
    return
  }
  for (const versions of Object.values(served.versions)) {
    for (const one of versions) {
      if (one.table === outcome.table && one.uid === outcome.uid) one.version = outcome.version
    }
  }
}
