import type * as z from 'zod'
import { type Answer, BatchAnswer, maxCalls } from '../operation.ts'
import type { UserId } from '../user-number/schema.ts'
import { ask, type Line, misconfigured, refused, TooLarge } from './line.ts'

/** One call that waits for its request. */
type Waiting = {
  operation: string
  input: unknown
  done(result: unknown): void
  failed(error: unknown): void
}

/**
 * Asks for one user: calls that are made at the same time become one request.
 */
export function gatherer(line: Line): (user: UserId, operation: string, input: unknown) => Promise<unknown> {
  const waiting = new Map<UserId, Waiting[]>()
  return (user, operation, input) =>
    new Promise((done, failed) => {
      const calls = waiting.get(user)
      const call = { operation, input, done, failed }
      if (calls) {
        calls.push(call)
        return
      }
      waiting.set(user, [call])
      if (waiting.size > 1) return
      // A caller that asks several questions asks them all before the process runs anything else.
      setImmediate(() => {
        for (const [acting, gathered] of taken(waiting)) {
          for (let at = 0; at < gathered.length; at += maxCalls) {
            void send(line, acting, gathered.slice(at, at + maxCalls))
          }
        }
      })
    })
}

/** Takes all waiting calls, grouped by user. Calls without an acting user join those of a user. */
function taken(waiting: Map<UserId, Waiting[]>): Map<UserId, Waiting[]> {
  const all = new Map(waiting)
  waiting.clear()
  const ofNobody = all.get(0)
  const first = [...all.keys()].find((user) => user !== 0)
  if (!ofNobody || first === undefined) return all
  all.delete(0)
  return all.set(first, [...(all.get(first) ?? []), ...ofNobody])
}

async function send(line: Line, user: UserId, calls: Waiting[]): Promise<void> {
  const [first, second] = calls
  if (!first) return
  if (!second) return alone(line, user, first)
  try {
    const asked = calls.map(({ operation, input }) => ({ operation, input }))
    const answers = await inBatch(line, user, asked)
    for (const [at, call] of calls.entries()) settle(call, answers[at])
  } catch (error) {
    if (error instanceof TooLarge) {
      await Promise.all(calls.map((call) => alone(line, user, call)))
      return
    }
    for (const call of calls) call.failed(error)
  }
}

async function inBatch(
  line: Line,
  user: UserId,
  calls: Pick<Waiting, 'operation' | 'input'>[],
): Promise<z.infer<typeof Answer>[]> {
  const { success, data } = BatchAnswer.safeParse({ result: await ask(line, 'batch', user, { calls }) })
  if (!success || data.result.length !== calls.length)
    throw misconfigured(`The CMS at ${line.url} answers a batch in another shape than the bridge has.`)
  return data.result
}

function settle({ operation, done, failed }: Waiting, answer: z.infer<typeof Answer> | undefined): void {
  if (answer && 'error' in answer) failed(refused(operation, answer))
  else done(answer?.result)
}

function alone(line: Line, user: UserId, { operation, input, done, failed }: Waiting): Promise<void> {
  return ask(line, operation, user, input).then(done, failed)
}
