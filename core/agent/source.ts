import type { Message, Source } from '../conversation/transcript/schema.ts'
import { partsOf } from '../model/citable.ts'
import type { Citation, ModelMessage } from '../model/model.ts'

/** The maximum number of sources that an answer keeps. */
const maxSources = 60

type CitedPlace =
  | Omit<Extract<Source, { table: string }>, 'at'>
  | Omit<Extract<Source, { fileUid: number }>, 'at'>

/** Everything that an answer may cite: the messages of its request, and the stored rows that they come from. */
type Citable = { messages: readonly ModelMessage[]; rows: readonly Message[] }

/** Returns the sources that an answer cites, in a form that users can open; leaves out other citations. */
export function sourcesOf(citations: readonly Citation[], citable: Citable): Source[] {
  const found = new Map<string, Source>()
  for (const citation of citations) {
    const place = sourceOf(citation, citable)
    const source = place && { at: citation.at, ...place }
    if (source) found.set(JSON.stringify(source), source)
  }
  return [...found.values()].slice(0, maxSources)
}

function sourceOf({ block, from, to }: Citation, { messages, rows }: Citable): CitedPlace | undefined {
  if (block.type === 'image') return undefined
  if (block.type === 'document') return inFile(rows, block.fileUid, { page: from })
  const parts = partsOf(block.text)
  const before = parts.slice(0, from).join('')
  const cited = parts.slice(from, to).join('')
  if (block.type === 'text') return inText(rows, block.fileUid, before, cited)
  const call = messages
    .flatMap(({ role, content }) => (role === 'assistant' ? content : []))
    .find((one) => one.type === 'tool_call' && one.id === block.callId)
  const { name, arguments: args } = call?.type === 'tool_call' ? call : { name: '' }
  if (name === 'read_file') return inText(rows, Number(args?.file), before, cited)
  const calls = rows.flatMap(({ toolCalls = [] }) => toolCalls)
  const { id } = calls.find(({ given }) => given === block.callId) ?? { id: block.callId }
  const records = rows.findLast(({ toolCallId }) => toolCallId === id)?.records ?? []
  return inRecords(records, before, cited, name === 'get_record')
}

/**
 * Returns the record named last in the cited lines, otherwise the record named last before them. A source from
 * `get_record` also gets its field.
 */
function inRecords(
  records: NonNullable<Message['records']>,
  before: string,
  cited: string,
  hasFields: boolean,
): CitedPlace | undefined {
  const named = (text: string) =>
    records
      .map((record) => ({ record, at: text.lastIndexOf(`[${record.uid}]`) }))
      .filter(({ at }) => at >= 0)
      .sort((one, other) => other.at - one.at)[0]?.record
  const record = (hasFields ? records[0] : undefined) ?? named(cited) ?? named(before)
  if (!record) return undefined
  const { table, uid, title } = record
  const field = hasFields ? fieldOf(before, cited) : undefined
  return { table, uid, title, ...(field && { field }) }
}

/** Returns the label of the cited field, otherwise its name: `- header (Headline): …`. */
function fieldOf(before: string, cited: string): string | undefined {
  const line = /^- ([\w.-]{1,64})(?: \(([^,)\n]{1,80}))?/gm
  const [, name, label] = line.exec(cited) ?? [...before.matchAll(line)].at(-1) ?? []
  const isLabel = label !== undefined && label !== 'read-only' && !label.startsWith('one of ')
  return isLabel ? label : name
}

type Spot = { page?: number; sheet?: string; row?: number }

function inFile(rows: readonly Message[], fileUid: number | undefined, spot: Spot): CitedPlace | undefined {
  const name = rows.findLast((row) => row.fileUid === fileUid)?.fileName
  return fileUid === undefined || name === undefined ? undefined : { fileUid, name, ...spot }
}

/**
 * Returns the cited part of a text file, found by the headings in the extracted text: page or slide, or else sheet and
 * row.
 */
function inText(
  rows: readonly Message[],
  fileUid: number | undefined,
  before: string,
  cited: string,
): CitedPlace | undefined {
  const start = cited.search(/\S/)
  const text = before + cited.slice(0, Math.max(0, start)) + (/\S.*/.exec(cited)?.[0] ?? '')
  const heading = [...text.matchAll(/^## (.{1,200})$/gm)].at(-1)
  if (!heading) return inFile(rows, fileUid, {})
  const [, name = ''] = heading
  const page = /^(?:Page|Slide) (\d{1,6})/.exec(name)?.[1]
  if (page) return inFile(rows, fileUid, { page: Number(page) })
  const file = rows.findLast((row) => row.fileUid === fileUid)?.fileName ?? ''
  if (!/\.(?:xlsx|ods)$/i.test(file)) return inFile(rows, fileUid, {})
  const [, sheet = name, first = '1'] =
    /^(.*?)(?: \(hidden\))?(?: \(from row (\d+) of this sheet on; .*)?$/.exec(name) ?? []
  // A blank line follows the heading, then each row has one line.
  const row = text.slice(heading.index).split('\n').length - 3 + Number(first)
  return inFile(rows, fileUid, { sheet, ...(row >= Number(first) && { row }) })
}
