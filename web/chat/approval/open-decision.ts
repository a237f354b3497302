import type { PendingApproval } from '../../../core/conversation/schema.ts'
import * as Decide from '../store/decide.ts'
import { type Conversation, decisionKey, type OpenProposal } from '../store/open-conversation.ts'
import type { View } from '../view/view.ts'
import { rowOf } from './reading-progress.ts'

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
  const { proposal } = view.ui
  if (!proposal) return
  if (isTicked) proposal.unticked.delete(id)
  else proposal.unticked.add(id)
  keepWork(view, proposal)
  view.requestUpdate()
}

/** The user's work on a proposal that survives a reload. */
type Work = Pick<OpenProposal, 'runId' | 'unticked' | 'words'>

/** Returns the names of the drafts that keep the work on the proposal of a run. */
const draftsOf = ({ id }: Conversation, runId: string) => ({
  ticks: `unticked ${id} ${runId}`,
  words: `words ${id} ${runId}`,
})

/** Stores the unticked calls and the user's words, so that they survive a reload. */
export function keepWork(
  { store, conversation }: Pick<View, 'store' | 'conversation'>,
  { runId, unticked, words }: Work,
): void {
  const names = draftsOf(conversation, runId)
  const lines = words ? [words.callId, words.field, words.value] : []
  store.keep({ drafts: { [names.ticks]: [...unticked].join('\n'), [names.words]: lines.join('\n') } })
}

/** Returns the work on a proposal that this browser kept, or a proposal without work. */
function workOf({ store, conversation }: View, { runId, calls }: PendingApproval) {
  const { drafts } = store.memory
  const names = draftsOf(conversation, runId)
  const [callId, field = '', ...lines] = (drafts[names.words] ?? '').split('\n')
  const call = calls.find(({ id }) => id === callId)
  return {
    unticked: new Set((drafts[names.ticks] ?? '').split('\n').filter(Boolean)),
    filter: '',
    wording: call ? rowOf(call, field) : null,
    words: call ? { callId: call.id, field, value: lines.join('\n') } : null,
    reason: null,
  }
}

/**
 * Begins the decision on a proposal, or continues it after a reload or after another conversation was shown. If a proposal
 * replaces an earlier proposal of the same run, the user's work on that proposal stays.
 */
export function beginDecision(view: View, pending: PendingApproval): void {
  const { ui, conversation } = view
  const { digest, runId } = pending
  if (ui.proposal?.digest === digest) return
  const work = conversation.proposals.get(runId) ?? workOf(view, pending)
  const proposal = { ...work, digest, runId, isGuarded: true }
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
  closeWording(view)
  return conversation.transcript.approval
}

/** Closes the field with the user's words. */
export function closeWording(view: View): void {
  const { ui } = view
  ui.setProposal({ wording: null, words: null })
  if (ui.proposal) keepWork(view, ui.proposal)
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
  if (!(await isTaken)) await view.focusDrawn('.approval')
}
