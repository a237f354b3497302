/**
 * A script is a generator: it yields the calls of one round, receives their results, and returns the answer. The
 * transcript is its memory: every request replays it over the rounds that exist already.
 */

export type Call = { name: string; arguments: Record<string, unknown> }

/** What a tool said, without its fence. */
export type Result = Call & { text: string; isError: boolean }

export type Script = Generator<Call[], string, Result[]>

/** What comes next: calls, or the answer. */
export type Move = { calls: Call[]; text?: never } | { calls?: never; text: string }

/** Plays a script over the rounds that were made, up to the first thing that is not in them. A text needs none. */
export function play(script: Script | string, rounds: Result[][]): Move {
  if (typeof script === 'string') return { text: script }
  let step = script.next()
  for (const results of rounds) {
    if (step.done) break
    step = script.next(inOrder(step.value, results))
  }
  return step.done ? { text: step.value } : { calls: step.value }
}

/** A result for each call; one that is missing was never run. */
function inOrder(calls: Call[], results: Result[]): Result[] {
  return calls.map((call, index) => results[index] ?? { ...call, text: '', isError: true })
}

/** The calls of one round, and the result of each. */
export function* calling(...calls: Call[]): Generator<Call[], Result[], Result[]> {
  return yield calls
}

/** One call, and its result. */
export function* call(name: string, args: Record<string, unknown> = {}): Generator<Call[], Result, Result[]> {
  const [result] = yield [{ name, arguments: args }]
  return result ?? { name, arguments: args, text: '', isError: true }
}
