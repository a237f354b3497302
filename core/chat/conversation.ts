import { ulid } from 'ulid'
import type { Actor } from '../base/actor.ts'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { cut, foldToLine, trimUnseen } from '../base/safety/invisible.ts'
import { type Conversation, decode, empty, encode, key, owner, summary } from '../conversation/item.ts'
import * as Quota from '../conversation/quota.ts'
import * as Row from '../conversation/row.ts'
import type { ConversationAnswer, Mention, Summary } from '../conversation/schema.ts'
import type { Reason } from '../conversation/transcript/ending.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import type { Settings } from '../stage/settings/schema.ts'
import * as Idempotency from './idempotency.ts'

/** The actions of users on their conversations; the actions of the assistant belong to a turn. */

/** The user who acts, and the time of the request. */
export type Acting = { actor: Actor; now: number }
/** The acting user, the time and the settings. */
export type Visitor = Acting & { settings: Settings }
/** The user who starts a turn or a conversation; `request` is set if the request carries an idempotency key. */
export type Creator = Visitor & { request: Idempotency.Repeatable | undefined }

/** The time within which a deletion can be undone, in milliseconds. */
export const undeleteMs = 24 * 60 * 60_000

const notFound = () => new VisibleError('conversation.notFound')

/** Returns the id of a new conversation of the user. */
export const newId = (actor: Actor, now: number) => `${actor.uid}-${ulid(now).toLowerCase()}`

/** Stores a new conversation. Rejects with `request.keyReused` if a request with the same key ran in parallel. */
export async function create({ request, ...visitor }: Creator): Promise<ConversationAnswer> {
  const { actor, settings, now } = visitor
  const conversation = empty(newId(actor, now), now)
  const answer = { conversation: summary(conversation) }
  const outcome = await Table.transact([
    Table.putWrite(encode(conversation)),
    counting(visitor),
    ...(request ? [Idempotency.remember(request, answer, now)] : []),
  ])
  if (outcome.done) return answer
  if (outcome.failed.includes(2)) throw new VisibleError('request.keyReused')
  throw tooMany(settings)
}

/** Returns the write that counts one more conversation of the user; it fails at the limit of the settings. */
const counting = ({ actor, settings }: Visitor) => Quota.count(actor.uid, settings.maxConversationsPerUser)

/** Returns the error for a user who already has the maximum number of conversations. */
export function tooMany(settings: Settings): VisibleError {
  return new VisibleError('user.tooManyConversations', {
    params: { max: settings.maxConversationsPerUser ?? 0 },
  })
}

/** Sets a title that the service never changes again. */
export function rename(acting: Acting, conversation: Conversation, title: string): Promise<Summary> {
  const updatedAt = new Date(acting.now).toISOString()
  return apply(acting, conversation, { title, titleFixed: true, updatedAt })
}

/** Pins or unpins a conversation. A pinned conversation is listed first and never archived automatically. */
export function pin(acting: Acting, conversation: Conversation, pinned: boolean): Promise<Summary> {
  return apply(acting, conversation, { pinned, keptSince: new Date(acting.now).toISOString() })
}

/**
 * Stores the user's instructions for the conversation and returns the stored text; an empty text removes them. Rejects
 * with `systemPrompt.tooLong`.
 */
export async function instruct(
  visitor: Visitor,
  stored: Conversation,
  instructions: string,
): Promise<{ conversation: Summary; systemPrompt: string }> {
  const { maxSystemPromptLength: max } = visitor.settings
  if ([...instructions].length > max) {
    const fields = { systemPrompt: `at most ${max}` }
    throw new VisibleError('systemPrompt.tooLong', { params: { max }, fields })
  }
  const systemPrompt = trimUnseen(instructions)
  const prompt = Transcript.instruct(stored.id, systemPrompt)
  const conversation = await apply(visitor, stored, { hasPrompt: systemPrompt !== '' }, [prompt])
  return { conversation, systemPrompt }
}

/**
 * Archives a conversation or brings it back; refused while a turn runs. Archiving ends a waiting proposal permanently.
 */
export function archive(acting: Acting, conversation: Conversation, archived: boolean): Promise<Summary> {
  const at = new Date(acting.now).toISOString()
  const changes = archived ? { archived, archivedAt: at } : { archived, archivedAt: undefined, keptSince: at }
  return putAway(acting, conversation, archived ? 'archived' : undefined, changes)
}

/**
 * Hides the conversation at once; `restore` can bring it back for 24 hours, then cleanup removes it. Changes nothing for
 * a deleted conversation.
 */
export function remove(acting: Acting, conversation: Conversation): Promise<Summary> {
  const deletedAt = new Date(acting.now).toISOString()
  return putAway(acting, conversation, 'deleted', { deletedAt }, [Quota.uncount(acting.actor.uid)])
}

/** Returns the user's conversation of a row, also a deleted one for 24 hours; throws `conversation.notFound`. */
export function deletable({ actor, now }: Acting, id: string, row: Table.Row | undefined): Conversation {
  const conversation = owner(id) === actor.uid ? decode(row) : undefined
  const { deletedAt } = conversation ?? {}
  if (!conversation || (deletedAt && now >= Date.parse(deletedAt) + undeleteMs)) throw notFound()
  return conversation
}

/** Undoes a deletion of the last 24 hours; changes nothing for a conversation that is not deleted. */
export async function restore(visitor: Visitor, id: string, row: Table.Row | undefined): Promise<Summary> {
  const conversation = deletable(visitor, id, row)
  if (!conversation.deletedAt) return summary(conversation)
  const { next, write } = Row.change(conversation, { deletedAt: undefined })
  const outcome = await Table.transact([write, counting(visitor)])
  if (outcome.done) return summary(next)
  // If the row changed too, a parallel request may have brought the conversation back.
  if (outcome.failed.includes(1) && !outcome.failed.includes(0)) throw tooMany(visitor.settings)
  return restore(visitor, id, await Table.get(key(id)))
}

/** Archives or deletes a conversation and ends its waiting proposal; refused while a turn runs. */
async function putAway(
  { actor, now }: Acting,
  conversation: Conversation,
  reason: 'archived' | 'deleted' | undefined,
  changes: Row.Changes,
  others: Table.Write[] = [],
): Promise<Summary> {
  const attempt = async (current: Conversation) => {
    if (current.deletedAt && reason === 'deleted') return current
    Row.refuseDeleted(current)
    Row.refuseBusy(current)
    const ended = reason ? await endProposal(actor, current, reason, now) : { changes: {}, writes: [] }
    const held: Row.Changes = reason ? { nextHeld: true } : {}
    // Archiving does not change the content, so the conversation keeps its position in the list.
    const all = { ...held, ...changes, ...ended.changes, updatedAt: current.updatedAt }
    return Row.store(current, all, [...ended.writes, ...others])
  }
  return summary(await Row.contend(conversation, attempt))
}

/**
 * Ends a proposal without a decision: the calls get results, the items of the proposal are removed, the conversation
 * becomes idle. Changes nothing if no proposal waits.
 */
export async function endProposal(
  actor: Pick<Actor, 'lang'>,
  conversation: Conversation,
  reason: Reason,
  now: number,
): Promise<{ changes: Row.Changes; writes: Table.Write[] }> {
  if (conversation.status !== 'awaiting_approval') return { changes: {}, writes: [] }
  // Few messages end a proposal, so the function that sends loads this code only here.
  const [{ dismiss, ending }, { pending }] = await Promise.all([
    import('../conversation/transcript/ending.ts'),
    Transcript.beside(conversation),
  ])
  const messages = pending ? dismiss(pending, reason, actor.lang, new Date(now).toISOString()) : []
  const { changes, writes } = ending(conversation, { status: 'idle', messages, pending }, now)
  // After a stopped turn, waiting messages stay in the queue until the user acts.
  return { changes: reason === 'superseded' ? changes : { ...changes, nextHeld: true }, writes }
}

async function apply(
  { actor }: Acting,
  conversation: Conversation,
  changes: Row.Changes,
  others: Table.Write[] = [],
): Promise<Summary> {
  const attempt = async (current: Conversation) => {
    if (current.deletedAt || current.owner !== actor.uid) throw notFound()
    return Row.store(current, changes, others)
  }
  return summary(await Row.contend(conversation, attempt))
}

const longest = 80

/**
 * Returns the title of a conversation from its first message: one line, at most 80 characters, cut between words. Adds
 * the titles of the mentions that the message does not contain.
 */
export function title(
  content: string,
  fileName: string | undefined,
  mentions: readonly Pick<Mention, 'title'>[] = [],
): string {
  return cutLine(withNames(foldToLine(content) || foldToLine(fileName ?? ''), mentions), longest)
}

/** Returns the line cut to `longest` characters, between words if possible, with an ellipsis. */
export function cutLine(line: string, longest: number): string {
  const short = cut(line, longest)
  const word = short.lastIndexOf(' ')
  return short === line || word <= longest / 2 ? short : `${short.slice(0, word).trimEnd()}…`
}

/** Adds the names of the mentions to a title: `Summarise Aurora lamp`, `What is new? – News, Home`. */
function withNames(line: string, mentions: readonly Pick<Mention, 'title'>[]): string {
  const said = line.toLowerCase()
  const names = mentions
    .map(({ title }) => foldToLine(title))
    .filter((name) => !said.includes(name.toLowerCase()))
  return [line, names.join(', ')].filter(Boolean).join(line.includes(' ') ? ' – ' : ' ')
}
