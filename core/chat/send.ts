import type { Actor } from '../base/actor.ts'
import type * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { trimUnseen } from '../base/safety/invisible.ts'
import type { Cms } from '../cms/cms.ts'
import { type Conversation, empty } from '../conversation/item.ts'
import * as Row from '../conversation/row.ts'
import type { Mention, SendAnswer, ViewContext } from '../conversation/schema.ts'
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
import type { SendBody } from './request.ts'
import { newTurn, type Plan, restart, type Starter, startNew } from './start.ts'

/** The file and the mentions of a message, as read from the table and the CMS. */
type Read = { file?: FileItem | undefined; mentions?: Mention[] | undefined }

/** A message to append to a conversation. */
type Draft = Read & { content: string; viewContext?: ViewContext | undefined }

/**
 * Stores the message and queues its conversation; creates a conversation if none is given. The checks have the order of
 * the contract.
 */
export async function send(
  starter: Starter,
  cms: Cms,
  stored: Conversation | undefined,
  { content = '', fileUid, mentions, viewContext }: SendBody,
): Promise<SendAnswer> {
  const { actor, settings, now } = starter
  checkLength(content, settings)
  const file = await fileOf(actor, fileUid)
  const draft = { content, viewContext, file, mentions: await named(cms, actor, mentions) }
  if (stored) return restart(starter, stored, (current) => append(starter, current, draft))
  const fresh = empty(newId(actor, now), now)
  return startNew(starter, fresh, await append(starter, fresh, draft))
}

/** Throws `message.empty` for a message with neither visible text nor file. */
export function refuseEmpty(content: string, fileUid: number | undefined): void {
  if (trimUnseen(content) === '' && fileUid === undefined) throw new VisibleError('message.empty')
}

/** Returns the file that a message of the actor names. Rejects with `file.notFound`. */
export async function fileOf(actor: Actor, fileUid: number | undefined): Promise<FileItem | undefined> {
  return fileUid === undefined ? undefined : File.find(actor, fileUid)
}

/** Throws `message.tooLong` for a text with more code points than the settings allow. */
export function checkLength(content: string, { maxMessageLength: max }: Settings): void {
  if (content.length > max && [...content].length > max)
    throw new VisibleError('message.tooLong', { params: { max }, fields: { content: `at most ${max}` } })
}

/** Returns a user message with the fields of its file and its mentions. */
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

/** Returns the write that notes the run of a failed turn, because no row of the transcript may name it. */
export function unanswered(conversation: Conversation): Table.Write[] {
  return conversation.status === 'failed' && conversation.runId !== ''
    ? [noteDropped(conversation.id, conversation.runId)]
    : []
}

/** Returns the plan that appends a message and starts its turn; the conversation may be new. */
export async function append(
  starter: Starter,
  stored: Conversation,
  { content, viewContext, file, mentions }: Draft,
): Promise<Plan<SendAnswer>> {
  const { actor, now } = starter
  if (file && stored.files.length >= maxFilesPerConversation) throw new VisibleError('file.limit')
  Row.refuseBusy(stored)
  const turn = newTurn(starter)
  const ended = await endProposal(actor, stored, 'superseded', now)
  const sequence = ended.changes.messageCount ?? stored.messageCount
  const message = { ...userMessage(content, { file, mentions }, turn.updatedAt), sequence }
  const isFirst = sequence === 0 && !stored.titleFixed
  return {
    changes: {
      ...ended.changes,
      ...turn,
      messageCount: sequence + 1,
      viewContext,
      ...(isFirst && { title: title(content, file?.name, mentions) }),
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
