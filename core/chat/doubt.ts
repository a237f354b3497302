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

/** The turn's actor, CMS and run, the days for which the audit keeps changes (null: no end), and the time. */
type Scene = { actor: Actor; cms: Cms; run: Run.Run; retainAuditDays: number | null; now: number }

/** The result of a write in doubt, to store in the transaction that removes `writing` from the row. */
export type Settled = {
  messages: Omit<Message, 'sequence'>[]
  writes: Table.Write[]
  /** False if the CMS did not answer. A later attempt may then find out if the write happened. */
  isFinal: boolean
}

/**
 * Settles the write that an earlier consumer began (`writing` of the row). The CMS reports whether the write happened,
 * or makes sure that it never will. The returned messages tell the model and the user.
 */
export async function settleDoubt(conversation: Conversation, key: string, scene: Scene): Promise<Settled> {
  const { actor, cms, run, retainAuditDays, now } = scene
  // The key of a write begins with the id of its run.
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

/** Returns the write that audits a change, with the records that the change concerns. */
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
