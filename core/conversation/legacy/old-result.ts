import type { CallOutcome, Message, RecordName } from '../transcript/schema.ts'

/**
 * Results of releases that stored no outcome with a result. Only their text tells the outcome; it is parsed here as
 * those releases wrote it, and nowhere else. Rows live as long as their conversation.
 */

const saying = 'The user says to this: '
const fenced = /^<data-(\w+) source="[^"]*">\n([\s\S]*?)\n?<\/data-\1>\s*/

/** The row with the outcome, records and decision that the text of an old result names; any other row unchanged. */
export function asStored(row: Message): Message {
  if (row.role !== 'tool' || row.outcome !== undefined) return row
  const fence = fenced.exec(row.content)
  const text = fence?.[2] ?? row.content
  const behind = row.content.slice(fence?.[0].length ?? 0)
  const remark = behind.startsWith(saying) ? behind.slice(saying.length).trim() : ''
  const outcome = row.isError ? outcomeOf(text) : 'done'
  const isDecided = outcome === 'denied' || /^(?:Not stored: |Stored|It is unknown whether)/.test(text)
  const found = row.isError ? {} : contentOf(row.toolName ?? '', text)
  return {
    ...row,
    outcome,
    ...found,
    ...(isDecided && { approved: outcome !== 'denied' }),
    ...(remark && { remark }),
  }
}

function outcomeOf(text: string): CallOutcome {
  if (text.startsWith('Denied by the user: ')) return 'denied'
  if (text.startsWith('Not run: ')) return 'notRun'
  if (text.startsWith('It is unknown whether')) return 'unknown'
  if (text.startsWith('Not stored: somebody changed')) return 'conflict'
  return text.includes('was not found, or the user may not see it.') ? 'missing' : 'failed'
}

/** Matches a record with its table before it: `news [8] “Winter prices”`, also with a type between uid and title. */
const named = /\b([a-z][a-z0-9_]*) \[(\d+)\][^“\n]{0,20}“([^”\n]{0,500})”/g

function contentOf(tool: string, text: string): Pick<Message, 'records' | 'count'> {
  const lines = text.match(/^ *- /gm)?.length ?? 0
  if (tool === 'get_page_content')
    return { records: [...matches('pages', /^Page “([^”\n]*)” \[(\d+)\]/g, text), ...records(text)] }
  if (tool === 'get_page_tree')
    return {
      records: [
        ...matches('pages', /^Page “([^”\n]*)” \[(\d+)\]/g, text),
        ...matches('pages', /^ *- ([^“\n[]+) \[(\d+)\]/gm, text),
      ],
    }
  if (tool === 'list_records') {
    const table = /^Table ([a-z][a-z0-9_]*)/.exec(text)?.[1]
    const listed = [...text.matchAll(/^- \[(\d+)\] “([^”\n]*)”/gm)]
    return table ? { records: listed.map(([, uid, title]) => record(table, uid, title)) } : {}
  }
  if (tool === 'get_record_history') {
    const [, table, uid] = /^Changes of ([a-z][a-z0-9_]*) \[(\d+)\]/.exec(text) ?? []
    return table ? { records: [record(table, uid, '')], count: text.match(/^- /gm)?.length ?? 0 } : {}
  }
  if (tool === 'get_last_exception') return text.startsWith('Exception ') ? { count: 1 } : {}
  if (tool === 'fetch_logs' || tool === 'list_files') return lines > 0 ? { count: lines } : {}
  if (text.startsWith('Stored'))
    return { records: stored(text), count: text.match(/^- [a-z]/gm)?.length ?? 1 }
  if (tool === 'get_record') return { records: records(text).slice(0, 1) }
  return tool === 'search_records' ? { records: records(text) } : {}
}

function stored(text: string): RecordName[] {
  const [, table, uid, title] =
    /^Stored[.:] [Rr]ecord ([a-z][a-z0-9_]*) \[(\d+)\](?: “([^”\n]*)”)?/.exec(text) ?? []
  return table ? [record(table, uid, title)] : []
}

function records(text: string): RecordName[] {
  return [...text.matchAll(named)].map(([, table, uid, title]) => record(table as string, uid, title))
}

function matches(table: string, pattern: RegExp, text: string): RecordName[] {
  return [...text.matchAll(pattern)].map(([, title, uid]) => record(table, uid, title))
}

function record(table: string, uid: string | undefined, title: string | undefined): RecordName {
  return { table, uid: Number(uid), title: title ?? '' }
}
