import { documents } from '../../core/base/aws/table.ts'
import * as Queue from '../../core/conversation/queue.ts'

/**
 * Counts this process's requests to AWS, with the consumed capacity that the table reports. A middleware asks the table
 * for this report, so that the bench measures the product's code unchanged.
 */
export type Request = {
  service: 'dynamodb' | 'sqs'
  /** Name of the SDK's command, without `Command`. */
  operation: string
  /** The input of the command. */
  input: Record<string, unknown>
  /** Capacity units by table, indexes included. */
  units: { table: string; read: number; write: number }[]
  /** Body on the wire, in bytes. */
  bytes: number
  /** Milliseconds on the monotonic clock. */
  startedAt: number
  endedAt: number
}

let endedRequests: Request[] | undefined

/** Returns the requests that have ended since the last call, in their order. The first call starts the counting. */
export function takeRequests(): Request[] {
  if (!endedRequests) {
    endedRequests = []
    watch(documents(), 'dynamodb', endedRequests)
    watch(Queue.client(), 'sqs', endedRequests)
  }
  return endedRequests.splice(0)
}

/** Returns the sums over some requests; `table` limits the units to one table. */
export function total(requests: Request[], table?: string) {
  const units = requests.flatMap((request) => request.units).filter((one) => !table || one.table === table)
  return {
    requests: requests.length,
    read: units.reduce((sum, one) => sum + one.read, 0),
    write: units.reduce((sum, one) => sum + one.write, 0),
  }
}

/** Returns the milliseconds in which at least one of the requests was in progress. */
export function waited(requests: Request[]): number {
  let sum = 0
  let until = Number.NEGATIVE_INFINITY
  for (const { startedAt, endedAt } of requests.toSorted((a, b) => a.startedAt - b.startedAt)) {
    sum += Math.max(0, endedAt - Math.max(startedAt, until))
    until = Math.max(until, endedAt)
  }
  return sum
}

/** The members of an SDK client that are used here; all clients share them. */
type Client = {
  middlewareStack: { add(middleware: unknown, options: { step: string }): void }
}
type Args = { input: Record<string, unknown>; request?: { body?: unknown } }
type Next = (args: Args) => Promise<{ output: Record<string, unknown> }>

function watch(client: unknown, service: Request['service'], ended: Request[]): void {
  const { middlewareStack } = client as Client
  const sizes = new WeakMap<object, number>()
  const size = (next: Next, context: object) => (args: Args) => {
    const { body } = args.request ?? {}
    sizes.set(context, sizeOf(body))
    return next(args)
  }
  const count = (next: Next, context: { commandName?: string }) => async (args: Args) => {
    const startedAt = performance.now()
    const input = service === 'dynamodb' ? { ...args.input, ReturnConsumedCapacity: 'INDEXES' } : args.input
    const operation = (context.commandName ?? '').replace(/Command$/, '')
    const done = (units: Request['units']) =>
      ended.push({
        service,
        operation,
        input: args.input,
        units,
        bytes: sizes.get(context) ?? 0,
        startedAt,
        endedAt: performance.now(),
      })
    try {
      const result = await next({ ...args, input })
      done(unitsOf(operation, result.output.ConsumedCapacity))
      return result
    } catch (error) {
      done([])
      throw error
    }
  }
  middlewareStack.add(count, { step: 'initialize' })
  middlewareStack.add(size, { step: 'finalizeRequest' })
}

function sizeOf(body: unknown): number {
  if (body instanceof Uint8Array) return body.length
  return typeof body === 'string' ? Buffer.byteLength(body) : 0
}

type Consumed = { TableName?: string; CapacityUnits?: number }

function unitsOf(operation: string, consumed: unknown): Request['units'] {
  const all = [consumed].flat().filter(Boolean) as Consumed[]
  const isRead = /^(BatchGet|Query|Get|Scan)/.test(operation)
  return all.map(({ TableName: table = '', CapacityUnits: units = 0 }) => ({
    table,
    read: isRead ? units : 0,
    write: isRead ? 0 : units,
  }))
}
