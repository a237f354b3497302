import { type English, fillIn, inLanguage } from '../../base/language.ts'
import { approvalExpiryDays, type Conflict, type Message, type Notice, type RecordName } from './schema.ts'

/** The notices that have their own rows, each with a sentence for the user; the model never gets such rows. */
type OwnNotice = Exclude<Notice, 'truncated' | 'summarised' | 'notUsed' | 'demo'>

const sentences: Record<OwnNotice, English> = {
  cancelled: { en: 'Stopped. What was done until then is kept.' },
  superseded: { en: 'The proposal was withdrawn by your new message. Nothing was changed.' },
  expired: { en: 'The proposal was not decided within {days} days and has expired. Nothing was changed.' },
  archived: { en: 'The proposal was withdrawn when you archived the conversation. Nothing was changed.' },
  deleted: { en: 'The proposal was withdrawn when you deleted the conversation. Nothing was changed.' },
  refused: { en: 'The language model declined to answer this.' },
  shortened: {
    en: 'This conversation is long: the oldest messages are no longer sent to the language model.',
  },
  undone: { en: 'The changes of this answer were taken back.' },
  unreadable: { en: 'This entry is damaged and cannot be shown.' },
}

/** The notices whose rows have another text than a fixed sentence. */
const noted: ReadonlySet<Notice> = new Set(['notUsed', 'summarised'])

/** Returns true for a reply of the model; false for a notice, and for a row of the user or of a tool. */
export function isReply({ role, notice }: Pick<Message, 'role' | 'notice'>): boolean {
  return role === 'assistant' && (notice === undefined || !(noted.has(notice) || notice in sentences))
}

/** Returns the row of a notice, in the language of the conversation's owner. Interfaces show it by its code. */
export function notice(name: OwnNotice, lang: string, at: string, runId?: string): Omit<Message, 'sequence'> {
  return {
    role: 'assistant',
    content: fillIn(inLanguage(sentences[name], lang), lang, { days: approvalExpiryDays }),
    createdAt: at,
    notice: name,
    ...(runId && { runId }),
  }
}

const untaken: English = { en: 'Not taken back: {left}' }
const partly: English = { en: 'Taken back: {done}. Not taken back: {left}' }

/** Returns the row about an undo: the records that it restored, and the records that it could not restore. */
export function undoneNotice(
  records: RecordName[],
  conflicts: Conflict[],
  lang: string,
  at: string,
  runId: string,
): Omit<Message, 'sequence'> {
  const row = { ...notice('undone', lang, at, runId), records }
  if (conflicts.length === 0) return row
  const name = ({ table, uid, title }: RecordName) => `${title || table} [${uid}]`
  const content = fillIn(inLanguage(records.length > 0 ? partly : untaken, lang), lang, {
    done: records.map(name).join(', '),
    left: conflicts.map((one) => `${name(one)}: ${one.reason}`).join(' '),
  })
  return { ...row, content, conflicts }
}
