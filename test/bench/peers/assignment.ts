import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { cpu, repeated } from '../sample.ts'

/**
 * The rounds of the turn that every measured system does. Each round calls one tool; an answer follows them. The model
 * answers at once.
 */
export const rounds = 5
/** The rounds of the turn that waits: it reads with two tools, and after an approval it writes with the third. */
export const roundsOfWaiting = 3
export const question = 'What is on these pages?'
export const answer = 'The pages were read, and nothing on them has to be changed at the moment.'
/** The number of measured runs; the `warmUp` runs come before them and do not count. */
export const runs = 10
export const warmUp = 12

/** Returns the answer of a tool, about as long as the record of a page. */
export const record = (uid: number): string =>
  `Page ${uid}: ${'title, slug, description and further fields; '.repeat(13)}`

/** The units of the table and the requests of the queue in one turn. */
export type Bill = { read: number; write: number; queue: number }

/** The paid units of durable functions, with the requests that a turn makes to them. */
export type Waiting = Record<'writes' | 'bytes' | 'operations', number>

/** The figures of one turn. */
export type PeerTurn = {
  /** Requests that write. */
  writes: number
  /** The bytes of the writes, without the overhead of their protocol. */
  bytes: number
  /** All bytes that go to the store, with protocol and reads. */
  wireBytes: number
  cpuMs: number
  /** The part of `cpuMs` that the bare client of the store takes for the same requests; absent if not measured. */
  bareMs?: number
  /** The time of the turn without the time of the store. */
  ownMs: number
  /** The paid use of services by a turn that waits for an approval; absent if it was not measured. */
  waiting?: Bill | Waiting
  /** The shares of the owners of the processor time (`owners.ts`); absent if they were not measured. */
  owners?: string
}
export type TurnFigure = Exclude<keyof PeerTurn, 'waiting' | 'owners'>

/**
 * The arguments of a measured script: the number of history messages, and the port of its store if it needs a store.
 */
export const length = Number(process.argv[2] ?? 0)
export const port = Number(process.argv[3])

type InStore = Pick<PeerTurn, 'writes' | 'bytes' | 'wireBytes'> & { waitMs: number }

/**
 * Measures the turns of a system; `act` does one turn and returns what it wrote to the store. `spent` returns the
 * processor time so far; a system whose store runs in another thread passes the time of its own thread.
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

/** Counts the bytes that this process sends to a port. Call it before the first connection is opened. */
export function watchSent(): (port: number) => number {
  const sockets: { socket: Socket; port: number | undefined }[] = []
  diagnostics.subscribe('net.client.socket', (message) => {
    const { socket } = message as { socket: Socket }
    // A closed socket no longer has its remote port.
    socket.once('connect', () => sockets.push({ socket, port: socket.remotePort }))
  })
  return (port) => sockets.reduce((sum, one) => sum + (one.port === port ? one.socket.bytesWritten : 0), 0)
}
