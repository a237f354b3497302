import { ulid } from 'ulid'
import type * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import type { Cms } from '../cms/cms.ts'
import * as Claim from '../conversation/claim.ts'
import { type Conversation, empty, own } from '../conversation/item.ts'
import { tenantOf } from '../conversation/queue.ts'
import { type Mention, type MentionName, SendAnswer, type ViewContext } from '../conversation/schema.ts'
import { noteDropped } from '../conversation/transcript/changes.ts'
import type { Message } from '../conversation/transcript/schema.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import * as File from '../file/file.ts'
import type { File as FileItem } from '../file/item.ts'
import { claimWrites } from '../file/references.ts'
import { maxFilesPerConversation } from '../file/schema.ts'
import type { Settings } from '../stage/settings/schema.ts'
import { endProposal, newId, title } from './conversation.ts'
import { named } from './mentions.ts'
import { type Plan, type ReadAlong, refuseBusy, replayed, restart, type Starter, startNew } from './start.ts'

/** A user's message on its way into a conversation. */
export type Draft = {
  conversationId: string | undefined
  content: string
  fileUid: number | undefined
  mentions?: readonly MentionName[] | undefined
  viewContext: ViewContext | undefined
}

/** The file and the mentions of a message, as they were read. */
export type Read = { file?: FileItem | undefined; mentions?: Mention[] | undefined }

/**
 * Stores the message and queues its conversation, a new one where none is named. Checks come in the order
 * of the contract.
 */
export async function send(starter: Starter, cms: Cms, draft: Draft, rows: ReadAlong): Promise<SendAnswer> {
  const { actor, settings, now } = starter
  if (draft.content.trim() === '' && draft.fileUid === undefined) throw new VisibleError('message.empty')
  const known = replayed(starter, SendAnswer, rows.known)
  if (known) return known
  const conversation =
    draft.conversationId === undefined ? undefined : own(actor, draft.conversationId, rows.conversation)
  checkLength(draft.content, settings)
  const file = draft.fileUid === undefined ? undefined : await File.find(actor, draft.fileUid)
  const read = { file, mentions: await named(cms, actor, draft.mentions) }
  if (conversation)
    return restart(starter, conversation, SendAnswer, (current) => append(starter, current, draft, read))

  const fresh = empty(newId(actor, now), now)
  const plan = await append(starter, fresh, draft, read)
  return startNew(starter, fresh, SendAnswer, plan)
}

/** Refuses a text of more than the allowed number of code points. */
export function checkLength(content: string, { maxMessageLength: max }: Settings): void {
  if (content.length > max && [...content].length > max) {
    throw new VisibleError('message.tooLong', { params: { max }, fields: { content: `at most ${max}` } })
  }
}

/** The message with the fields of its file and its mentions. */
export function userMessage(
  content: string,
  { file, mentions }: Read,
  at: string,
): Omit<Message, 'sequence'> {
  return {
    role: 'user',
    content,
    createdAt: at,
    ...(file && { fileUid: file.fileUid, fileName: file.name, fileMimeType: file.mimeType }),
    ...(mentions && { mentions }),
  }
}

/** A turn that failed may have left no row that names its run. */
export function unanswered(conversation: Conversation): Table.Write[] {
  return conversation.status === 'failed' && conversation.runId !== ''
    ? [noteDropped(conversation.id, conversation.runId)]
    : []
}

/** The writes that store a message behind the others and start its turn; the conversation may be new. */
export async function append(
  starter: Starter,
  stored: Conversation,
  draft: Omit<Draft, 'mentions'>,
  read: Read,
): Promise<Plan<SendAnswer>> {
  const { actor, now } = starter
  const { file } = read
  if (file && stored.files.length >= maxFilesPerConversation) throw new VisibleError('file.limit')
  refuseBusy(stored)
  const at = new Date(now).toISOString()
  const ended = await endProposal(actor, stored, 'superseded', now)
  const sequence = ended.changes.messageCount ?? stored.messageCount
  const message = { ...userMessage(draft.content, read, at), sequence }
  const isFirst = sequence === 0 && !stored.titleFixed
  return {
    changes: {
      ...ended.changes,
      ...Claim.begin(now),
      tenant: tenantOf(actor),
      runId: ulid(now).toLowerCase(),
      messageCount: sequence + 1,
      updatedAt: at,
      viewContext: draft.viewContext,
      archived: false,
      archivedAt: undefined,
      ...(isFirst && { title: title(draft.content, file?.name, read.mentions) }),
      ...(file && { files: [...stored.files, [sequence, file.fileUid]] as [number, number][] }),
    },
    writes: [
      ...(file ? claimWrites(actor, file, stored.id) : []),
      ...ended.writes,
      Transcript.put(stored, message),
      ...unanswered(stored),
    ],
    answer: (conversation) => ({ conversation, sequence }),
    refused: (position) => (file && position === 0 ? new VisibleError('file.notFound') : undefined),
  }
}
