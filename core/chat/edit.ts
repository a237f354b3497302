import { intentStoreOf } from '../agent/undo/intent-store.ts'
import { countUndoable } from '../agent/undo/undo.ts'
import { VisibleError } from '../base/error.ts'
import type { Cms } from '../cms/cms.ts'
import type { Conversation } from '../conversation/item.ts'
import { fork, maxLeft } from '../conversation/path.ts'
import * as Row from '../conversation/row.ts'
import type { EditAnswer } from '../conversation/schema.ts'
import * as Written from '../conversation/transcript/changes.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import { title } from './conversation.ts'
import type { EditBody } from './request.ts'
import { checkLength, refuseEmpty, unanswered } from './send.ts'
import { newTurn, type Plan, restart, type Starter } from './start.ts'
import { leave } from './version.ts'

/**
 * Replaces a message of the user, keeps its file, and starts a new turn. The old message and everything after it stay
 * as another version. One conditional write does this, however long the transcript is. `droppedRuns` names the turns
 * that changed records and are not in the new version. Rejects with `conversation.changed` if the message does not have
 * the expected text.
 */
export async function edit(
  starter: Starter,
  cms: Cms,
  conversation: Conversation,
  change: EditBody,
): Promise<EditAnswer> {
  checkLength(change.content, starter.settings)
  return restart(starter, conversation, (current) => plan(starter, cms, change, current))
}

async function plan(
  starter: Starter,
  cms: Cms,
  { sequence, content, expectedContent, viewContext }: EditBody,
  stored: Conversation,
): Promise<Plan<EditAnswer>> {
  refuseEmpty(content, stored.files.find(([at]) => at === sequence)?.[1])
  Row.refuseBusy(stored)
  const old = await Transcript.at(stored, sequence)
  if (old?.role !== 'user' || old.content !== expectedContent) throw new VisibleError('conversation.changed')
  const { actor, now } = starter
  if (stored.left.length >= maxLeft)
    throw new VisibleError('message.tooManyVersions', { params: { max: maxLeft } })
  const droppedRuns = await changes(starter, cms, await Written.behind(stored, sequence))
  const turn = newTurn(starter)
  const leaving = await leave(actor, stored, 'superseded', now)
  const cut = stored.cut + 1
  const path = fork(stored.path, sequence, cut)
  return {
    changes: {
      ...leaving.changes,
      ...turn,
      messageCount: sequence + 1,
      cut,
      path,
      viewContext,
      files: stored.files.filter(([at]) => at <= sequence),
      ...(sequence === 0 && !stored.titleFixed && { title: title(content, old.fileName, old.mentions) }),
    },
    writes: [
      ...leaving.writes,
      Transcript.put({ id: stored.id, path }, { ...old, content, createdAt: turn.updatedAt }),
      ...unanswered(stored),
    ],
    answer: (conversation) => ({ conversation, sequence, ...(droppedRuns.length > 0 && { droppedRuns }) }),
  }
}

async function changes(
  { actor, now }: Starter,
  cms: Cms,
  runIds: string[],
): Promise<{ runId: string; changes: number }[]> {
  const counted = await Promise.all(
    runIds.map(async (runId) => {
      const store = intentStoreOf({ owner: actor.uid, runId, expiresAt: undefined }, now)
      return { runId, changes: await countUndoable({ actor, cms, runId, store }) }
    }),
  )
  return counted.filter((run) => run.changes > 0)
}
