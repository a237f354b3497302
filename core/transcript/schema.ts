import * as z from 'zod'
import { Mention, RecordId } from '../conversation/schema.ts'
import { LeftOut, State } from '../document/schema.ts'

/** Notices of a row beside its text: the reason for the row, or how its turn ended. */
export const Notice = z.enum([
  'cancelled',
  'superseded',
  'expired',
  'refused',
  'truncated',
  'shortened',
  'notUsed',
  'undone',
  'demo',
  'unreadable',
])
export type Notice = z.infer<typeof Notice>

/** What became of a call. `notKnown`: no such tool exists; `failed`: for a technical reason; `unknown`: the CMS does not say whether the write happened. */
export const CallOutcome = z.enum([
  'done',
  'notKnown',
  'notPermitted',
  'notValid',
  'refused',
  'missing',
  'denied',
  'notRun',
  'conflict',
  'unknown',
  'failed',
])
export type CallOutcome = z.infer<typeof CallOutcome>

/** The beginning of the text that tells the model why a call was not run. */
export const notRun = 'Not run: '

/** A record that a row is about; `page` is the uid of its page. */
export const RecordName = z.lazy(() =>
  z.object({
    table: z.string(),
    uid: RecordId,
    title: z.string(),
    page: RecordId.optional(),
  }),
)
export type RecordName = z.infer<typeof RecordName>

/** A change that could not be taken back, and why, as its user reads it. */
export const Conflict = z.lazy(() => RecordName.unwrap().extend({ reason: z.string() }))
export type Conflict = z.infer<typeof Conflict>

/** What became of a file in a request to the model: in its own form (`sent`), as text, or in neither. */
export const FileState = z.enum([
  ...State.options,
  'sent',
  'gone',
  'noVision',
  'refused',
  'badImage',
  'noRoom',
])
export type FileState = z.infer<typeof FileState>

/** A file of the user that the model did not get, or not as a whole: why, and what its text lacks. */
export const NotUsed = z.lazy(() =>
  z.object({
    fileUid: z.int(),
    name: z.string(),
    state: FileState,
    leftOut: z.array(LeftOut),
  }),
)
export type NotUsed = z.infer<typeof NotUsed>

/** A call that the model made. */
export const ToolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
})
export type ToolCall = z.infer<typeof ToolCall>

/** Who speaks in an entry of the transcript: the user, the model, or a tool. */
export const Role = z.enum(['user', 'assistant', 'tool'])

/** One entry of the transcript, as readers get it. `sequence` is 0-based and dense. */
export const Message = z.lazy(() =>
  z.object({
    sequence: z.int().min(0),
    role: Role,
    content: z.string(),
    createdAt: z.iso.datetime(),
    fileUid: z.int().optional(),
    fileName: z.string().optional(),
    fileMimeType: z.string().optional(),
    /** Of a message of the user: what of the site it names beside its words. */
    mentions: z.array(Mention).optional(),
    toolCalls: z.array(ToolCall).optional(),
    toolCallId: z.string().optional(),
    toolName: z.string().optional(),
    isError: z.boolean().optional(),
    /** Of a result: what became of the call. */
    outcome: CallOutcome.optional(),
    /** The records that a call has read or written, or those that were taken back. */
    records: z.array(RecordName).optional(),
    /** How many entries a call has read, or how many fields it changed, where that is not the number of records. */
    count: z.int().optional(),
    /** Of a result that needed a decision: the decision. */
    approved: z.boolean().optional(),
    /** What the user said with the decision. */
    remark: z.string().optional(),
    /** The fields for which the user put other words in the place of the proposed ones before approving. */
    edited: z.array(z.string()).optional(),
    /** The changes that could not be taken back, on a row that tells of those that were. */
    conflicts: z.array(Conflict).optional(),
    /** The files that the model did not get, or not as a whole, on the row that tells the user so. */
    notUsed: z.array(NotUsed).optional(),
    runId: z.string().optional(),
    notice: Notice.optional(),
  }),
)
export type Message = z.infer<typeof Message>

/**
 * A batch is one call of the model about many records. All that happens to it happens to its singles: a call for each
 * record, with an id, a decision, a write and a result row of its own, so that a crash in the middle loses none of them.
 */

const mark = /#[0-9]+$/

/** The id of the single at a position of a batch, counted from 0. */
export const singleId = (batch: string, at: number): string => `${batch}#${at}`

/** Whether an id is that of a single. No call of a model has such an id: `callId` sees to it. */
export const isSingle = (id: string): boolean => mark.test(id)

/** The id of the batch that a single belongs to; any other id as it is. */
export const batchOf = (id: string): string => id.replace(mark, '')

/** The position of a single in its batch. */
export const positionOf = (id: string): number => Number(mark.exec(id)?.[0].slice(1) ?? 0)

/** The id of a call of a model, made such that it is not taken for one of a single. */
export const callId = (id: string): string => id.replace(mark, (end) => `_${end.slice(1)}`)

/** Calls with the singles of a batch as the one call that the model made, each batch once. */
export function batches<C extends { id: string }>(calls: readonly C[]): C[] {
  const whole = calls.map((call) => ({ ...call, id: batchOf(call.id) }))
  return [...new Map(whole.map((call) => [call.id, call])).values()]
}
