import { ulid } from 'ulid'
import type { Actor } from '../base/actor.ts'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import * as Log from '../base/log.ts'
import type { Cms } from '../cms/cms.ts'
import { type Conversation, isDue, summary } from '../conversation/item.ts'
import * as Legacy from '../conversation/legacy/into-rows.ts'
import { filesOf } from '../conversation/path.ts'
import * as Row from '../conversation/row.ts'
import { isBusy, type NextAnswer } from '../conversation/schema.ts'
import * as Next from '../conversation/transcript/next.ts'
import * as Waiting from '../conversation/waiting.ts'
import { claimWrites, releaseWrites } from '../file/references.ts'
import { maxFilesPerConversation } from '../file/schema.ts'
import { load } from '../stage/settings/settings.ts'
import * as Idempotency from './idempotency.ts'
import { named } from './mentions.ts'
import type { NextBody } from './request.ts'
import { append, checkLength, fileOf, refuseEmpty } from './send.ts'
import { type Starter, start } from './start.ts'

/**
 * The messages that a user writes while a turn runs. Each change is stored only if the conversation's row still has the
 * version that was read. So a message is always either in this queue or in the transcript.
 */

/** The maximum number of waiting messages of one conversation. */
const maxNext = 5
/** The time after the last `hold` from which its message is sent all the same, in milliseconds. */
export const openMs = 10 * 60_000

/**
 * Changes the queue; the checks have the same order as for a send. `send` starts a turn with a waiting message at once,
 * or gives the message to the running turn. `hold` stops the queue while the user edits a waiting message. The queue
 * goes on after `edit`, `release`, `add` or `send`.
 */
export async function queue(
  starter: Starter,
  cms: Cms,
  conversation: Conversation,
  change: NextBody,
): Promise<NextAnswer> {
  if ('content' in change) checkLength(change.content, starter.settings)
  const edit = change.act === 'add' ? await adding(starter, cms, change) : altering(starter, change)
  const stored = await contend(starter, conversation, edit, change.act === 'send' ? change.id : undefined)
  if (!isDue(stored.conversation, starter.now)) return stored.answer
  // The idempotency record belongs to the change, not to this send.
  await sendWaiting({ ...starter, request: undefined }, stored.conversation)
  const now = await Row.read(conversation.id)
  return now ? answerOf(now, await Next.all(now)) : stored.answer
}

/** The result of a change: changes of the row, other writes, and the messages that wait afterwards. */
type Edit = (conversation: Conversation, waiting: Next.Waiting[]) => Edited
type Edited = { changes: Row.Changes; writes?: Table.Write[]; waiting?: Next.Waiting[] }

async function adding(
  { actor, now }: Starter,
  cms: Cms,
  { content, fileUid, mentions: names, viewContext }: Extract<NextBody, { act: 'add' }>,
): Promise<Edit> {
  const file = await fileOf(actor, fileUid)
  const mentions = await named(cms, actor, names)
  const id = ulid(now).toLowerCase()
  const added = {
    id,
    content,
    ...(fileUid !== undefined && { fileUid }),
    ...(mentions && { mentions }),
    ...(viewContext && { viewContext }),
  }
  return ({ id: conversationId, next, files, nextHeld }, waiting) => {
    const waitingFiles = next.filter(([, uid]) => uid > 0).length
    if (file && files.length + waitingFiles >= maxFilesPerConversation) throw new VisibleError('file.limit')
    if (next.length >= maxNext) throw new VisibleError('message.tooManyNext', { params: { max: maxNext } })
    return {
      changes: {
        ...goingOn(nextHeld),
        next: [...next, [id, fileUid ?? 0]],
        archived: false,
        archivedAt: undefined,
      },
      // The file's claim must be the first write: if it fails, the file is gone.
      writes: [...(file ? claimWrites(actor, file, conversationId) : []), Next.put(conversationId, added)],
      waiting: [...waiting, added],
    }
  }
}

/**
 * Returns the row changes that let the queue go on. Messages that were given to a stopped turn then wait like any other
 * message.
 */
const goingOn = (wasHeld: boolean): Row.Changes => ({
  nextHeld: false,
  nextOpen: '',
  ...(wasHeld && { nextNow: [] }),
})

function altering({ actor, now }: Starter, change: Exclude<NextBody, { act: 'add' }>): Edit {
  const { id } = change
  return (conversation, waiting) => {
    const old = waiting.find((one) => one.id === id)
    const left = conversation.nextOpen === id ? { nextOpen: '' } : {}
    if (change.act === 'send') return handing(conversation, waiting, id)
    if (change.act === 'hold') {
      const nextOpenUntil = new Date(now + openMs).toISOString()
      return { changes: old ? { nextOpen: id, nextOpenUntil } : {} }
    }
    if (change.act === 'release') return { changes: left }
    if ('content' in change) {
      // The message was sent or removed meanwhile, so the new words have no message.
      if (!old) throw new VisibleError('conversation.changed')
      refuseEmpty(change.content, old.fileUid)
      const edited = { ...old, content: change.content }
      return {
        changes: left,
        writes: [Next.put(conversation.id, edited)],
        waiting: waiting.map((one) => (one === old ? edited : one)),
      }
    }
    return {
      changes: { ...left, next: conversation.next.filter(([other]) => other !== id) },
      writes: [Next.remove(conversation.id, id), ...releasing(conversation, id, actor, now)],
      waiting: waiting.filter((one) => one !== old),
    }
  }
}

/** Gives a message to the running turn. If that turn has no further step, the message is sent first after the turn. */
function handing({ next: before, nextNow }: Conversation, waiting: Next.Waiting[], id: string): Edited {
  const chosen = before.filter(([one]) => one === id)
  // The running turn is usually that of this message: the stage sent it before the user did.
  if (chosen.length === 0) return { changes: {} }
  const others = before.filter(([one]) => one !== id)
  const handed = [...others.filter(([one]) => nextNow.includes(one)), ...chosen]
  const next = [...handed, ...others.filter(([one]) => !nextNow.includes(one))]
  return {
    changes: { next, nextNow: handed.map(([one]) => one), nextHeld: false, nextOpen: '' },
    waiting: next.flatMap(([one]) => waiting.find((message) => message.id === one) ?? []),
  }
}

/** Returns the writes that release the file of a removed message, unless another message names the file. */
function releasing(conversation: Conversation, id: string, { uid }: Actor, now: number): Table.Write[] {
  const fileUid = conversation.next.find(([other]) => other === id)?.[1] ?? 0
  const others = conversation.next.flatMap(([other, uid]) => (other === id ? [] : [uid]))
  const isNamed = [...filesOf(conversation), ...others].includes(fileUid)
  return fileUid > 0 && !isNamed ? releaseWrites(uid, [fileUid], conversation.id, now) : []
}

/** A changed conversation, and the answer to the change. */
type Stored = { conversation: Conversation; answer: NextAnswer }

/**
 * Stores a change of the queue, or starts a turn with the message `id` if no turn runs. Reads again and retries if
 * another request or the consumer changed the row first.
 */
function contend(starter: Starter, conversation: Conversation, edit: Edit, id?: string): Promise<Stored> {
  const { request, now } = starter
  return Row.contend(conversation, async (current) => {
    Row.refuseDeleted(current)
    if (id !== undefined && !isBusy(current.status)) return sendNow(starter, current, id)
    const before = await Next.all(current)
    const { changes, writes = [], waiting = before } = edit(current, before)
    const { next, write } = Row.change(current, changes)
    const answer = answerOf(next, waiting)
    const memory = request ? [Idempotency.remember(request, answer, now)] : []
    const outcome = await Table.transact([write, ...memory, ...writes])
    if (outcome.done) return { conversation: next, answer }
    if (outcome.failed.includes(0)) return undefined
    throw new VisibleError(request && outcome.failed.includes(1) ? 'request.keyReused' : 'file.notFound')
  })
}

/** Starts a turn with the message `id`; undefined if another process changed the row first. */
async function sendNow(starter: Starter, read: Conversation, id: string): Promise<Stored | undefined> {
  const conversation = await Legacy.move(read)
  if (!conversation) return undefined
  const waiting = await Next.all(conversation)
  const chosen = waiting.find((one) => one.id === id)
  if (!chosen) throw new VisibleError('conversation.changed')
  return leave(starter, conversation, waiting, chosen)
}

/** Moves a message from the queue into the transcript and starts its turn; undefined after a lost race. */
async function leave(
  starter: Starter,
  conversation: Conversation,
  waiting: Next.Waiting[],
  chosen: Next.Waiting,
): Promise<Stored | undefined> {
  const { id, fileUid, ...draft } = chosen
  const file = await fileOf(starter.actor, fileUid)
  const plan = await append(starter, conversation, { ...draft, file })
  const next = conversation.next.filter(([one]) => one !== id)
  const changes = { ...plan.changes, ...goingOn(conversation.nextHeld), next }
  const rest = waiting.filter((one) => one !== chosen)
  const row = { ...Row.change(conversation, changes), isNew: false }
  const answer = await start<NextAnswer>(starter, row, {
    ...plan,
    changes,
    writes: [...plan.writes, Next.remove(conversation.id, id)],
    answer: (stored) => ({ conversation: stored, next: Next.shown(rest, conversation) }),
  })
  return answer && { conversation: row.next, answer }
}

/**
 * Sends the first waiting message of a conversation if it is due, with the owner's present rights in the CMS. Returns
 * true if it started a turn.
 */
export async function followFor(cms: Cms, conversation: Conversation, now: number): Promise<boolean> {
  if (!isDue(conversation, now)) return false
  const [actor, settings, row] = await Promise.all([
    cms.user(conversation.owner),
    load(now),
    Table.get(Waiting.key),
  ])
  // The stage accepted the message when the user wrote it, because a long queue refuses only new starts.
  const seen = { ...Waiting.decode(row, now), waitMs: 0, waits: {} }
  if (actor) return sendWaiting({ actor, settings, request: undefined, now, seen }, conversation)
  await hold(conversation, now)
  return false
}

/**
 * Starts the turn of the first waiting message if it is due, and then returns true. After a temporary refusal the
 * message stays due, and cleanup tries again. Any other refusal holds the queue until the user acts.
 */
async function sendWaiting(starter: Starter, conversation: Conversation): Promise<boolean> {
  try {
    return await Row.contend(conversation, (current) => advance(starter, current))
  } catch (error) {
    if (!(error instanceof VisibleError)) throw error
    Log.warn('A message that waits was not sent', { conversationId: conversation.id, code: error.code })
    if (error.code !== 'user.tooManyActive' && error.kind !== 'unavailable')
      await hold(conversation, starter.now)
    return false
  }
}

async function advance(starter: Starter, read: Conversation): Promise<boolean | undefined> {
  if (!isDue(read, starter.now)) return false
  const conversation = await Legacy.move(read)
  if (!conversation) return undefined
  const waiting = await Next.all(conversation)
  const [first] = waiting
  if (first) return (await leave(starter, conversation, waiting, first)) && true
  await Row.store(conversation, { next: [] })
  return undefined
}

/** Holds the waiting messages until the user sends or removes them. */
async function hold(conversation: Conversation, now: number): Promise<void> {
  await Row.contend(conversation, async (read) =>
    isDue(read, now) ? Row.store(read, { nextHeld: true }) : read,
  )
}

const answerOf = (conversation: Conversation, waiting: Next.Waiting[]): NextAnswer => ({
  conversation: summary(conversation),
  next: Next.shown(waiting, conversation),
})
