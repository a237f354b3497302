import { type Live, live } from '../../../core/live.ts'
import { work } from '../../../core/turn/worker.ts'
import { handler as send } from '../../../functions/send.ts'
import { type Bed, openBed } from '../bed.ts'
import { grow } from '../history.ts'
import { instant } from '../instant.ts'
import { takeRequests } from '../meter.ts'
import { profileOwners } from '../owners.ts'
import { figure, type Row } from '../result-table.ts'
import { commandOf, cpu, cpuOf, descendants, idle } from '../sample.ts'
import { section } from '../section.ts'
import { call, seedSite, visitor } from '../site.ts'

const latencyMs = 500
const rounds = 2
/** The time that the model takes in one turn, in milliseconds. */
const modelMs = (rounds + 1) * latencyMs
const turnsEach = 4
/** The least accepted throughput in percent of the ideal, by concurrency. */
const wanted = new Map([
  [8, 92],
  [32, 80],
])

/** Measures turns of one worker process at several concurrencies, with a model that takes half a second per answer. */
section(async () => {
  const bed = await openBed()
  const editor = await seedSite()
  const { post } = await visitor(editor.uid)
  const rows: Row[] = []
  await run(2, 1)
  for (const concurrency of [1, 8, 32]) rows.push(...(await run(concurrency, turnsEach)))
  rows.push(await profileTurns(8))
  return rows

  async function run(concurrency: number, each: number): Promise<Row[]> {
    const turns = concurrency * each
    await sendTurns(turns)
    return figures(bed, concurrency, turns)
  }

  /** Divides the work of a worker by its owners. The profiler slows all work, so only the shares are meaningful. */
  async function profileTurns(concurrency: number): Promise<Row> {
    const turns = concurrency * turnsEach
    await sendTurns(turns)
    const before = cpu()
    const note = await profileOwners(() => workFor(concurrency, turns))
    return figure(`profiled: a turn at concurrency ${concurrency}`, (cpu() - before) / turns, 'ms', { note })
  }

  async function sendTurns(turns: number): Promise<void> {
    const ids: string[] = []
    for (let at = 0; at < turns; at++) ids.push(await grow(editor, 10, Date.now()))
    for (const conversationId of ids)
      await call(
        send,
        post('/ai-chat/conversations/send', { content: 'What is on these pages?', conversationId }),
      )
  }
})

/** Lets a worker process `turns` turns that wait in the queue. */
function workFor(concurrency: number, turns: number): Promise<unknown> {
  const ports: Live = { ...live(), model: async () => instant({ rounds, latencyMs }) }
  const stopping = new AbortController().signal
  return work(ports, { concurrency, maxTurns: turns, pollIntervalMs: 1_000, stopping })
}

async function figures(bed: Bed, concurrency: number, turns: number): Promise<Row[]> {
  const emulators = [bed.emulators.pid ?? 0, ...descendants(bed.emulators.pid ?? 0)].filter(
    (pid) => !/sh -c/.test(commandOf(pid)),
  )
  const emulatorCpu = () => emulators.reduce((sum, pid) => sum + cpuOf(pid), 0)
  globalThis.gc?.()
  const heap = process.memoryUsage().heapUsed
  let full = heap
  // Collects garbage and measures the heap in the middle: every turn has begun, and none of the last turns has ended.
  const look = setTimeout(() => {
    globalThis.gc?.()
    full = process.memoryUsage().heapUsed
  }, modelMs)
  takeRequests()
  const [startedCpu, startedEmulators] = [cpu(), emulatorCpu()]
  const [startedIdle, startedAt] = [idle(), performance.now()]
  await workFor(concurrency, turns)
  const seconds = (performance.now() - startedAt) / 1000
  clearTimeout(look)
  const own = cpu() - startedCpu
  const theirs = emulatorCpu() - startedEmulators
  const requests = takeRequests().length
  const ideal = (turns / concurrency) * (modelMs / 1000)
  const cores = (own + theirs) / 1000 / seconds
  const free = (idle() - startedIdle) / 1000 / seconds
  // Without a free core the throughput shows the machine and its other work, so no bound applies.
  const isFree = free >= 1
  return [
    figure(`throughput at concurrency ${concurrency}`, (ideal / seconds) * 100, '% of the ideal', {
      least: isFree ? (wanted.get(concurrency) ?? 90) : undefined,
      note: `${(turns / seconds).toFixed(2)} turns a second, ${cores.toFixed(2)} cores in use with the emulators, ${free.toFixed(2)} free${isFree ? '' : ': no core for the bound'}`,
    }),
    figure(`processor time at concurrency ${concurrency}`, own / turns, 'ms a turn', {
      note: `${Math.round(requests / turns)} requests a turn, of three model calls and two tools; the emulators ${(theirs / turns).toFixed(0)} ms`,
    }),
    figure(`heap at concurrency ${concurrency}`, (full - heap) / 1024 / concurrency, 'KB a turn in flight'),
  ]
}
