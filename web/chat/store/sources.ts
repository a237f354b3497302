import type { ToolCall } from '../../../core/transcript/schema.ts'
import { answerOf, resultText, type TurnRow } from './turns.ts'

/** Something that an answer stands on: a record to open, or a list that was read. */
export type Source =
  | { kind: 'record'; table: string; uid: number; title: string }
  | { kind: 'history'; table: string; uid: number; count: number }
  | { kind: 'list'; table: string; count: number }
  | { kind: 'log'; count: number }
  | { kind: 'tree' }
  | { kind: 'files'; count: number }

/**
 * Where the turn's answers come from: what its calls have read, and of what a search has found that which the answer
 * names. Nothing is a source only because the model says so.
 */
export function sourcesOf(turn: TurnRow): Source[] {
  const found = new Map<string, Source>()
  const answer = answerOf(turn)
  for (const { call, result } of callsOf(turn))
    for (const source of ofCall(call, result, answer)) {
      const key = keyOf(source)
      const known = found.get(key)
      if (!known || (known.kind === 'log' && source.kind === 'log' && known.count < source.count))
        found.set(key, source)
    }
  return [...found.values()]
}

/** The log is one source, however often it was read. */
function keyOf(source: Source): string {
  if (source.kind === 'log') return source.kind
  return 'uid' in source ? `${source.kind} ${source.table} ${source.uid}` : JSON.stringify(source)
}

/** Names of the records that a turn met, by `table:uid`. */
export function titlesOf(turn: TurnRow): Map<string, string> {
  const titles = new Map<string, string>()
  for (const { result } of callsOf(turn)) {
    for (const [, title, uid] of result.matchAll(/\bPage “([^”\n]*)” \[(\d+)\]/g))
      titles.set(`pages:${uid}`, title as string)
    for (const [, title, uid] of result.matchAll(/^ *- ([^“\n[]+) \[(\d+)\]/gm))
      titles.set(`pages:${uid}`, title as string)
    for (const [, table, uid, title] of result.matchAll(
      /\b([a-z][a-z0-9_]*) \[(\d+)\][^“\n]{0,20}“([^”\n]*)”/g,
    ))
      titles.set(`${table}:${uid}`, title as string)
  }
  return titles
}

function callsOf(turn: TurnRow): { call: ToolCall; result: string }[] {
  const calls = new Map(turn.messages.flatMap((one) => (one.toolCalls ?? []).map((call) => [call.id, call])))
  return turn.messages.flatMap((message) => {
    const call = message.toolCallId ? calls.get(message.toolCallId) : undefined
    return call && !message.isError ? [{ call, result: resultText(message.content) }] : []
  })
}

function ofCall({ name, arguments: args }: ToolCall, result: string, answer: string): Source[] {
  const lines = result.match(/^- /gm)?.length ?? 0
  if (name === 'get_page_content') {
    const title = /Page “([^”]*)”/.exec(result)?.[1] ?? ''
    return record('pages', args.page, title)
  }
  if (name === 'get_record') return record(args.table, args.uid, /\] “([^”]*)”/.exec(result)?.[1] ?? '')
  if (name === 'search_records') return hits(result, answer)
  if (name === 'list_records' && lines > 0) return [{ kind: 'list', table: String(args.table), count: lines }]
  if (name === 'get_record_history' && lines > 0)
    return [{ kind: 'history', table: String(args.table), uid: Number(args.uid), count: lines }]
  if (name === 'fetch_logs' && lines > 0) return [{ kind: 'log', count: lines }]
  if (name === 'get_last_exception') return [{ kind: 'log', count: 1 }]
  if (name === 'get_page_tree') return [{ kind: 'tree' }]
  if (name === 'list_files' && lines > 0) return [{ kind: 'files', count: lines }]
  return []
}

function hits(result: string, answer: string): Source[] {
  const found = [...result.matchAll(/^- ([a-z][a-z0-9_]*) \[(\d+)\] “([^”\n]*)”/gm)] as unknown as Hit[]
  return found
    .filter((hit) => isNamed(hit, answer))
    .flatMap(([, table, uid, title]) => record(table, uid, title))
}

type Hit = [line: string, table: string, uid: string, title: string]

/** The answer refers to the record: `[news:8]`, or `[8]` behind its table or its title. */
function isNamed([, table, uid, title]: Hit, answer: string): boolean {
  if (answer.includes(`[${table}:${uid}]`)) return true
  const before = answer.split(`[${uid}]`).slice(0, -1)
  return before.some((text) => {
    const bare = text.replace(/[\s“”"'‘’*_`]+$/, '')
    return bare.endsWith(title) || bare.toLowerCase().endsWith(table)
  })
}

function record(table: unknown, uid: unknown, title: string): Source[] {
  const number = Number(uid)
  if (typeof table !== 'string' || !Number.isInteger(number)) return []
  return [{ kind: 'record', table, uid: number, title }]
}
