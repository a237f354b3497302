/**
 * `ai-chat:worker`: processes many turns from the queue at the same time until SIGTERM or Ctrl-C. Then it takes no more
 * turns, and within 30 seconds ends the running turns or returns them to the queue.
 */
import { live } from '../core/live.ts'
import { work } from '../core/turn/worker.ts'
import { parseWhole, print, runStageCommand, text } from './command.ts'

const usage = 'npm run ai-chat:worker -- [--concurrency 8] [--max-turns N] [--poll-interval MS]'
/**
 * After this time, in milliseconds, the worker aborts the remaining turns; their leases expire, and another consumer
 * resumes each turn after its last step.
 */
const graceMs = 28_000
/**
 * The time of one wait for a message, in milliseconds: an idle worker stops within this time, because it first ends its
 * wait.
 */
const pollIntervalMs = 2_000

const options = { concurrency: text, 'max-turns': text, 'poll-interval': text }

runStageCommand(usage, { options }, async ({ values }) => {
  const stopping = new AbortController()
  const stop = () => {
    if (stopping.signal.aborted) return
    stopping.abort()
    setTimeout(() => process.exit(0), graceMs).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)

  const turns = await work(live(), {
    concurrency: parseWhole('concurrency', values.concurrency, 1) ?? 8,
    maxTurns: parseWhole('max-turns', values['max-turns'], 1),
    pollIntervalMs: parseWhole('poll-interval', values['poll-interval'], 1) ?? pollIntervalMs,
    stopping: stopping.signal,
  })
  print(JSON.stringify({ turns }))
  return 0
})
