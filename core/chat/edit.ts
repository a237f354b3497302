import { ulid } from 'ulid'
import * as Table from '../aws/table.ts'
import type { Cms } from '../cms/cms.ts'
import * as Claim from '../conversation/claim.ts'
import { type Conversation, summary } from '../conversation/item.ts'
import type { ViewContext } from '../conversation/schema.ts'
import { VisibleError } from '../error.ts'
import { releaseWrites } from '../file/references.ts'
import * as Activity from '../transcript/activity.ts'
import * as Written from '../transcript/changes.ts'
import { ending } from '../transcript/ending.ts'
import * as Transcript from '../transcript/transcript.ts'
import * as Conversations from './conversation.ts'
import { checkLength, type Sent, unanswered } from './send.ts'
import { type Plan, type ReadAlong, refuseBusy, replayed, restart, type Starter } from './start.ts'
import { title } from './title.ts'

export type Edit = {
  conversationId: string
  sequence: number
  content: string
  /** What the editor saw there; another text means that the conversation has changed meanwhile. */
  expectedContent: string
  viewContext: ViewContext | undefined
}

export type Edited = Sent & { droppedRuns?: { runId: string; changes: number }[] }

/**
 * Replaces a message of the user, which keeps its file, drops all messages after it, and starts a new turn. It is one
 * conditional write for a transcript of any length; the consumer removes the dropped rows. `droppedRuns` names the
 * dropped turns that changed records.
 */
export async function edit(starter: Starter, cms: Cms, change: Edit, rows: ReadAlong): Promise<Edited> {
  const { actor, settings } = starter
  const known = replayed<Edited>(starter, rows.known)
  if (known) return known
  const it = Conversations.own(actor, change.conversationId, rows.conversation)
  checkLength(change.content, settings)
  return restart(starter, it, (current) => plan(starter, cms, change, current))
}

async function plan(
  starter: Starter,
  cms: Cms,
  { sequence, content, expectedContent, viewContext }: Edit,
  it: Conversation,
): Promise<Plan<Edited>> {
  refuseBusy(it)
  const old = await Transcript.at(it, sequence)
  if (old?.role !== 'user' || old.content !== expectedContent) throw new VisibleError('conversation.changed')
  const { actor, now } = starter
  if (content.trim() === '' && old.fileUid === undefined) throw new VisibleError('message.empty')

  const { runIds, forget } = await Written.behind(it.id, sequence)
  const droppedRuns = await changes(actor, cms, runIds)
  const { pending } = it.awaitingUntil ? await Transcript.beside(it) : { pending: undefined }
  const kept = it.files.filter(([at]) => at <= sequence)
  const keptUids = new Set([...kept, ...it.next].map(([, fileUid]) => fileUid))
  const dropped = it.files.map(([, fileUid]) => fileUid).filter((fileUid) => !keptUids.has(fileUid))
  const at = new Date(now).toISOString()
  const cut = it.cut + 1
  // Readers count steps that a lost consumer stored beside the row: the cut must be newer than what they saw.
  const steps = Activity.decode(await Table.get(Activity.key(it.id)), it)
  const version = summary(it, steps.version).version + 1
  const ended = ending(it, { status: 'idle', pending }, now)
  return {
    changes: {
      ...ended.changes,
      ...Claim.begin(now),
      version,
      activityVersion: Math.max(it.activityVersion, steps.version),
      runId: ulid(now).toLowerCase(),
      messageCount: sequence + 1,
      cut,
      cutVersion: version,
      sweptTo: Math.max(it.sweptTo, it.messageCount),
      viewContext,
      files: kept,
      archived: false,
      archivedAt: undefined,
      ...(sequence === 0 && !it.titleFixed && { title: title(content, old.fileName) }),
    },
    writes: [
      Transcript.put(it.id, { ...old, content, createdAt: at }, cut),
      ...ended.writes,
      ...releaseWrites(actor.uid, dropped, it.id, now),
      ...forget,
      ...unanswered(it),
    ],
    answer: (conversation) => ({
      conversation,
      sequence,
      ...(droppedRuns.length > 0 && { droppedRuns }),
    }),
  }
}

async function changes(
  actor: Starter['actor'],
  cms: Cms,
  runIds: string[],
): Promise<{ runId: string; changes: number }[]> {
  const counted = await Promise.all(
    runIds.map(async (runId) => ({ runId, changes: await cms.changesOf(actor, runId) })),
  )
  return counted.filter((run) => run.changes > 0)
}
