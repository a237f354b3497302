/**
 * `npm run bench:soak [-- --workers 1 --minutes 60]`: keeps worker processes busy on the emulators with a model that
 * takes 6 s a call. It prints a line a minute: turns, memory, processor time. At the end it reads every conversation:
 * if one failed or a worker still holds one, the exit code is 1.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../core/base/clock.ts'
import * as Row from '../../core/conversation/row.ts'
import { live } from '../../core/live.ts'
import { work } from '../../core/turn/worker.ts'
import { handler as send } from '../../functions/send.ts'
import { worker as figures } from '../../infra/limits.ts'
import { parseWhole, print, runCommand, text } from '../../scripts/command.ts'
import { openBed } from './bed.ts'
import { instant } from './instant.ts'
import { cpuOf, megabytesOf } from './sample.ts'
import { call, seedSite, visitor } from './site.ts'

const latencyMs = 6_000
/** The model calls of a turn; each call except the last one asks for a tool. */
const calls = 3

const options = { workers: text, minutes: text }

runCommand('npm run bench:soak -- [--workers 1] [--minutes 60]', { options }, ({ values }) =>
  process.send
    ? consume()
    : soak(parseWhole('workers', values.workers, 1), parseWhole('minutes', values.minutes, 1)),
)

/** Runs a worker process: tells the parent of each model call, and ends when the parent sends a message. */
async function consume(): Promise<number> {
  const model = instant({ rounds: calls - 1, latencyMs, onAsk: () => process.send?.('asked') })
  const stopping = new AbortController()
  process.once('message', () => stopping.abort())
  const { concurrency } = figures
  const options = { concurrency, pollIntervalMs: 1_000, maxTurns: undefined, stopping: stopping.signal }
  await work({ ...live(), model: async () => model }, options)
  return 0
}

async function soak(count = 1, minutes = 60): Promise<number> {
  const bed = await openBed()
  const editor = await seedSite()
  let asked = 0
  const workers = Array.from({ length: count }, () => {
    const child = fork(fileURLToPath(import.meta.url), {
      env: { ...process.env, ...bed.env },
      stdio: 'ignore',
    })
    child.on('message', () => asked++)
    return child
  })
  const until = Date.now() + minutes * 60_000
  const sent = await keepBusy(editor.uid, workers, until, () => asked / calls)
  for (const worker of workers) worker.send('stop')
  await Promise.all(workers.map((worker) => once(worker, 'exit')))
  const states = new Map<string, number>()
  for (const id of sent) {
    const { status = 'gone' } = (await Row.read(id)) ?? {}
    states.set(status, (states.get(status) ?? 0) + 1)
  }
  print([...states].map(([state, turns]) => `${turns} ${state}`).join(', '))
  await bed.close()
  // A worker that stops returns its turns to the queue: they wait for the next worker.
  return [...states.keys()].every((state) => state === 'idle' || state === 'processing') ? 0 : 1
}

/** Sends as many messages as the workers take at once, and a quarter more that waits; returns the conversations. */
async function keepBusy(
  uid: number,
  workers: ChildProcess[],
  until: number,
  done: () => number,
): Promise<string[]> {
  const { post } = await visitor(uid)
  const most = Math.ceil(workers.length * figures.concurrency * 1.25)
  const pids = workers.map(({ pid = 0 }) => pid)
  const cpuMs = () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
  const sent: string[] = []
  const startedAt = Date.now()
  for (let next = startedAt + 60_000; Date.now() < until; ) {
    while (sent.length - done() < most) {
      const content = 'What is on these pages?'
      const body = { content, viewContext: { pageId: 3, module: 'page' } }
      const answer = await call<{ conversation: { id: string } }>(
        send,
        post('/ai-chat/conversations/send', body),
      )
      sent.push(answer.conversation.id)
    }
    if (Date.now() >= next) {
      next += 60_000
      const seconds = (Date.now() - startedAt) / 1_000
      const share = (cpuMs() / 1_000 / seconds / workers.length) * 100
      const turns = Math.floor(done())
      print(
        `${Math.round(seconds / 60)} min: ${turns} turns, ${(turns / seconds).toFixed(2)} a second, ${share.toFixed(1)} % of a core and at most ${memory(pids)} MB a worker`,
      )
    }
    await systemClock.sleep(250)
  }
  return sent
}

/** Returns the memory of the largest process in megabytes. */
const memory = (pids: number[]): number =>
  Math.round(Math.max(...pids.map((pid) => megabytesOf(pid, 'VmRSS'))))
