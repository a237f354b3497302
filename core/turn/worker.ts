import * as Queue from '../conversation/queue.ts'
import type { Live } from '../live.ts'
import * as Log from '../log.ts'
import { consume } from './consume.ts'

export type WorkerOptions = {
  /** Turns at the same time. */
  concurrency: number
  /** Ends by itself after so many turns; undefined: never. */
  maxTurns: number | undefined
  /** Longest wait for a message, in milliseconds; up to 20 s of it are one request. */
  pollIntervalMs: number
  /** Aborted when the worker is to take no more, end what runs or give it back. */
  stopping: AbortSignal
}

/** A message in hand is hidden from others for so long, and again while its turn runs, in seconds. */
const hiddenSeconds = 120
/** How long a worker waits for a queue that does not answer, in milliseconds. */
const pauseMs = 5_000

/**
 * The specification's `ai-chat:worker`: takes jobs from the queue and works on many turns in one process, until it is
 * stopped. A message is removed when its turn has ended, and given back when it could not be handled.
 */
export async function work(live: Live, options: WorkerOptions): Promise<number> {
  const { concurrency, maxTurns = Number.POSITIVE_INFINITY, stopping } = options
  const running = new Set<Promise<void>>()
  let taken = 0
  while (!stopping.aborted && taken < maxTurns) {
    const room = Math.min(concurrency - running.size, maxTurns - taken, 10)
    if (room <= 0) {
      await Promise.race(running)
      continue
    }
    for (const received of await receive(live, room, options)) {
      taken++
      const one: Promise<void> = handle(live, received, stopping).finally(() => running.delete(one))
      running.add(one)
    }
  }
  await Promise.all(running)
  return taken
}

async function receive(
  live: Live,
  room: number,
  { pollIntervalMs, stopping }: WorkerOptions,
): Promise<Queue.Received[]> {
  try {
    return await Queue.receive(room, Math.min(20, Math.ceil(pollIntervalMs / 1000)), stopping)
  } catch (error) {
    if (stopping.aborted) return []
    // The turns that run need no queue, and a worker that ends would be started into the same fault.
    Log.error('The queue does not answer', error)
    await live.clock.sleep(pauseMs, stopping).catch(() => undefined)
    return []
  }
}

async function handle(live: Live, { job, receipt }: Queue.Received, stopping: AbortSignal): Promise<void> {
  const over = new AbortController()
  const hiding = keepHidden(live, receipt, over.signal)
  try {
    if (!job) throw new Error('The queue message is no job.')
    await consume(live, job, { remainingMs: () => Number.POSITIVE_INFINITY, stopping })
    await Queue.remove(receipt)
  } catch (error) {
    Log.error('A queue message could not be handled', error)
    await Queue.hide(receipt, 0).catch((cause) => Log.error('A message could not be given back', cause))
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
