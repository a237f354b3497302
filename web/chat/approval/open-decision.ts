import type { PendingApproval } from '../../../core/conversation/schema.ts'
import * as Decide from '../store/decide.ts'
import { type Conversation, decisionKey, type OpenProposal } from '../store/open-conversation.ts'
import type { View } from '../view/view.ts'
import { rowOf } from './reading-progress.ts'

/** Clicks within this time after the card appeared or changed are ignored, in milliseconds. */
const guardMs = 500

/**
 * Returns the calls of the shown proposal that will not run: the unticked calls, and the calls that need one of them.
 */
export function unticked({ ui, conversation }: View): ReadonlySet<string> {
  const own = ui.proposal?.unticked ?? new Set<string>()
  if (own.size === 0) return own
  const all = new Set(own)
  // The list contains each call after the call that it needs, so one pass finds all calls.
  for (const { id, needs } of conversation.transcript.approval?.calls ?? [])
    if (needs !== undefined && all.has(needs)) all.add(id)
  return all
}

/** Ticks or unticks a call of the shown proposal. */
export function tick(view: View, id: string, isTicked: boolean): void {
  const others = [...(view.ui.proposal?.unticked ?? [])].filter((one) => one !== id)
  setWork(view, { unticked: new Set(isTicked ? others : [...others, id]) })
}

/** The user's work on a proposal that survives a reload. */
type Work = Pick<OpenProposal, 'runId' | 'key' | 'unticked' | 'words' | 'reason'>

/** Returns the key of the decision on a proposal or on a question. */
export const decisionOf = ({ runId, calls }: PendingApproval): string =>
  decisionKey(runId, calls[0]?.id ?? '')

/**
 * Returns the names of the drafts that keep the work on a proposal. Ticks and words name their calls. A reason does not,
 * so it has the key of the decision: it must not reach a later proposal of the run.
 */
const draftsOf = ({ id }: Conversation, { runId, key }: Pick<Work, 'runId' | 'key'>) => ({
  ticks: `unticked ${id} ${runId}`,
  wording: `words ${id} ${runId}`,
  why: `reason ${id} ${key}`,
})

/** Stores the unticked calls, the user's words and the reason of a denial, so that they survive a reload. */
export function keepWork({ store, conversation }: Pick<View, 'store' | 'conversation'>, work: Work): void {
  const { unticked, words, reason } = work
  const { ticks, wording, why } = draftsOf(conversation, work)
  const lines = words ? [words.callId, words.field, words.value] : []
  const drafts = { [ticks]: [...unticked].join('\n'), [wording]: lines.join('\n'), [why]: reason ?? '' }
  store.keep({ drafts })
}

/** Changes the user's work on the shown proposal, stores it, and draws it. */
export function setWork(view: View, change: Partial<OpenProposal>): void {
  view.ui.setProposal(change)
  if (view.ui.proposal) keepWork(view, view.ui.proposal)
}

/** Returns the work on a proposal that this browser kept, or a proposal without work. */
function workOf({ store, conversation }: View, pending: PendingApproval) {
  const { drafts } = store.memory
  const { runId, calls } = pending
  const key = decisionOf(pending)
  const { ticks, wording, why } = draftsOf(conversation, { runId, key })
  const [callId, field = '', ...lines] = (drafts[wording] ?? '').split('\n')
  const call = calls.find(({ id }) => id === callId)
  return {
    runId,
    key,
    unticked: new Set((drafts[ticks] ?? '').split('\n').filter(Boolean)),
    filter: '',
    wording: call ? rowOf(call, field) : null,
    words: call ? { callId: call.id, field, value: lines.join('\n') } : null,
    reason: drafts[why] || null,
  }
}

/**
 * Begins the decision on a proposal, or continues it after a reload or after another conversation was shown. If the
 * stage replaces the proposal by a fresh one, the user's work on it stays.
 */
export function beginDecision(view: View, pending: PendingApproval): void {
  const { ui, conversation } = view
  if (ui.proposal?.digest === pending.digest) return
  const work = conversation.proposals.get(decisionOf(pending)) ?? workOf(view, pending)
  const proposal = { ...work, digest: pending.digest, isGuarded: true }
  ui.proposal = proposal
  conversation.proposals.set(proposal.key, proposal)
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
  setWork(view, { wording: null, words: null })
  return conversation.transcript.approval
}

/**
 * Moves the focus to the row of a decision, which the store shows at once. `isTaken` resolves to false if the stage
 * refuses the decision; the focus then moves back to the card.
 */
export async function focusOutcome(
  view: View,
  pending: PendingApproval,
  isTaken: Promise<boolean>,
): Promise<void> {
  await Promise.resolve()
  await view.focusDrawn(`[data-outcome="${decisionOf(pending)}"]`)
  if (!(await isTaken)) await view.focusDrawn('.approval')
}
