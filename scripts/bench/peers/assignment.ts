import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { cpu, repeated } from '../sample.ts'

/** The turn that every subject does: five rounds with one tool each, then an answer, on a model that answers at once. */
export const rounds = 5
/** A turn that waits reads with two tools, and writes with the third one when a user has approved. */
export const roundsOfWaiting = 3
export const question = 'What is on these pages?'
export const answer = 'The pages were read, and nothing on them has to be changed at the moment.'
/** Runs that are counted, behind those that warm the process up. */
export const runs = 10
export const warmUp = 12

/** The answer of a tool, about as long as the record of a page. */
export const record = (uid: number): string =>
  `Page ${uid}: ${'title, slug, description and further fields; '.repeat(13)}`

/** Units of the table and requests of the queue. */
export type Bill = { read: number; write: number; queue: number }

/** The paid units of durable functions, with the requests that a turn makes to them. */
export type Waiting = Record<'writes' | 'bytes' | 'operations', number>

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
  /** The time in which the store was not at work. */
  ownMs: number
  /** The paid use of services by a turn that waits for an approval; absent if it was not measured. */
  waiting?: Bill | Waiting
}
export type TurnFigure = Exclude<keyof PeerTurn, 'waiting'>

/** The arguments of a subject: the number of history messages, and the port of its store if it needs one. */
export const length = Number(process.argv[2] ?? 0)
export const port = Number(process.argv[3])

type InStore = Pick<PeerTurn, 'writes' | 'bytes' | 'wireBytes'> & { waitMs: number }

/**
 * Measures the turns of a subject; `act` does one and answers its state in the store. A subject whose store runs in another
 * thread of the process has the time of its own thread counted.
 */
export function measureTurns(
  act: (run: number) => Promise<InStore>,
  spent: () => number = cpu,
): Promise<PeerTurn[]> {
  return repeated(runs, warmUp, async (run) => {
    globalThis.gc?.()
    const before = spent()
    const startedAt = performance.now()
    const { waitMs, ...told } = await act(run)
    const ownMs = performance.now() - startedAt - waitMs
    return { ...told, ownMs, cpuMs: spent() - before }
  })
}

/** Counts the bytes that this process sends from now on; to be called before the first connection is opened. */
export function watchSent(): (port: number) => number {
  const sockets: { socket: Socket; port: number | undefined }[] = []
  diagnostics.subscribe('net.client.socket', (message) => {
    const { socket } = message as { socket: Socket }
    // A closed socket no longer has its remote port.
    socket.once('connect', () => sockets.push({ socket, port: socket.remotePort }))
  })
  return (port) => sockets.reduce((sum, one) => sum + (one.port === port ? one.socket.bytesWritten : 0), 0)
}

/** Sends the turns to the parent process. */
export function sendTurns(turns: PeerTurn[]): void {
  process.send?.(turns, () => process.exit(0))
}
