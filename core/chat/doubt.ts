import type { Run as RunRow } from '../agent/run-record.ts'
import * as Run from '../agent/run-record.ts'
import { mayHaveChanged, settle } from '../agent/write.ts'
import type { Actor } from '../base/actor.ts'
import type * as Table from '../base/aws/table.ts'
import { config } from '../base/config.ts'
import * as Log from '../base/log.ts'
import { nonce } from '../base/safety/fence.ts'
import type { Cms } from '../cms/cms.ts'
import type { Conversation } from '../conversation/item.ts'
import * as Written from '../conversation/transcript/changes.ts'
import { resultRow } from '../conversation/transcript/result.ts'
import type { Message, RecordName } from '../conversation/transcript/schema.ts'
import { isOfServer } from '../stage/settings/server.ts'
import * as Audit from '../user/audit.ts'

/** The actor of the turn with its run, and how long the audit keeps what changed. */
type Scene = { actor: Actor; cms: Cms; run: RunRow; retainAuditDays: number | null; now: number }

/** The result of a write that was in doubt, to be stored with the removal of `writing` from the row. */
export type Settled = {
  messages: Omit<Message, 'sequence'>[]
  writes: Table.Write[]
  /** False if the CMS did not answer, so that the write may still be settled later. */
  isFinal: boolean
}

/**
 * Settles the write that an earlier consumer had begun (`writing` of the row): the CMS says if it happened, or makes
 * sure that it never will. The answer tells it to the model and the user.
 */
export async function settleDoubt(conversation: Conversation, key: string, scene: Scene): Promise<Settled> {
  const { actor, cms, run, retainAuditDays, now } = scene
  // The key of a write begins with its run.
  const place = { ...run, runId: key.slice(0, key.indexOf('/')) }
  const intent = (await Run.intents(place)).find((one) => one.key === key)
  if (!intent) return { messages: [], writes: [], isFinal: true }
  const call = { id: intent.callId, name: intent.tool, arguments: {} }
  const { result, outcome } = await settle(call, intent, {
    actor,
    cms,
    journal: { conclude: (key, how) => Run.conclude(place, key, how) },
    options: {
      nonce: nonce(config().secret, conversation.id),
      log: (error) => Log.error('The result of a write is incomplete', error),
    },
  })
  const { runId } = place
  const at = new Date(now).toISOString()
  const change = { runId, tool: call.name, records: result.records }
  return {
    messages: [resultRow(call, { ...result, approved: true }, at, runId)],
    writes: mayHaveChanged(outcome)
      ? [
          Written.note(conversation, conversation.messageCount, runId),
          auditChange(conversation.owner, change, retainAuditDays, now),
        ]
      : [],
    isFinal: outcome !== undefined || isOfServer(call.name),
  }
}

/** The write that audits a change, with the records that it concerns. */
export function auditChange(
  uid: number,
  { runId, tool, records = [] }: { runId: string; tool: string; records?: RecordName[] | undefined },
  retainDays: number | null,
  now: number,
): Table.Write {
  const resources = records.map(({ table, uid }) => ({ type: table, uid }))
  const event = { act: 'change', uid, operation: tool, source: 'consumer', runId } as const
  return Audit.write({ ...event, resources }, retainDays, now)
}
