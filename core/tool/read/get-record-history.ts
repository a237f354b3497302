import * as z from 'zod'
import type { TextOf } from '../../base/html-text.ts'
import type { HistoryEntry } from '../../cms/schema.ts'
import { cut, marks, missing, quoted, when } from '../format.ts'
import { Limit, TableName, Uid } from '../schema.ts'
import { reads } from '../tool.ts'

/** `get_record_history`: who changed a record, when and what. */
export const getRecordHistory = reads({
  name: 'get_record_history',
  sign: 'clock',
  source: 'history',
  words: { en: { title: 'History of a record', did: 'Read the history', doing: 'Reading the history' } },
  description: 'Who changed a record when, and what each change did to its fields, newest first.',
  parameters: z.strictObject({ table: TableName, uid: Uid, limit: Limit }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ history }) => history,
  async run({ table, uid, limit }, { actor, cms }) {
    const entries = await cms.history(actor, { table, uid, limit })
    if (!entries) throw missing(`Record ${table} [${uid}]`)
    if (entries.length === 0) return `No change of ${table} [${uid}] is recorded.`
    const { textOf } = await import('../../base/html-text.ts')
    const lines = entries.map((entry) => describe(entry, textOf))
    if (entries.length === limit) lines.push('There may be more: raise limit (at most 100).')
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

function describe(entry: HistoryEntry, textOf: TextOf): string {
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
