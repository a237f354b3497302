import { ulid } from 'ulid'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import * as Log from '../base/log.ts'
import type { Cms } from '../cms/cms.ts'
import { type Conversation, isDue, own, summary } from '../conversation/item.ts'
import * as Legacy from '../conversation/legacy/into-rows.ts'
import { filesOf } from '../conversation/path.ts'
import * as Row from '../conversation/row.ts'
import { isBusy, type MentionName, NextAnswer, SendAnswer, type ViewContext } from '../conversation/schema.ts'
import * as Next from '../conversation/transcript/next.ts'
import * as Waiting from '../conversation/waiting.ts'
import * as File from '../file/file.ts'
import { claimWrites, releaseWrites } from '../file/references.ts'
import { maxFilesPerConversation } from '../file/schema.ts'
import { load } from '../stage/settings/settings.ts'
import * as Idempotency from './idempotency.ts'
import { named } from './mentions.ts'
import { append, checkLength } from './send.ts'
import { type Plan, type ReadAlong, refuseBusy, replayed, restart, type Starter, start } from './start.ts'

/**
 * The messages that a user writes while a turn runs. Each change writes the row of the conversation under the version
 * that was read, so that a message is either in this queue or in the transcript, never in both and never in neither.
 */

/** Most messages of one conversation that may wait. */
export const maxNext = 5

/**
 * A change of the queue. `send` starts a turn with one of its messages at once, or hands it to the turn that runs.
 * `hold` keeps the queue from being sent while its user writes at one of its messages, until they leave it (`edit`,
 * `release`) or go on (`add`, `send`).
 */
export type NextChange = { conversationId: string } & (
  | {
      act: 'add'
      content: string
      fileUid?: number | undefined
      mentions?: readonly MentionName[] | undefined
      viewContext?: ViewContext | undefined
    }
  | { act: 'edit'; id: string; content: string }
  | { act: 'remove'; id: string }
  | { act: 'send'; id: string }
  | { act: 'hold'; id: string }
  | { act: 'release'; id: string }
)

/** Changes the queue; the order of checks is that of a send. */
export async function queue(
  starter: Starter,
  cms: Cms,
  change: NextChange,
  rows: ReadAlong,
): Promise<NextAnswer> {
  const { actor, settings } = starter
  const isEmpty = 'content' in change && change.content.trim() === ''
  if (isEmpty && change.act === 'add' && change.fileUid === undefined) throw new VisibleError('message.empty')
  const known = replayed(starter, NextAnswer, rows.known)
  if (known) return known
  const conversation = own(actor, change.conversationId, rows.conversation)
  if ('content' in change) checkLength(change.content, settings)
  if (change.act === 'send' && !isBusy(conversation.status)) return sendNow(starter, conversation, change.id)
  const edit = await editOf(starter, cms, change)
  const stored = await contend(starter, conversation, edit)
  if (!stored.conversation || !isDue(stored.conversation)) return stored.answer
  // The memory of the request is of the change itself.
  await sendWaiting({ ...starter, request: undefined }, stored.conversation)
  const now = await Row.read(conversation.id)
  return now ? answerOf(now, await Next.all(now)) : stored.answer
}

/** The result of a change: changes of the row, other writes, and the messages that then wait. */
type Edit = (conversation: Conversation, waiting: Next.Waiting[]) => Edited
type Edited = { changes: Row.Changes; writes: Table.Write[]; waiting: Next.Waiting[] }

async function editOf(starter: Starter, cms: Cms, change: NextChange): Promise<Edit> {
  if (change.act === 'add') return adding(starter, cms, change)
  return change.act === 'send' ? handing(change.id) : altering(starter, change)
}

/** Hands a message to the turn that runs. Where that has no further step, the message is the first to be sent at its end. */
function handing(id: string): Edit {
  return (conversation, waiting) => {
    const chosen = conversation.next.filter(([one]) => one === id)
    if (chosen.length === 0) throw new VisibleError('conversation.changed')
    const isNow = (one: string) => conversation.nextNow.includes(one)
    const handed = [...conversation.next.filter(([one]) => isNow(one) && one !== id), ...chosen]
    const next = [...handed, ...conversation.next.filter(([one]) => !isNow(one) && one !== id)]
    const byId = new Map(waiting.map((message) => [message.id, message]))
    return {
      changes: { next, nextNow: handed.map(([one]) => one), nextHeld: false, nextOpen: '' },
      writes: [],
      waiting: next.flatMap(([one]) => byId.get(one) ?? []),
    }
  }
}

async function adding(
  { actor, now }: Starter,
  cms: Cms,
  { content, fileUid, mentions: names, viewContext }: Extract<NextChange, { act: 'add' }>,
): Promise<Edit> {
  const file = fileUid === undefined ? undefined : await File.find(actor, fileUid)
  const mentions = await named(cms, actor, names)
  const id = ulid(now).toLowerCase()
  return (conversation, waiting) => {
    const waitingFiles = conversation.next.filter(([, uid]) => uid > 0).length
    if (file && conversation.files.length + waitingFiles >= maxFilesPerConversation)
      throw new VisibleError('file.limit')
    if (conversation.next.length >= maxNext)
      throw new VisibleError('message.tooManyNext', { params: { max: maxNext } })
    const added = {
      id,
      content,
      ...(fileUid !== undefined && { fileUid }),
      ...(mentions && { mentions }),
      ...(viewContext && { viewContext }),
    }
    return {
      changes: {
        next: [...conversation.next, [id, fileUid ?? 0] as [string, number]],
        nextHeld: false,
        nextOpen: '',
        // A message that was handed to a turn, which was stopped since, waits like any other.
        ...(conversation.nextHeld && { nextNow: [] }),
        archived: false,
        archivedAt: undefined,
      },
      // The claim of the file comes first: its condition says that the file is gone.
      writes: [...(file ? claimWrites(actor, file, conversation.id) : []), Next.put(conversation.id, added)],
      waiting: [...waiting, added],
    }
  }
}

async function altering(
  { actor, now }: Starter,
  change: Exclude<NextChange, { act: 'add' } | { act: 'send' }>,
): Promise<Edit> {
  return (conversation, waiting) => {
    const old = waiting.find(({ id }) => id === change.id)
    const left = conversation.nextOpen === change.id ? { nextOpen: '' } : {}
    if (change.act === 'hold') return { changes: old ? { nextOpen: old.id } : {}, writes: [], waiting }
    if (change.act === 'release') return { changes: left, writes: [], waiting }
    if (change.act === 'remove') {
      const { next, released } = without(conversation, change.id, actor, now)
      return {
        changes: { ...left, next },
        writes: [Next.remove(conversation.id, change.id), ...released],
        waiting: waiting.filter((one) => one !== old),
      }
    }
    // The message was sent or removed meanwhile: the new words are dropped.
    if (!old) throw new VisibleError('conversation.changed')
    if (change.content.trim() === '' && old.fileUid === undefined) throw new VisibleError('message.empty')
    const edited = { ...old, content: change.content }
    return {
      changes: left,
      writes: [Next.put(conversation.id, edited)],
      waiting: waiting.map((one) => (one === old ? edited : one)),
    }
  }
}

/** The waiting messages without one of them, with the writes that release its file if no other message names it. */
function without(conversation: Conversation, id: string, { uid }: { uid: number }, now: number) {
  const next = conversation.next.filter(([other]) => other !== id)
  const fileUid = conversation.next.find(([other]) => other === id)?.[1] ?? 0
  const isNamed = [...filesOf(conversation), ...next.map(([, file]) => file)].includes(fileUid)
  return {
    next,
    released: fileUid > 0 && !isNamed ? releaseWrites(uid, [fileUid], conversation.id, now) : [],
  }
}

/** The answer to a change, with the row if this very request has changed it. */
type Stored = { conversation?: Conversation; answer: NextAnswer }

/** Stores a change of the queue, again on fresh reads while another request or the consumer is quicker. */
async function contend(starter: Starter, conversation: Conversation, edit: Edit): Promise<Stored> {
  const { request, now } = starter
  const attempt = async (current: Conversation): Promise<Stored | undefined> => {
    if (current.deletedAt) throw new VisibleError('conversation.notFound')
    const { changes, writes, waiting } = edit(current, await Next.all(current))
    const { next, write } = Row.change(current, changes)
    const answer = answerOf(next, waiting)
    const memory = request ? [Idempotency.remember(request, answer, now)] : []
    const outcome = await Table.transact([write, ...memory, ...writes])
    if (outcome.done) return { conversation: next, answer }
    if (outcome.failed.includes(0)) return undefined
    if (outcome.failed.includes(1) && request) return repeated(starter)
    throw new VisibleError('file.notFound')
  }
  return Row.contend(conversation, attempt)
}

/** Reads the answer of the same request, which was made in parallel and is done. */
async function repeated(starter: Starter): Promise<Stored | undefined> {
  const { request } = starter
  const row = request && (await Table.get(Idempotency.key(request.uid, request.key)))
  const answer = replayed(starter, NextAnswer, row)
  return answer && { answer }
}

function sendNow(starter: Starter, stored: Conversation, id: string): Promise<NextAnswer> {
  return restart(starter, stored, NextAnswer, async (current) => {
    refuseBusy(current)
    const waiting = await Next.all(current)
    const chosen = waiting.find((one) => one.id === id)
    if (!chosen) throw new VisibleError('conversation.changed')
    const rest = waiting.filter((one) => one !== chosen)
    const plan = await leaving(starter, current, chosen)
    return { ...plan, answer: (conversation) => ({ conversation, next: Next.shown(rest, current) }) }
  })
}

/** The writes that move a message from the queue into the transcript and start its turn. */
async function leaving(
  starter: Starter,
  conversation: Conversation,
  waiting: Next.Waiting,
): Promise<Plan<SendAnswer>> {
  const { id, content, fileUid, mentions, viewContext } = waiting
  const file = fileUid === undefined ? undefined : await File.find(starter.actor, fileUid)
  const plan = await append(
    starter,
    conversation,
    { conversationId: conversation.id, content, fileUid, viewContext },
    { file, mentions },
  )
  return {
    ...plan,
    changes: {
      ...plan.changes,
      next: conversation.next.filter(([one]) => one !== id),
      nextHeld: false,
      nextOpen: '',
      ...(conversation.nextHeld && { nextNow: [] }),
    },
    writes: [...plan.writes, Next.remove(conversation.id, id)],
  }
}

/** Does the same as `follow` for the owner of the conversation, as the CMS knows them now. */
export async function followFor(cms: Cms, conversation: Conversation, now: number): Promise<boolean> {
  if (!isDue(conversation)) return false
  const [actor, settings, row] = await Promise.all([
    cms.user(conversation.owner),
    load(now),
    Table.get(Waiting.key),
  ])
  // The stage accepted the message when its user wrote it: a long queue refuses only new starts.
  const seen = { ...Waiting.decode(row, now), waitMs: 0, waits: {} }
  if (actor) return sendWaiting({ actor, settings, request: undefined, now, seen }, conversation)
  await hold(conversation)
  return false
}

/**
 * Starts the turn of the first message that waits, if one is due; true if it did. A refusal that may pass
 * leaves the message due, and cleanup comes by again; any other holds the queue until the user acts.
 */
async function sendWaiting(starter: Starter, conversation: Conversation): Promise<boolean> {
  try {
    return await Row.contend(conversation, (current) => advance(starter, current))
  } catch (error) {
    if (!(error instanceof VisibleError)) throw error
    Log.warn('A message that waits was not sent', { conversationId: conversation.id, code: error.code })
    if (error.code !== 'user.tooManyActive' && error.kind !== 'unavailable') await hold(conversation)
    return false
  }
}

async function advance(starter: Starter, read: Conversation): Promise<boolean | undefined> {
  if (!isDue(read)) return false
  const conversation = await Legacy.move(read)
  if (!conversation) return undefined
  const [first] = await Next.all(conversation)
  if (!first) {
    await Row.store(conversation, { next: [] })
    return undefined
  }
  const plan = await leaving(starter, conversation, first)
  const row = { ...Row.change(conversation, plan.changes), isNew: false }
  return (await start(starter, row, SendAnswer, plan)) && true
}

/** Keeps the messages that wait until the user sends or removes them. */
async function hold(conversation: Conversation): Promise<void> {
  await Row.contend(conversation, async (read) => (isDue(read) ? Row.store(read, { nextHeld: true }) : read))
}

const answerOf = (conversation: Conversation, waiting: Next.Waiting[]): NextAnswer => ({
  conversation: summary(conversation),
  next: Next.shown(waiting, conversation),
})
