/**
 * A script is a generator: it yields the calls of one round, receives their results, and returns the answer. It keeps
 * no state: every request replays the script over the rounds in the transcript.
 */

export type ScriptedCall = { name: string; arguments: Record<string, unknown> }

/** The text of a tool without its fence. */
export type Result = ScriptedCall & { text: string; isError: boolean }

export type Script = Generator<ScriptedCall[], string, Result[]>

/** The next move: calls, or the answer. */
export type Move = { calls: ScriptedCall[]; text?: never } | { calls?: never; text: string }

/** Plays a script over the rounds of the transcript, up to the first new move. A text is the answer itself. */
export function play(script: Script | string, rounds: Result[][]): Move {
  if (typeof script === 'string') return { text: script }
  let step = script.next()
  for (const results of rounds) {
    if (step.done) break
    step = script.next(inOrder(step.value, results))
  }
  return step.done ? { text: step.value } : { calls: step.value }
}

/** A result for each call; a call without a result was not run and counts as an error. */
function inOrder(calls: ScriptedCall[], results: Result[]): Result[] {
  return calls.map((call, index) => results[index] ?? { ...call, text: '', isError: true })
}

/** Yields the calls of one round, and returns the result of each. */
export function* calling(...calls: ScriptedCall[]): Generator<ScriptedCall[], Result[], Result[]> {
  return yield calls
}

/** Yields one call, and returns its result. */
export function* call(
  name: string,
  args: Record<string, unknown> = {},
): Generator<ScriptedCall[], Result, Result[]> {
  const [result] = yield [{ name, arguments: args }]
  return result ?? { name, arguments: args, text: '', isError: true }
}
