import type { RecordId } from '../../../core/conversation/schema.ts'
import type { Message, RecordName } from '../../../core/conversation/transcript/schema.ts'
import type { Source as Kind } from '../../../core/tool/schema.ts'
import { answerOf, type TurnRow } from './turn-rows.ts'

/** A source on which an answer is based: a record that can be opened, or a list that was read. */
export type Source =
  | { kind: 'record'; table: string; uid: RecordId; title: string }
  | { kind: 'history'; table: string; uid: RecordId; count: number }
  | { kind: 'list'; table: string; count: number }
  | { kind: 'log'; count: number }
  | { kind: 'tree' }
  | { kind: 'files'; count: number }
  /** A part of a file of the user; `from` is its first page, slide or row. */
  | { kind: 'file'; fileUid: number; from: number }

/**
 * Returns the sources of the turn's answers: everything that its calls have read, and the search results that the
 * answer names. A model's claim alone is not a source. `kindOf` returns the kind of source for a tool's results.
 */
export function sourcesOf(turn: TurnRow, kindOf: (tool: string) => Kind | null): Source[] {
  const found = new Map<string, Source>()
  const answer = answerOf(turn)
  for (const message of turn.messages)
    for (const source of [
      ...ofRow(message, kindOf(message.toolName ?? ''), answer),
      ...partRead(turn, message),
    ]) {
      const key = sourceKey(source)
      const known = found.get(key)
      if (!known || (known.kind === 'log' && source.kind === 'log' && known.count < source.count))
        found.set(key, source)
    }
  return [...found.values()]
}

/** Returns the part of a file that a `read_file` call has read, taken from the arguments of the call. */
function partRead(turn: TurnRow, { toolName, toolCallId, outcome }: Message): Source[] {
  if (toolName !== 'read_file' || outcome !== 'done') return []
  const call = turn.messages.flatMap(({ toolCalls = [] }) => toolCalls).find(({ id }) => id === toolCallId)
  const { file, from } = call?.arguments ?? {}
  return typeof file === 'number' && typeof from === 'number' ? [{ kind: 'file', fileUid: file, from }] : []
}

/** The maximum number of pages of an attached file that are listed for an answer. */
const mostPages = 4

/** Returns the pages of the attached PDF that an answer names in English, German or French. */
export function pagesNamed(answer: string, { fileUid, fileName = '' }: Message): Source[] {
  if (fileUid === undefined || !/\.pdf$/i.test(fileName)) return []
  const named = [...answer.matchAll(/\b(?:pages?|Seiten?|S\.|p\.)[\s\u00a0\u202f](\d{1,4})\b/gi)].map(
    ([, page]) => Number(page),
  )
  const pages = [...new Set(named)].filter((page) => page > 0).slice(0, mostPages)
  return pages.map((from) => ({ kind: 'file', fileUid, from }))
}

/** Returns the key of a source. All reads of the log have the same key, so that the log is listed once. */
function sourceKey(source: Source): string {
  if (source.kind === 'log') return source.kind
  return 'uid' in source ? `${source.kind} ${source.table} ${source.uid}` : JSON.stringify(source)
}

function ofRow(
  { outcome, records = [], count = records.length }: Message,
  kind: Kind | null,
  answer: string,
) {
  return outcome === 'done' && kind ? named[kind](records, count, answer) : []
}

const named: Record<Kind, (records: readonly RecordName[], count: number, answer: string) => Source[]> = {
  record: (records) => records.slice(0, 1).map(recordSource),
  named: (records, _, answer) => records.filter((one) => isNamed(one, answer)).map(recordSource),
  list: ([first], count) => (first ? [{ kind: 'list', table: first.table, count }] : []),
  history: ([first], count) =>
    first ? [{ kind: 'history', table: first.table, uid: first.uid, count }] : [],
  log: (_, count) => (count > 0 ? [{ kind: 'log', count }] : []),
  tree: () => [{ kind: 'tree' }],
  files: (_, count) => (count > 0 ? [{ kind: 'files', count }] : []),
}

/** The maximum number of quotation marks, Markdown marks and spaces between a name and its number. */
const mostBetween = 20
const tokenGap = /[\s“”"'‘’*_`]{1,20}$/

/** True if the answer refers to the record: `[news:8]`, or `[8]` after its table or its title. */
function isNamed({ table, uid, title }: RecordName, answer: string): boolean {
  if (answer.includes(`[${table}:${uid}]`)) return true
  const before = answer.split(`[${uid}]`).slice(0, -1)
  return before.some((text) => {
    const bare = text.slice(-(Math.max(title.length, table.length) + mostBetween)).replace(tokenGap, '')
    return (title !== '' && bare.endsWith(title)) || bare.toLowerCase().endsWith(table)
  })
}

function recordSource({ table, uid, title }: RecordName): Source {
  return { kind: 'record', table, uid, title }
}
