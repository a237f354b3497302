import * as Run from '../agent/run.ts'
import type { Intent } from '../agent/run-item.ts'
import { mayHaveChanged, settle } from '../agent/write.ts'
import type { Cms } from '../cms/cms.ts'
import * as Log from '../log.ts'
import * as Written from '../transcript/changes.ts'
import { resultRow } from '../transcript/result.ts'
import { journal } from './journal.ts'
import type { Work } from './work.ts'

/**
 * Settles the write that an earlier consumer had begun, before anything else is done: the CMS says whether it happened,
 * or makes sure that it never will, and the transcript says so to model and user.
 */
export async function settleDoubt(work: Work, cms: Cms, nonce: string): Promise<void> {
  const { it } = work
  if (it.writing === undefined) return
  const intent = await intentOf(it.owner, it.writing)
  if (!intent) return work.save({ writing: undefined })
  const call = { id: intent.callId, name: intent.tool, arguments: {} }
  const runId = runOf(it.writing)
  const options = { nonce, log: (error: unknown) => Log.error('The result of a write is incomplete', error) }
  const place = { ...work.run, runId }
  const scene = {
    runId,
    actor: work.actor,
    cms,
    journal: { ...journal(work), conclude: (key: string, how: object) => Run.conclude(place, key, how) },
    options,
    now: work.now(),
  }
  const { result, outcome } = await settle(call, intent, scene)
  const row = resultRow(call, { ...result, approved: true }, work.at(), runId)
  const noted = mayHaveChanged(outcome) ? [Written.note(it, it.messageCount, runId)] : []
  await work.append([row], { writing: undefined }, noted)
}

/** The key of a write begins with its run. */
const runOf = (key: string): string => key.slice(0, key.indexOf('/'))

async function intentOf(owner: number, key: string): Promise<Intent | undefined> {
  const intents = await Run.intents({ owner, runId: runOf(key) })
  return intents.find((intent) => intent.key === key)
}
