import * as z from 'zod'
import { ToolError } from '../../base/error.ts'
import type { TextOf } from '../../base/html-text.ts'
import { cut } from '../../base/safety/invisible.ts'
import type { HistoryEntry } from '../../cms/schema.ts'
import type { RecordId } from '../../conversation/schema.ts'
import { marks, missing, quoted, when } from '../format.ts'
import { Limit, TableName, Uid } from '../schema.ts'
import { reads, type ToolContext } from '../tool.ts'

/** `get_record_history`: lists who changed a record, when and how. */
export const getRecordHistory = reads({
  name: 'get_record_history',
  sign: 'clock',
  source: 'history',
  en: { title: 'History of a record', did: 'Read the history', doing: 'Reading the history' },
  description: 'Who changed a record when, and what each change did to its fields, newest first.',
  parameters: z.strictObject({ table: TableName, uid: Uid, limit: Limit }),
  suits: ({ history }) => history,
  async run({ table, uid, limit }, { actor, cms }) {
    const entries = await cms.history(actor, { table, uid, limit })
    if (!entries) throw missing(`Record ${table} [${uid}]`)
    if (entries.length === 0) return `No change of ${table} [${uid}] is recorded.`
    const { textOf } = await import('../../base/html-text.ts')
    const lines = entries.map((entry) => entryLines(entry, textOf))
    if (entries.length === limit)
      lines.push(`There may be more${limit < 100 ? ': raise limit (at most 100)' : ''}.`)
    return {
      text: [`Changes of ${table} [${uid}], newest first:`, ...lines].join('\n'),
      records: [{ table, uid, title: '' }],
      count: entries.length,
    }
  },
})

const actions: Record<HistoryEntry['action'], string> = {
  add: 'created it',
  modify: 'changed it',
  move: 'moved it',
  delete: 'deleted it',
  undelete: 'restored it',
}

function entryLines(entry: HistoryEntry, textOf: TextOf): string {
  const value = (text: string | null) => (text ? quoted(cut(textOf(text), 200)) : '(empty)')
  const notes = marks(
    ['through the assistant', entry.correlationId !== null],
    [`version ${entry.revision}`, entry.revision !== undefined],
  )
  const changes = entry.changes.map(
    ({ field, label, before, after }) => `  ${field} (${label}): ${value(before)} → ${value(after)}`,
  )
  return [`- ${when(entry.at)}: ${entry.user} ${actions[entry.action]}${notes}`, ...changes].join('\n')
}

/** The maximum number of changes that a caller can go back from now. */
const mostBack = 100

/** `compare_versions`: compares two states of a record field by field. */
export const compareVersions = reads({
  name: 'compare_versions',
  sign: 'copy',
  source: 'history',
  en: { title: 'Two versions', did: 'Compared two versions', doing: 'Comparing two versions' },
  description: 'Two states of a record side by side, field by field, as its history has them.',
  parameters: z.strictObject({
    table: TableName,
    uid: Uid,
    older: z.int().min(1).max(mostBack).default(1).describe('Changes back to the older state'),
    newer: z.int().min(0).max(mostBack).default(0).describe('Changes back to the newer state; 0: now'),
  }),
  suits: ({ history }) => history,
  async run({ table, uid, older, newer }, context) {
    const { differences, entries } = await between(context, { table, uid, older, newer })
    const first = entries.at(-1)
    const head = `${table} [${uid}], ${older} ${older === 1 ? 'change' : 'changes'} back and ${newer === 0 ? 'now' : `${newer} back`}; the first change between them was by ${first?.user}, ${when(first?.at ?? null)}:`
    if (differences.length === 0) return `${head}\nBoth say the same.`
    const lines = differences.flatMap(({ field, label, older, newer }) => [
      `${field} (${label})`,
      `  older: ${versionText(older)}`,
      `  newer: ${versionText(newer)}`,
    ])
    return {
      text: [head, ...lines].join('\n'),
      records: [{ table, uid, title: '' }],
      count: differences.length,
    }
  },
})

const versionText = (text: string | null) => (text ? cut(text, 5_000) : '(empty)')

/** A field whose value differs between two states; a null value is empty. */
type Difference = { field: string; label: string; older: string | null; newer: string | null }

/**
 * Compares two states of a record. `older` and `newer` count the changes since each state (0: the present state).
 * Returns the fields that differ, and the history entries in between, newest first. Rejects with ToolError if the actor
 * cannot see the record, or if a state does not exist.
 */
async function between(
  { cms, actor }: ToolContext,
  { table, uid, older, newer }: { table: string; uid: RecordId; older: number; newer: number },
): Promise<{ differences: Difference[]; entries: HistoryEntry[] }> {
  if (older <= newer) throw new ToolError('The older state has to lie more changes back than the newer one.')
  const history = await cms.history(actor, { table, uid, limit: older + 1 })
  if (!history) throw missing(`Record ${table} [${uid}]`)
  const entries = history.slice(newer, older)
  if (entries.length < older - newer)
    throw new ToolError(`The history of ${table} [${uid}] has only ${history.length} changes.`)
  if (entries.some(({ action }) => action !== 'modify'))
    throw new ToolError(
      `Within the last ${older} changes ${table} [${uid}] was created, moved or deleted: there is no state before that.`,
    )
  const differences = new Map<string, Difference>()
  for (const { field, label, before, after } of entries.flatMap(({ changes }) => changes)) {
    const known = differences.get(field)
    differences.set(field, { field, label, older: before, newer: known ? known.newer : after })
  }
  return { differences: [...differences.values()].filter(({ older, newer }) => older !== newer), entries }
}
