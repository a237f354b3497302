import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { cpu } from '../sample.ts'

/** The turn that every subject does: five rounds with one tool each, then an answer, on a model that answers at once. */
export const rounds = 5
export const question = 'What is on these pages?'
export const answer = 'The pages were read, and nothing on them has to be changed at the moment.'
/** Runs that are counted, behind those that warm the process up. */
export const runs = 10
export const warmUp = 12

/** The answer of a tool, about as long as the record of a page. */
export const record = (uid: number): string =>
  `Page ${uid}: ${'title, slug, description and further fields; '.repeat(13)}`

/** The figures of one turn. */
export type PeerTurn = {
  /** Requests that write. */
  writes: number
  /** The bytes of the writes, without the overhead of their protocol. */
  bytes: number
  /** All that goes to the store, protocol and reads included. */
  wireBytes: number
  cpuMs: number
  /** The part of it that the bare client of the store takes for the same requests, where that was measured. */
  bareMs?: number
  wallMs: number
  /** The time in which the store was at work. */
  waitMs: number
}

/** The arguments of a subject: the number of history messages, and anything else it needs. */
export const length = Number(process.argv[2] ?? 0)

/** Measures the turns of a subject; `act` does one and answers its state in the store. */
export async function measureTurns(
  act: (run: number) => Promise<Pick<PeerTurn, 'writes' | 'bytes' | 'wireBytes' | 'waitMs'>>,
): Promise<PeerTurn[]> {
  const turns: PeerTurn[] = []
  for (let run = -warmUp; run < runs; run++) {
    globalThis.gc?.()
    const before = cpu()
    const startedAt = performance.now()
    const told = await act(run)
    const wallMs = performance.now() - startedAt
    if (run >= 0) turns.push({ ...told, wallMs, cpuMs: cpu() - before })
  }
  return turns
}

/** Counts the bytes that this process sends from now on; to be called before the first connection is opened. */
export function watchSent(): (port: number) => number {
  const sockets: { socket: Socket; port: number | undefined }[] = []
  diagnostics.subscribe('net.client.socket', (message) => {
    const { socket } = message as { socket: Socket }
    // A socket that is closed no longer knows where it led to.
    socket.once('connect', () => sockets.push({ socket, port: socket.remotePort }))
  })
  return (port) => sockets.reduce((sum, one) => sum + (one.port === port ? one.socket.bytesWritten : 0), 0)
}

/** Sends the turns to the parent process. */
export function sendTurns(turns: PeerTurn[]): void {
  process.stdout.write(`\u001e${JSON.stringify(turns)}\n`, () => process.exit(0))
}
