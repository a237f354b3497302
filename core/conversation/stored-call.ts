import * as z from 'zod'
import type { ItemReading } from '../base/aws/item.ts'
import { parsedJson } from '../base/json.ts'

/** A call of a tool as read from a transcript of any release. */
export type StoredCall = { id: string; name: string; arguments: Record<string, unknown> }

const Id = z.lazy(() => z.union([z.string().min(1), z.number().transform(String)]))
const Arguments = z.record(z.string(), z.unknown())
const Call = z.lazy(() =>
  z.object({
    id: Id,
    name: z.string().min(1),
    arguments: z.unknown().optional(),
    input: z.unknown().optional(),
  }),
)
/** The form of the Chat Completions API, which wraps name and arguments. */
const Wrapped = z.lazy(() =>
  z
    .object({ id: Id, function: z.object({ name: z.string().min(1), arguments: z.unknown().optional() }) })
    .transform(({ id, function: call }) => ({
      id,
      name: call.name,
      arguments: call.arguments,
      input: undefined,
    })),
)
const Stored = z.lazy(() => z.union([Call, Wrapped]))

/** Reads the calls of a stored list or its JSON text. Drops calls without id or name, which no result could answer. */
export function storedCalls(stored: unknown): ItemReading<StoredCall[]> {
  const list = typeof stored === 'string' ? parsedJson(stored) : stored
  if (!Array.isArray(list)) return { value: [], isWhole: false }
  const read = list.map(storedCall)
  return { value: read.flatMap(({ value }) => value ?? []), isWhole: read.every(({ isWhole }) => isWhole) }
}

/** Reads one call; arguments that cannot be read are empty. */
export function storedCall(stored: unknown): ItemReading<StoredCall | undefined> {
  const { data } = Stored.safeParse(stored)
  if (!data) return { value: undefined, isWhole: false }
  const given = data.arguments ?? data.input ?? {}
  const parsed = Arguments.safeParse(typeof given === 'string' ? parsedJson(given || '{}') : given)
  const value = { id: data.id, name: data.name, arguments: parsed.data ?? {} }
  return { value, isWhole: parsed.success }
}

/** The id of a call in its result; some releases stored it as a number. */
export const CallId = Id
