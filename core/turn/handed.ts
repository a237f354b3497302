import { Stopped } from '../agent/journal.ts'
import { VisibleError } from '../base/error.ts'
import { userMessage } from '../chat/send.ts'
import * as Claim from '../conversation/claim.ts'
import type { Conversation } from '../conversation/item.ts'
import * as Next from '../conversation/transcript/next.ts'
import type { Message } from '../conversation/transcript/schema.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import * as File from '../file/file.ts'
import type { File as FileItem } from '../file/item.ts'
import type { Work } from './work.ts'

/**
 * Takes up the messages that the user has handed to the running turn. They go behind the results of its last calls, so
 * that the next request has results and words in one message of the user. The row changes only where the queue is as it
 * was read: a message is in the queue or in the transcript, never in both.
 */
export async function takeUpHanded(work: Work, reread: () => Promise<void>): Promise<void> {
  const { hold } = work
  if (!hold.isHanded) return
  hold.isHanded = false
  let taken: Message[] = []
  const plan = async (conversation: Conversation) => {
    const { messages, ...stored } = await takingUp(work, conversation)
    taken = messages
    return stored
  }
  if (!(await Claim.contend(hold, plan, work.now()))) throw new Stopped('lost')
  work.rows.push(...taken)
  if (taken.some(({ fileUid, mentions }) => fileUid !== undefined || mentions)) await reread()
}

async function takingUp(work: Work, conversation: Conversation) {
  const { nextNow, nextHeld, nextOpen } = conversation
  const isHanded = ({ id }: Next.Waiting) => !nextHeld && id !== nextOpen && nextNow.includes(id)
  const handed = (await Next.all(conversation)).filter(isHanded)
  const files = await filesOf(work, handed)
  // A message whose file is gone waits like any other: its user is told when it is to be sent.
  const waiting = handed.filter(({ fileUid }) => fileUid === undefined || files.has(fileUid))
  const messages = waiting.map(({ content, fileUid = 0, mentions }, at) => ({
    ...userMessage(content, { file: files.get(fileUid), mentions }, work.at()),
    sequence: conversation.messageCount + at,
  }))
  const ids = new Set(waiting.map(({ id }) => id))
  const named = messages.flatMap(({ sequence, fileUid }): [number, number][] =>
    fileUid === undefined ? [] : [[sequence, fileUid]],
  )
  return {
    messages,
    changes: {
      next: conversation.next.filter(([id]) => !ids.has(id)),
      nextNow: nextNow.filter((id) => !ids.has(id) && id === nextOpen),
      messageCount: conversation.messageCount + messages.length,
      files: [...conversation.files, ...named],
      viewContext: waiting.at(-1)?.viewContext ?? conversation.viewContext,
    },
    writes: [
      ...messages.map((message) => Transcript.put(conversation, message)),
      ...waiting.map(({ id }) => Next.remove(conversation.id, id)),
    ],
  }
}

/** The files of messages that wait, by uid; those that are gone are missing. */
async function filesOf({ actor }: Work, waiting: Next.Waiting[]): Promise<Map<number, FileItem>> {
  const uids = waiting.flatMap(({ fileUid }) => fileUid ?? [])
  const files = await Promise.all(
    uids.map((uid) =>
      File.find(actor, uid).catch((error: unknown) => {
        if (error instanceof VisibleError && error.code === 'file.notFound') return undefined
        throw error
      }),
    ),
  )
  return new Map(files.flatMap((file) => (file ? [[file.fileUid, file]] : [])))
}
