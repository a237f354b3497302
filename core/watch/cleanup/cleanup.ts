import * as Run from '../../agent/run-record.ts'
import type { Actor } from '../../base/actor.ts'
import * as Log from '../../base/log.ts'
import type { Settled } from '../../chat/doubt.ts'
import type { Cms } from '../../cms/cms.ts'
import type { Conversation } from '../../conversation/item.ts'
import type { FailureCode } from '../../conversation/schema.ts'
import { sentenceOf } from '../../conversation/turn-failure.ts'
import type { Ports } from '../../ports.ts'
import type { Settings } from '../../stage/settings/schema.ts'
import { load } from '../../stage/settings/settings.ts'
import * as Rest from './expired-conversations.ts'
import { count, type Step } from './queries.ts'
import { inspectStage } from './stage-load.ts'
import * as Busy from './stuck-turns.ts'

/** The counts of conversations that a cleanup changed, or with `isDryRun` would change. */
export type Report = {
  /** Turns whose queue message was lost, and messages that waited for the end of the turn before them. */
  requeued: number
  resumed: number
  failed: number
  expired: number
  archived: number
  removed: number
}

export type CleanupOptions = {
  /** The time that every step uses, in milliseconds since the epoch. */
  now: number
  isDryRun?: boolean
  /** Replaces the `autoArchiveDays` and `deleteAfterDays` of the settings; 0: at once. */
  autoArchiveDays?: number
  deleteAfterDays?: number
}

/** Maximum number of conversations that a step changes in one run. The next run handles the other conversations. */
const limit = 100

/** Runs `ai-chat:cleanup` of the specification: every step in order. Each step is safe while another cleanup runs. */
export async function run(live: Ports, options: CleanupOptions): Promise<Report> {
  const { now, isDryRun = false } = options
  const settings = await load(live.clock.now())
  const { autoArchiveDays = settings.autoArchiveDays, deleteAfterDays = settings.deleteAfterDays } = options
  const user = usersOf(live.cms)
  // Without an answer of the CMS, which `usersOf` logs, a sentence is English.
  const reader = async (owner: number): Promise<Pick<Actor, 'lang' | 'isAdmin'>> =>
    (await user(owner).catch(() => undefined)) ?? { lang: 'en', isAdmin: false }
  const sentence = async (code: FailureCode, owner: number) => sentenceOf(code, await reader(owner))
  const settle = (conversation: Conversation, key: string) =>
    settleFor({ ...live.cms, user }, conversation, key, settings, now).catch((cause) => {
      Log.error('A write stays in doubt', cause, { conversationId: conversation.id })
      return undefined
    })
  // Measures the load before cleanup sets turns that waited too long to `failed`: these turns are a reason to refuse
  // starts.
  if (!isDryRun) await inspectStage(settings, now)
  const requeued = await step(Busy.requeue(now))
  const resumed = await step(Busy.resume(now))
  const failed = await step(Busy.fail(now, { sentence, settle }))
  const expired = await step(Rest.expire(now, async (owner) => (await reader(owner)).lang))
  const followed = await step(Rest.follow({ ...live.cms, user }, now))
  const archived = await step(Rest.archive(now, autoArchiveDays))
  const old = await step(Rest.remove(now, deleteAfterDays))
  // With 0 days, a run removes the conversations that it has just archived. A dry run archives none, and adds their
  // number.
  const removed = isDryRun && deleteAfterDays === 0 ? Math.min(limit, old + archived) : old
  if (!isDryRun) await Rest.removeFiles(now, limit)
  return { requeued: requeued + followed, resumed, failed, expired, archived, removed }

  async function step({ find, act }: Step): Promise<number> {
    const found = await find(limit)
    return isDryRun ? found.length : count(found, act)
  }
}

/**
 * Returns a function that finds a user. After a CMS was silent, it rejects with the same error and does not ask again,
 * because a silent CMS would use up the time of the whole run.
 */
function usersOf(cms: Cms): Cms['user'] {
  let silence: unknown
  return async (uid) => {
    if (silence) throw silence
    return cms.user(uid).catch((cause) => {
      if (cause?.code === 'cms.unavailable') silence = cause
      Log.failure('Cleanup goes on without the CMS', cause)
      throw cause
    })
  }
}

/**
 * Settles a write with an unknown outcome, with the rights of its owner; undefined if the owner is gone or the CMS does
 * not answer. Rejects if the CMS does not answer after the outcome.
 */
async function settleFor(
  cms: Cms,
  conversation: Conversation,
  key: string,
  { retainRunDays, retainAuditDays }: Settings,
  now: number,
): Promise<Settled | undefined> {
  const actor = await cms.user(conversation.owner)
  if (!actor) return undefined
  // Imports the module only here, because few turns fail in the middle of a write.
  const { settleDoubt } = await import('../../chat/doubt.ts')
  const run = await Run.start(conversation.owner, conversation.id, conversation.runId, now, retainRunDays)
  const settled = await settleDoubt(conversation, key, { actor, cms, run, retainAuditDays, now })
  return settled.isFinal ? settled : undefined
}
