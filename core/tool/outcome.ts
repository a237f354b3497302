import type { Actor } from '../actor.ts'
import type { Cms, WriteOutcome } from '../cms/cms.ts'
import { ToolError } from '../error.ts'
import { recordLine } from './words.ts'

/**
 * What the model reads after a write that was approved: what the record holds now, read back as the actor. Throws
 * ToolError when nothing was written.
 */
export async function afterWrite(cms: Cms, actor: Actor, outcome: WriteOutcome): Promise<string> {
  if (outcome.state === 'void')
    throw new ToolError(
      'This write was given up before it happened; nothing was changed. Propose it again if it is still wanted.',
    )
  const name = `${outcome.table} [${outcome.uid}]`
  if (outcome.state === 'conflict')
    throw new ToolError(
      `Nothing was changed: ${name} has changed since the user approved. Read it again, then propose the change anew.`,
    )
  const record = await cms.record(actor, outcome.table, outcome.uid)
  if (!record) return `Stored ${name}, which the user may not read any more.`
  const fields = outcome.changed
    .filter((field) => field in record.fields)
    .map((field) => `- ${field}: ${record.fields[field] ?? '(empty)'}`)
  const hidden = record.hidden ? ['It is hidden: visitors do not see it until a person publishes it.'] : []
  return [`Stored. ${record.table} ${recordLine(record)} now holds:`, ...fields, ...hidden].join('\n')
}
