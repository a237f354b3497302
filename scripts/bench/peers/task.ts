import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** The turn that every subject does: five rounds with one tool each, then an answer, on a model that answers at once. */
export const rounds = 5
export const question = 'What is on these pages?'
export const answer = 'The pages were read, and nothing on them has to be changed at the moment.'
/** Runs that are counted, behind those that warm the process up. */
export const runs = 10
export const warmUp = 12

/** What a tool answers: about as many characters as the record of a page has. */
export const record = (uid: number): string =>
  `Page ${uid}: ${'title, slug, description and further fields; '.repeat(13)}`

/** The figures of one turn. `waitMs` is the time in which the store was at work. */
export type Turn = { writes: number; bytes: number; cpuMs: number; wallMs: number; waitMs: number }

/** What a subject is asked to do, from its arguments: messages of history, and whatever else it needs. */
export const length = Number(process.argv[2] ?? 0)

/** Measures the turns of a subject; `act` does one and answers what its store says of it. */
export async function measure(
  act: (run: number) => Promise<Pick<Turn, 'writes' | 'bytes' | 'waitMs'>>,
): Promise<Turn[]> {
  const turns: Turn[] = []
  for (let run = -warmUp; run < runs; run++) {
    globalThis.gc?.()
    const before = process.cpuUsage()
    const startedAt = performance.now()
    const told = await act(run)
    const wallMs = performance.now() - startedAt
    const { user, system } = process.cpuUsage(before)
    if (run >= 0) turns.push({ ...told, wallMs, cpuMs: (user + system) / 1000 })
  }
  return turns
}

/** Counts the bytes that this process sends to a port from now on. */
export function sentTo(port: number): () => number {
  const sockets = new Set<Socket>()
  diagnostics.subscribe('net.client.socket', (message) => {
    const { socket } = message as { socket: Socket }
    // A socket that is closed no longer knows where it led to.
    socket.once('connect', () => socket.remotePort === port && sockets.add(socket))
  })
  return () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0)
}

/** Hands the turns to whoever started this process. */
export function tell(turns: Turn[]): void {
  process.stdout.write(`\u001e${JSON.stringify(turns)}\n`, () => process.exit(0))
}
