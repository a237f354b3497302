import type { ToolCall } from '../../../core/message/schema.ts'
import { resultText, type TurnRow } from './turns.ts'

/** Something that an answer stands on: a record to open, or a list that was read. */
export type Source =
  | { kind: 'record'; table: string; uid: number; title: string }
  | { kind: 'history'; table: string; uid: number; count: number }
  | { kind: 'list'; table: string; count: number }
  | { kind: 'log'; count: number }
  | { kind: 'tree' }
  | { kind: 'files'; count: number }

/** More hits than this of one search are no sources, but a result list. */
const mostHits = 5

/** Where the turn's answers come from: derived from its calls and their results, never from what the model says. */
export function sourcesOf(turn: TurnRow): Source[] {
  const found = new Map<string, Source>()
  for (const { call, result } of callsOf(turn))
    for (const source of ofCall(call, result)) {
      const key = 'uid' in source ? `${source.kind} ${source.table} ${source.uid}` : JSON.stringify(source)
      if (!found.has(key)) found.set(key, source)
    }
  return [...found.values()]
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

function ofCall({ name, arguments: args }: ToolCall, result: string): Source[] {
  const lines = result.match(/^- /gm)?.length ?? 0
  if (name === 'get_page_content') {
    const title = /Page “([^”]*)”/.exec(result)?.[1] ?? ''
    return record('pages', args.page, title)
  }
  if (name === 'get_record') return record(args.table, args.uid, /\] “([^”]*)”/.exec(result)?.[1] ?? '')
  if (name === 'search_records') return hits(result)
  if (name === 'list_records' && lines > 0) return [{ kind: 'list', table: String(args.table), count: lines }]
  if (name === 'get_record_history' && lines > 0)
    return [{ kind: 'history', table: String(args.table), uid: Number(args.uid), count: lines }]
  if (name === 'fetch_logs' && lines > 0) return [{ kind: 'log', count: lines }]
  if (name === 'get_last_exception') return [{ kind: 'log', count: 1 }]
  if (name === 'get_page_tree') return [{ kind: 'tree' }]
  if (name === 'list_files' && lines > 0) return [{ kind: 'files', count: lines }]
  return []
}

function hits(result: string): Source[] {
  const found = [...result.matchAll(/^- ([a-z][a-z0-9_]*) \[(\d+)\] “([^”\n]*)”/gm)]
  return found.slice(0, mostHits).flatMap(([, table, uid, title]) => record(table, uid, title as string))
}

function record(table: unknown, uid: unknown, title: string): Source[] {
  const number = Number(uid)
  if (typeof table !== 'string' || !Number.isInteger(number)) return []
  return [{ kind: 'record', table, uid: number, title }]
}
