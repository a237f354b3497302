import type { RecordId } from '../../conversation/schema.ts'
import { type PageContent, pageContent, record, type Stored } from './reading.ts'
import { type Lang, trouble } from './speech.ts'

/**
 * A script is a generator: it yields the calls of one round, receives their results, and returns the answer. It keeps
 * no state: every request replays the script over the rounds in the transcript.
 */

export type ScriptedCall = { name: string; arguments: Record<string, unknown> }

/** The result of a call: the text of the tool without the fence around it. */
export type Result = ScriptedCall & { text: string; isError: boolean }

export type Script = Generator<ScriptedCall[], string, Result[]>

/** The next move: calls, or the answer. */
export type Move = { calls: ScriptedCall[]; text?: never } | { calls?: never; text: string }

/** Thrown to end a script anywhere: the message is the script's answer. */
class Ending extends Error {}

/** Ends a script with an answer. */
export function end(answer: string): never {
  throw new Ending(answer)
}

/**
 * Runs a script against the rounds of the transcript, and returns the first move that is not in it yet. A text is the
 * answer itself.
 */
export function play(script: Script | string, rounds: Result[][]): Move {
  if (typeof script === 'string') return { text: script }
  const played = unlessEnded(script)
  let step = played.next()
  for (const results of rounds) {
    if (step.done) break
    step = played.next(inOrder(step.value, results))
  }
  return step.done ? { text: step.value } : { calls: step.value }
}

/** Returns a result for each call; a call without a result was not run and counts as an error. */
function inOrder(calls: ScriptedCall[], results: Result[]): Result[] {
  return calls.map((call, index) => results[index] ?? { ...call, text: '', isError: true })
}

/** A part of a script that may call tools before it returns a value. */
export type Part<T> = Generator<ScriptedCall[], T, Result[]>

/** Returns the value of a part, or the answer with which it ends. */
export function* unlessEnded<T>(part: Part<T>): Part<T | string> {
  try {
    return yield* part
  } catch (error) {
    if (error instanceof Ending) return error.message
    throw error
  }
}

/** Yields the calls of one round, and returns the result of each. */
export function* calling(...calls: ScriptedCall[]): Part<Result[]> {
  return yield calls
}

/** Yields one call, and returns its result. */
export function* call(name: string, args: Record<string, unknown> = {}): Part<Result> {
  const [result] = yield [{ name, arguments: args }]
  return result ?? { name, arguments: args, text: '', isError: true }
}

/** Returns the text of a tool; if the tool refuses, the script ends with the tool's reason. */
export function* read(
  { lang }: { lang: Lang },
  name: string,
  args: Record<string, unknown> = {},
): Part<string> {
  const { text, isError } = yield* call(name, args)
  if (isError) end(trouble(lang, text))
  return text
}

/** Returns the content of a page; if it cannot be read, the script ends with the reason. */
export function* readPage(s: { lang: Lang }, page: RecordId): Part<PageContent> {
  const text = yield* read(s, 'get_page_content', { page })
  return pageContent(text) ?? end(trouble(s.lang, text))
}

/** Returns a record as stored; if it cannot be read, the script ends with the reason. */
export function* readRecord(s: { lang: Lang }, table: string, uid: RecordId): Part<Stored> {
  const text = yield* read(s, 'get_record', { table, uid })
  return record(text) ?? end(trouble(s.lang, text))
}
