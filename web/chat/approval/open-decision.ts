import type { PendingApproval } from '../../../core/conversation/schema.ts'
import * as Decide from '../store/decide.ts'
import { decisionKey } from '../store/open-conversation.ts'
import type { View } from '../view/view.ts'

/** Clicks within this time after the card appeared or changed are ignored, in milliseconds. */
const guardMs = 500

const none: ReadonlySet<string> = new Set()

/**
 * Returns the calls of the shown proposal that will not run: the unticked calls, and the calls that need one of them.
 */
export function unticked({ ui, conversation }: View): ReadonlySet<string> {
  const own = ui.proposal?.unticked ?? none
  if (own.size === 0) return own
  const all = new Set(own)
  // The list contains each call after the call that it needs, so one pass finds all calls.
  for (const { id, needs } of conversation.transcript.approval?.calls ?? [])
    if (needs !== undefined && all.has(needs)) all.add(id)
  return all
}

/** Ticks or unticks a call of the shown proposal. */
export function tick(view: View, id: string, isTicked: boolean): void {
  if (isTicked) view.ui.proposal?.unticked.delete(id)
  else view.ui.proposal?.unticked.add(id)
  view.requestUpdate()
}

/**
 * Begins the decision on a proposal, or continues it after the user has seen another conversation. If a proposal
 * replaces an earlier proposal of the same run, the user's work on that proposal stays.
 */
export function beginDecision(view: View, { digest, runId }: PendingApproval): void {
  const { ui, conversation } = view
  if (ui.proposal?.digest === digest) return
  const begun = { unticked: new Set<string>(), filter: '', wording: null, words: null, reason: null }
  const proposal = { ...(conversation.proposals.get(runId) ?? begun), digest, runId, isGuarded: true }
  ui.proposal = proposal
  conversation.proposals.set(runId, proposal)
  setTimeout(() => {
    proposal.isGuarded = false
    view.requestUpdate()
  }, guardMs)
}

/**
 * Stores the words that the user is editing, and returns the proposal with them; null if the stage refuses them. The
 * proposal can be decided only after the answer.
 */
export async function keepWords(view: View, pending: PendingApproval | null): Promise<typeof pending> {
  const { ui, store, conversation } = view
  const { proposal } = ui
  const words = proposal?.words
  if (!pending || !words || !pending.calls.some(({ id }) => id === words.callId)) return pending
  proposal.isGuarded = true
  const isKept = await Decide.amend(store, conversation, pending, words)
  proposal.isGuarded = false
  if (!isKept || view.conversation !== conversation) return null
  ui.setProposal({ wording: null, words: null })
  return conversation.transcript.approval
}

/**
 * Moves the focus to the row of a decision, which the store shows at once. `isTaken` resolves to false if the stage
 * refuses the decision; the focus then moves back to the card.
 */
export async function focusOutcome(
  view: View,
  { runId, calls }: PendingApproval,
  isTaken: Promise<boolean>,
): Promise<void> {
  await Promise.resolve()
  await view.focusDrawn(`[data-outcome="${decisionKey(runId, calls[0]?.id ?? '')}"]`)
  if (!(await isTaken)) view.find('.approval')?.focus()
}
