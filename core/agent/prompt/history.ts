import {
  batchOf,
  type CallOutcome,
  type ImageBlock,
  isSingle,
  type Message,
  type Notice,
  positionOf,
  type RecordName,
} from '../../conversation/transcript/schema.ts'
import type { AssistantBlock, ModelMessage, Part, UserBlock } from '../../model/model.ts'
import type { Call, Entry, Turn } from './recall.ts'
import { type Kept, type Room, within } from './window.ts'

/**
 * Turns a transcript into the messages of a model request. Reads rows field by field, because they have fields that a
 * provider refuses. Repairs what a crash, a refusal or an old release left, so that any transcript makes a valid
 * request. Never changes stored rows.
 */

export type HistoryOptions = Room & {
  /** Returns the attachment and the mentions of a row as blocks to send; called only for user rows with either. */
  expand(row: Message): SentBlocks
  /** Returns the parts of a reply of the running turn in order, with the model's thoughts; undefined for other rows. */
  parts?(row: Message): Part[] | undefined
  /** Returns the pictures of a result of the running turn; undefined for other rows. */
  images?(row: Message): ImageBlock[] | undefined
}

/** The blocks of a message besides its text, and their estimated tokens. */
export type SentBlocks = { blocks: UserBlock[]; tokens: number }

/** The messages that a request sends, and how the transcript was shortened for them. */
export type History = Omit<Kept, 'turns'> & { messages: ModelMessage[] }

/**
 * Returns the messages of a request. The first and the last message are the user's. Each call has its result, in the
 * order of the calls, at the start of the next user message.
 */
export function buildHistory(rows: Message[], options: HistoryOptions): History {
  const { turns, ...kept } = within(splitTurns(readEntries(rows, options)), options)
  return { messages: frameWithUser(joinEntries(turns.flat())), ...kept }
}

/** The notices of rows that the model also gets; rows with another notice are for the user alone. */
const sent = new Set<Notice | undefined>([undefined, 'truncated', 'undone', 'demo'])

const noResult = 'This call was not run: the turn ended before it.'

/**
 * The state while rows are read. `ids`: the used ids, each with its number of copies. `open`: the calls in the newest
 * reply that have no result yet, by stored id. `singles`: the results of the single calls of each batch.
 */
type Reading = { ids: Map<string, number>; open: Map<string, Call[]>; singles: Map<Call, Message[]> }

function readEntries(rows: Message[], options: HistoryOptions): Entry[] {
  const reading: Reading = { ids: new Map(), open: new Map(), singles: new Map() }
  const entries = rows.flatMap((row): Entry[] => {
    if (row.role === 'user') return [userEntry(row, options)]
    if (row.role === 'tool') {
      assignResult(row, reading, options.images?.(row))
      return []
    }
    if (!sent.has(row.notice)) return []
    if (row.notice === 'undone')
      return row.records?.length === 0 ? [] : [{ kind: 'note', text: undoneNote(row) }]
    const parts = options.parts?.(row)
    return [{ kind: 'assistant', text: row.content, calls: readCalls(row, reading), ...(parts && { parts }) }]
  })
  for (const [call, singles] of reading.singles) call.result = batchResult(call, singles, call.result)
  return entries
}

function readCalls(row: Message, { ids, open }: Reading): Call[] {
  const named = new Map<string, Call[]>()
  const list = (row.toolCalls ?? []).map(({ id, given = id, name, arguments: args }) => {
    const result = { text: noResult, isError: true }
    const call: Call = { id: claimId(given, ids), name: cleanToolName(name), arguments: args, result }
    named.set(id, [...(named.get(id) ?? []), call])
    return call
  })
  for (const [id, same] of named) open.set(id, same)
  return list
}

/**
 * Gives a result to the first call in the newest reply that has the result's id and no result yet. Drops the result if
 * there is no such call.
 */
function assignResult(row: Message, { open, singles }: Reading, images: ImageBlock[] | undefined): void {
  const id = row.toolCallId ?? ''
  const batch = isSingle(id) && !open.has(id) ? open.get(batchOf(id))?.[0] : undefined
  const isDecided = row.approved !== undefined || row.remark !== undefined
  if (batch) {
    batch.isDecided ||= isDecided
    singles.set(batch, [...(singles.get(batch) ?? []), row])
    return
  }
  const call = open.get(id)?.shift()
  if (!call) return
  call.isDecided = isDecided
  call.result = { text: row.content, isError: row.isError ?? false, ...(images && { images }) }
}

function userEntry(row: Message, options: HistoryOptions): Entry {
  const { content: text, sequence } = row
  const entry = { kind: 'user' as const, text, sequence }
  if (row.fileUid === undefined && !row.mentions) return { ...entry, blocks: [], attachmentTokens: 0 }
  const { blocks, tokens } = options.expand(row)
  const filled = blocks.filter((block) => block.type !== 'text' || !isBlank(block.text))
  return { ...entry, blocks: filled, attachmentTokens: tokens }
}

/** Returns the note about an undo. It names records only by table and uid, because titles are data of strangers. */
function undoneNote({ content, records, conflicts = [] }: Message): string {
  const list = (all: readonly RecordName[]) => all.map(({ table, uid }) => `${table} [${uid}]`).join(', ')
  const left =
    conflicts.length > 0 ? ` Could not be taken back, so still as they are: ${list(conflicts)}.` : ''
  const what = records ? `${list(records)}.${left}` : content.trim()
  return `[Note of the system, not of the user: changes that you made earlier in this conversation were taken back. ${records ? 'Taken back: ' : ''}${what}]`
}

/** Makes call ids unique: some servers use an id in several replies, but a request must contain each id only once. */
function claimId(id: string, taken: Map<string, number>): string {
  let copy = taken.get(id) ?? 0
  let name = id
  do {
    copy += 1
    name = copy === 1 ? id : `${id}_${copy}`
  } while (copy > 1 && taken.has(name))
  taken.set(id, copy)
  if (name !== id) taken.set(name, 1)
  return name
}

/** Replaces the characters that providers do not allow in tool names. */
const cleanToolName = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_'

/** Splits entries into turns: a turn begins with a user message, or with notes directly before it. */
function splitTurns(entries: Entry[]): Turn[] {
  const turns: Turn[] = []
  let notes: Entry[] = []
  for (const entry of entries) {
    if (entry.kind === 'note') {
      notes.push(entry)
      continue
    }
    if (entry.kind === 'user' || turns.length === 0) turns.push([...notes, entry])
    else turns.at(-1)?.push(...notes, entry)
    notes = []
  }
  if (notes.length === 0) return turns
  return [...turns.slice(0, -1), [...(turns.at(-1) ?? []), ...notes]]
}

/** Joins adjacent messages of one role, so that results come before the text after them. */
function joinEntries(entries: Entry[]): ModelMessage[] {
  const list: ModelMessage[] = []
  for (const entry of entries) {
    if (entry.kind !== 'assistant') {
      addBlocks(list, { role: 'user', content: userBlocks(entry) })
      continue
    }
    addBlocks(list, { role: 'assistant', content: assistantBlocks(entry) })
    addBlocks(list, { role: 'user', content: entry.calls.map(resultBlock) })
  }
  return list
}

const resultBlock = ({ id, result: { text, ...more } }: Call): UserBlock => ({
  type: 'tool_result',
  callId: id,
  text: isBlank(text) ? '(no output)' : text,
  ...more,
})

function userBlocks(entry: Exclude<Entry, { kind: 'assistant' }>): UserBlock[] {
  const text: UserBlock[] = isBlank(entry.text) ? [] : [{ type: 'text', text: entry.text }]
  if (entry.kind === 'note') return text
  const blocks = [...entry.blocks, ...text]
  return blocks.length > 0 ? blocks : [{ type: 'text', text: '(no text)' }]
}

function assistantBlocks({ text, calls, parts }: Entry & { kind: 'assistant' }): AssistantBlock[] {
  const called = calls.map(
    ({ id, name, arguments: args }): AssistantBlock => ({ type: 'tool_call', id, name, arguments: args }),
  )
  if (!parts) return [...(isBlank(text) ? [] : [{ type: 'text' as const, text }]), ...called]
  return parts.flatMap((part) => (part.type === 'call' ? (called[part.at] ?? []) : part))
}

function addBlocks(list: ModelMessage[], added: ModelMessage): void {
  const last = list.at(-1)
  if (last?.role === added.role) (last.content as (UserBlock | AssistantBlock)[]).push(...added.content)
  else if (added.content.length > 0) list.push(added)
}

/** Adds a user message at an end of the list that has none. All providers need the first, newer models the last. */
function frameWithUser(list: ModelMessage[]): ModelMessage[] {
  const userText = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })
  if (list.at(0)?.role !== 'user') list.unshift(userText('(The beginning of the conversation is not shown.)'))
  if (list.at(-1)?.role !== 'user') list.push(userText('(Go on.)'))
  return list
}

const isBlank = (text: string): boolean => text.trim() === ''

/**
 * The maximum number of results per outcome that the result of a batch contains in full. A stored single is quoted only
 * if the user changed its words.
 */
const mostTexts = 3

const outcomeWords: Partial<Record<CallOutcome, string>> = {
  done: 'Stored',
  denied: 'Denied by the user, nothing was changed',
  conflict: 'Not stored, the record was changed meanwhile',
  notRun: 'Not run',
  unknown: 'Unknown whether stored',
}

/**
 * Returns the result of a batch for the model: the outcome of each record by name, and some results in full. `rest` is
 * the result of the whole batch, and applies to the changes that have no result of their own.
 */
function batchResult(
  call: Pick<Call, 'arguments'>,
  singles: readonly Message[],
  rest: Call['result'] | undefined,
): Call['result'] {
  const { changes, records } = call.arguments
  const all = [changes ?? records ?? []].flat() as { uid?: unknown }[]
  // A new record has its position in the call as its name, and a uid once it is stored.
  const nameOf = ({ toolCallId = '', records: [made] = [] }: Message) => {
    const at = positionOf(toolCallId)
    if (changes) return `[${all[at]?.uid}]`
    return `record ${at + 1}${made ? ` [${made.uid}]` : ''}`
  }
  const groups = Map.groupBy(singles, ({ outcome = 'done' }) => outcome)
  const lines = [...groups].flatMap(([outcome, rows]) => {
    const words = outcomeWords[outcome] ?? 'Not stored'
    const telling = outcome === 'done' ? rows.filter(({ edited }) => edited) : rows
    const texts = telling.slice(0, mostTexts).map((row) => `${nameOf(row)}: ${row.content}`)
    return [`${words}: ${rows.length} of ${all.length}: ${rows.map(nameOf).join(' ')}`, ...texts]
  })
  const others = all.length - singles.length
  if (others > 0 && rest) lines.push(`The other ${others}: ${rest.text}`)
  return { text: lines.join('\n'), isError: !groups.has('done') }
}
