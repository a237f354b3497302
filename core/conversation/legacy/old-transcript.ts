import * as z from 'zod'
import type { Field, ItemReading } from '../../base/aws/item.ts'
import { parsedJson } from '../../base/json.ts'
import { objectOf } from '../../base/lazy-schema.ts'
import type { ToolCall } from '../transcript/schema.ts'

/** A message of the old transcript column, with its readable parts. */
type LegacyMessage = {
  role: 'user' | 'assistant' | 'tool'
  content: string
  createdAt?: string
  fileUid?: number
  fileName?: string
  fileMimeType?: string
  toolCalls?: ToolCall[]
  toolCallId?: string
  toolName?: string
  isError?: boolean
  /** True if no part of the entry can be read. */
  isUnreadable?: true
}

/**
 * Returns the attribute of earlier releases that holds a transcript: a list of messages or its JSON text, empty for
 * none. The entries differ between releases. Names have capitals or underscores. Text is one text or a list of parts.
 * Calls and results are in separate fields or among the parts. Any unreadable part marks the column as damaged. An
 * entry without any readable part stays, marked as unreadable.
 */
export function oldTranscript(attribute: string): Field<LegacyMessage[]> {
  return { attribute, empty: [], isRequired: false, isOmitted: false, read, write: (messages) => messages }
}

function read(stored: unknown): ItemReading<LegacyMessage[]> {
  if (stored === '' || stored === null) return { value: [], isWhole: true }
  const list = typeof stored === 'string' ? parsedJson(stored) : stored
  if (!Array.isArray(list)) return { value: [unreadable], isWhole: false }
  const entries = list.map(entry)
  return {
    value: entries.flatMap(({ value }) => value),
    isWhole: entries.every(({ isWhole }) => isWhole),
  }
}

const unreadable: LegacyMessage = { role: 'assistant', content: '', isUnreadable: true }

const Entry = z.lazy(() => z.record(z.string(), z.unknown()))
const Time = z.lazy(() => z.string().refine((at) => !Number.isNaN(Date.parse(at))))

function entry(stored: unknown): ItemReading<LegacyMessage[]> {
  if (typeof stored === 'string') return { value: [{ role: 'assistant', content: stored }], isWhole: false }
  const { data } = Entry.safeParse(stored)
  if (!data) return { value: [unreadable], isWhole: false }
  if (data.isUnreadable === true) return { value: [unreadable], isWhole: true }
  const role = data.role === 'user' || data.role === 'tool' ? data.role : 'assistant'
  const content = contentOf(data.content)
  const listed = attributeOf(data, 'toolCalls', storedCalls)
  const calls = [...(listed.value ?? []), ...content.calls]
  const named = {
    createdAt: attributeOf(data, 'createdAt', by(Time)),
    fileUid: attributeOf(data, 'fileUid', by(z.int())),
    fileName: attributeOf(data, 'fileName', by(z.string())),
    fileMimeType: attributeOf(data, 'fileMimeType', by(z.string())),
    toolCallId: attributeOf(data, 'toolCallId', by(CallId)),
    toolName: attributeOf(data, 'toolName', by(z.string())),
    isError: attributeOf(data, 'isError', by(z.boolean())),
  }
  const isWhole = content.isWhole && listed.isWhole && Object.values(named).every((one) => one.isWhole)
  const known = Object.entries(named).filter(([, { value }]) => value !== undefined)
  const own: LegacyMessage = {
    role,
    content: content.text,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...Object.fromEntries(known.map(([name, { value }]) => [name, value])),
  }
  const saysNothing = content.text === '' && calls.length === 0 && own.fileUid === undefined && !isWhole
  if (content.results.length > 0 && content.text === '') return { value: content.results, isWhole }
  return { value: [...content.results, saysNothing ? unreadable : own], isWhole }
}

/** Reads the value of this name with capitals, else with underscores; null counts as no value. */
function attributeOf<T>(
  data: Record<string, unknown>,
  name: string,
  reading: (stored: unknown) => ItemReading<T | undefined>,
): ItemReading<T | undefined> {
  const stored = data[name] ?? data[name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)]
  return stored === undefined || stored === null ? { value: undefined, isWhole: true } : reading(stored)
}

const by =
  <T>(schema: z.ZodType<T>) =>
  (stored: unknown): ItemReading<T | undefined> => {
    const { success, data } = schema.safeParse(stored)
    return { value: data, isWhole: success }
  }

type Content = { text: string; calls: ToolCall[]; results: LegacyMessage[]; isWhole: boolean }

/** Returns the text of a message: one text, or a list of parts with calls and results among them. */
function contentOf(stored: unknown): Content {
  if (typeof stored === 'string') return { text: stored, calls: [], results: [], isWhole: true }
  if (stored === undefined || stored === null) return { text: '', calls: [], results: [], isWhole: true }
  if (!Array.isArray(stored)) return { text: '', calls: [], results: [], isWhole: false }
  const content: Content = { text: '', calls: [], results: [], isWhole: true }
  const texts: string[] = []
  for (const part of stored) {
    const text = typeof part === 'string' ? part : TextPart.safeParse(part).data?.text
    const result = ResultPart.safeParse(part).data
    const call = CallPart.safeParse(part).success ? storedCall(part).value : undefined
    if (text !== undefined) texts.push(text)
    else if (result) content.results.push(resultOf(result))
    else if (call) content.calls.push(call)
    else content.isWhole = false
  }
  return { ...content, text: texts.join('\n') }
}

const TextPart = objectOf(() => ({ type: z.enum(['text', 'input_text', 'output_text']), text: z.string() }))
const CallPart = objectOf(() => ({ type: z.literal('tool_use') }))
const ResultPart = objectOf(() => ({
  type: z.literal('tool_result'),
  tool_use_id: CallId,
  content: z.unknown().optional(),
  is_error: z.boolean().optional(),
}))

function resultOf({ tool_use_id, content, is_error }: z.infer<typeof ResultPart>): LegacyMessage {
  return {
    role: 'tool',
    content: contentOf(content).text,
    toolCallId: tool_use_id,
    ...(is_error !== undefined && { isError: is_error }),
  }
}

/** The id of a call; some releases stored a number. */
export const CallId = z.lazy(() => z.union([z.string().min(1), z.number().transform(String)]))
const Arguments = z.record(z.string(), z.unknown())
const Call = objectOf(() => ({
  id: CallId,
  given: z.string().optional(),
  name: z.string().min(1),
  arguments: z.unknown().optional(),
  input: z.unknown().optional(),
}))
/** The form of the Chat Completions API, which wraps name and arguments. */
const Wrapped = z.lazy(() =>
  z
    .object({
      id: CallId,
      function: z.object({ name: z.string().min(1), arguments: z.unknown().optional() }),
    })
    .transform(({ id, function: call }) => ({
      id,
      given: undefined,
      name: call.name,
      arguments: call.arguments,
      input: undefined,
    })),
)
const Stored = z.lazy(() => z.union([Call, Wrapped]))

/** Reads the calls of a stored list or its JSON text. Drops calls without id or name, which no result could answer. */
export function storedCalls(stored: unknown): ItemReading<ToolCall[]> {
  const list = typeof stored === 'string' ? parsedJson(stored) : stored
  if (!Array.isArray(list)) return { value: [], isWhole: false }
  const read = list.map(storedCall)
  return { value: read.flatMap(({ value }) => value ?? []), isWhole: read.every(({ isWhole }) => isWhole) }
}

/** Reads one call; arguments that cannot be read are empty. */
function storedCall(stored: unknown): ItemReading<ToolCall | undefined> {
  const { data } = Stored.safeParse(stored)
  if (!data) return { value: undefined, isWhole: false }
  const { id, name, given } = data
  const args = data.arguments ?? data.input ?? {}
  const parsed = Arguments.safeParse(typeof args === 'string' ? parsedJson(args || '{}') : args)
  const value = { id, name, ...(given && { given }), arguments: parsed.data ?? {} }
  return { value, isWhole: parsed.success }
}
