import {
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import * as Table from '../../core/base/aws/table.ts'
import * as Queue from '../../core/conversation/queue.ts'
import * as Store from '../../core/file/store.ts'

/** Faults of table, queue and store that the emulators never show and AWS does, below the SDK's own retry. */

export type Service = 'dynamodb' | 'sqs' | 's3'

/** A request on its way: `count` of this kind so far, this one included. */
export type Attempt = { service: Service; command: string; input: Record<string, unknown>; count: number }

/** `before`: the service refuses. `after`: it has done what was asked, and the answer never comes. */
export type Fault = { when: 'before' | 'after'; error: Error }

type Rule = (attempt: Attempt) => Fault | undefined

let rule: Rule = () => undefined
const counts = new Map<string, number>()

/** Has every request of this process meet what the rule says while `act` runs. */
export async function under<T>(wanted: Rule, act: () => Promise<T>): Promise<T> {
  connect()
  counts.clear()
  rule = wanted
  try {
    return await act()
  } finally {
    rule = () => undefined
  }
}

/** Requests of this process that have no answer yet. */
let underWay = 0

/**
 * Lets time go by, five seconds a step, until what works is settled. Time stands still while a request is on its way: on a
 * slow machine no sign of life comes too late because a table took its time.
 */
export async function passing<T>(
  clock: { pass(ms: number): Promise<void> },
  working: Promise<T>,
): Promise<T> {
  connect()
  let isOver = false
  const settled = working.finally(() => {
    isOver = true
  })
  settled.catch(() => undefined)
  while (!isOver) {
    if (underWay === 0) await clock.pass(5_000)
    await new Promise((done) => setTimeout(done, 5))
  }
  return settled
}

let isConnected = false

function connect(): void {
  if (isConnected) return
  isConnected = true
  add(Table.documents(), 'dynamodb')
  add(Queue.client(), 'sqs')
  add(Store.client(), 's3')
}

type Args = { input: Record<string, unknown> }
type Next = (args: Args) => Promise<unknown>
type Stack = { middlewareStack: { add(middle: never, options: object): void } }

function add({ middlewareStack }: Stack, service: Service): void {
  const middle = (next: Next, context: { commandName?: string }) => async (args: Args) => {
    const command = (context.commandName ?? '').replace('Command', '')
    const count = (counts.get(`${service} ${command}`) ?? 0) + 1
    counts.set(`${service} ${command}`, count)
    const fault = rule({ service, command, input: args.input, count })
    if (fault?.when === 'before') throw fault.error
    underWay++
    const answer = await next(args).finally(() => underWay--)
    if (fault?.when === 'after') throw fault.error
    return answer
  }
  middlewareStack.add(middle as never, { step: 'deserialize', name: 'fault', priority: 'high' })
}

const $metadata = { httpStatusCode: 400 }

/** A transaction that met another one at one of its items. */
export function conflict({ input }: Attempt): Error {
  const items = (input.TransactItems as unknown[] | undefined) ?? []
  if (items.length === 0) return throttled()
  const CancellationReasons = items.map((_, at) => ({ Code: at === 0 ? 'TransactionConflict' : 'None' }))
  return new TransactionCanceledException({ message: 'cancelled', $metadata, CancellationReasons })
}

/** A table that has no capacity left for the moment. */
export function throttled(): Error {
  return new ProvisionedThroughputExceededException({ message: 'Rate exceeded', $metadata })
}

/** A service that asks to slow down, as queue and store do it. */
export function slowDown(): Error {
  return Object.assign(new Error('Please reduce your request rate.'), {
    name: 'SlowDown',
    $metadata: { httpStatusCode: 503 },
  })
}

/** An answer that did not come in time; what was asked may have been done. */
export function timeout(): Error {
  return Object.assign(new Error('Connection timed out'), { name: 'TimeoutError', code: 'ETIMEDOUT' })
}
