import * as Log from '../base/log.ts'
import * as Queue from '../conversation/queue.ts'
import type { Live } from '../live.ts'
import { consume } from './consume.ts'

export type WorkerOptions = {
  /** The maximum number of turns that run at the same time. */
  concurrency: number
  /** The number of turns after which the worker ends by itself; undefined: never. */
  maxTurns: number | undefined
  /** The maximum wait for a message, in milliseconds, up to 20 s. A worker stops only after this wait. */
  pollIntervalMs: number
  /** Aborted when the worker must take no more turns, and must end or give back the running turns. */
  stopping: AbortSignal
}

/** The time for which a received message is hidden from other consumers, in seconds; renewed while its turn runs. */
const hiddenSeconds = 120
/** The wait before the next request to a queue that does not answer, in milliseconds. */
const pauseMs = 5_000

/**
 * Runs the specification's `ai-chat:worker`: takes jobs from the queue and works on many turns in one process, until it
 * is stopped. Removes a message when its turn has ended, and gives it back if it could not be handled. Returns the
 * number of turns it worked on, without turns that another consumer has or had.
 */
export async function work(live: Live, options: WorkerOptions): Promise<number> {
  const { concurrency, maxTurns = Number.POSITIVE_INFINITY, stopping } = options
  const running = new Set<Promise<void>>()
  let turns = 0
  while (!stopping.aborted && turns < maxTurns) {
    const room = Math.min(concurrency, maxTurns - turns) - running.size
    if (room <= 0) {
      await Promise.race(running)
      continue
    }
    for (const received of await receive(live, Math.min(room, 10), options)) {
      const one: Promise<void> = handle(live, received, stopping).then((isTurn) => {
        running.delete(one)
        if (isTurn) turns++
      })
      running.add(one)
    }
  }
  await Promise.all(running)
  return turns
}

async function receive(
  live: Live,
  room: number,
  { pollIntervalMs, stopping }: WorkerOptions,
): Promise<Queue.Received[]> {
  try {
    return await Queue.receive(room, Math.min(20, Math.ceil(pollIntervalMs / 1000)), hiddenSeconds)
  } catch (error) {
    // The worker goes on: its running turns need no queue, and a new worker would have the same fault.
    Log.error('The queue does not answer', error)
    await live.clock.sleep(pauseMs, stopping).catch(() => undefined)
    return []
  }
}

/** Returns true if the consumer worked on a turn. */
async function handle(live: Live, received: Queue.Received, stopping: AbortSignal): Promise<boolean> {
  const { job, receipt } = received
  if (stopping.aborted) {
    await Queue.giveBack(received, 0)
    return false
  }
  const over = new AbortController()
  const hiding = keepHidden(live, receipt, over.signal)
  try {
    if (!job) throw new Error('The queue message is no job.')
    const result = await consume(live, job, { remainingMs: () => Number.POSITIVE_INFINITY, stopping })
    await Queue.remove(receipt)
    return result !== 'lost'
  } catch (error) {
    Log.error('A queue message could not be handled', error)
    await Queue.giveBack(received)
    return false
  } finally {
    over.abort()
    await hiding
  }
}

async function keepHidden(live: Live, receipt: string, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await live.clock.sleep((hiddenSeconds / 2) * 1000, over).catch(() => undefined)
    if (over.aborted) return
    await Queue.hide(receipt, hiddenSeconds).catch((error) => Log.error('A message could not be kept', error))
  }
}
