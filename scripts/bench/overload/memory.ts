import { createHash } from 'node:crypto'
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import * as Table from '../../../core/base/aws/table.ts'
import type { Clock } from '../../../core/base/clock.ts'
import * as Queue from '../../../core/conversation/queue.ts'
import { holds, updated } from './condition.ts'

type Row = Table.Row
type Write = {
  Key?: Row
  Item?: Row
  UpdateExpression?: string
  ConditionExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Row
}
type Message = { body: string; at: number; tenant: string; receipt: string }

/** Counts of the requests to AWS. */
export type Counts = { reads: number; writes: number; messages: number }

/** The client compares it with what it has sent or got. */
const md5 = (body: string) => createHash('md5').update(body).digest('hex')

const rowName = ({ pk, sk }: Row) => `${pk} ${sk}`

/**
 * Replaces DynamoDB and SQS for the clients of this process with rows and messages in memory, on the clock of a
 * simulation. The service sends the same requests; the answers come at once. `isFair` false: the queue knows no
 * tenants.
 */
export function inMemory(clock: Clock, isFair = true): { counts: Counts; rows: Map<string, Row> } {
  const rows = new Map<string, Row>()
  const busy = new Map<string, Row>()
  let receipts = 0
  const counts: Counts = { reads: 0, writes: 0, messages: 0 }
  const queue = fairQueue<Message>(isFair)
  const waiting: ((message: Message) => void)[] = []

  function keep(name: string, row: Row | undefined): void {
    if (row) rows.set(name, row)
    else rows.delete(name)
    if (row?.busy_pk) busy.set(name, row)
    else busy.delete(name)
  }

  const given = ({
    ExpressionAttributeNames: names = {},
    ExpressionAttributeValues: values = {},
  }: Write) => ({ names, values })
  const mayWrite = (write: Write, name: string) =>
    holds(write.ConditionExpression, rows.get(name) ?? {}, given(write))

  function write(verb: string, one: Write): Row | undefined {
    const name = rowName(one.Key ?? one.Item ?? {})
    counts.writes++
    if (verb === 'Delete') keep(name, undefined)
    if (verb === 'Put') keep(name, one.Item)
    if (verb === 'Update')
      keep(name, updated(one.UpdateExpression ?? '', rows.get(name) ?? { ...one.Key }, given(one)))
    return rows.get(name)
  }

  function single(verb: string, one: Write): Row {
    if (!mayWrite(one, rowName(one.Key ?? one.Item ?? {})))
      throw new ConditionalCheckFailedException({ message: 'The condition does not hold', $metadata: {} })
    return { Attributes: write(verb, one) }
  }

  function transact(items: Record<string, Write>[]): Row {
    const reasons = items.map((item) => {
      const [one] = Object.values(item) as [Write]
      return { Code: mayWrite(one, rowName(one.Key ?? one.Item ?? {})) ? 'None' : 'ConditionalCheckFailed' }
    })
    if (reasons.some(({ Code }) => Code !== 'None'))
      throw new TransactionCanceledException({
        message: 'A condition does not hold',
        $metadata: {},
        CancellationReasons: reasons,
      })
    for (const item of items)
      for (const [verb, one] of Object.entries(item)) if (verb !== 'ConditionCheck') write(verb, one)
    return {}
  }

  function batch(tables: Record<string, { Keys: Row[] }>): Row {
    const found = Object.entries(tables).map(([table, { Keys }]) => {
      counts.reads += Keys.length
      return [table, Keys.flatMap((key) => rows.get(rowName(key)) ?? [])]
    })
    return { Responses: Object.fromEntries(found) }
  }

  /** The index of the busy by their last sign of life, or what begins in a way in a partition. */
  function query(values: Row, limit: number, start: Row | undefined): Row {
    if (typeof values[':prefix'] === 'string') {
      const from = rowName({ pk: values[':pk'], sk: values[':prefix'] })
      return { Items: [...rows].flatMap(([name, row]) => (name.startsWith(from) ? [row] : [])) }
    }
    const all = [...busy.values()]
      .filter(
        ({ busy_pk, busy_sk }) => busy_pk === values[':pk'] && String(busy_sk) <= String(values[':until']),
      )
      .filter(({ busy_sk }) => !start || String(busy_sk) > String(start.busy_sk))
      .sort((a, b) => (String(a.busy_sk) < String(b.busy_sk) ? -1 : 1))
    const page = all.slice(0, limit)
    counts.reads += Math.ceil(page.length / 10)
    return { Items: page, ...(all.length > limit && { LastEvaluatedKey: page.at(-1) }) }
  }

  async function send(message: Message): Promise<void> {
    counts.messages++
    if (message.at > clock.now()) await clock.sleep(message.at - clock.now())
    const next = waiting.shift()
    if (next) next(message)
    else queue.put(message)
  }

  async function receive(): Promise<Row> {
    counts.messages++
    const message = queue.take() ?? (await new Promise<Message>((resolve) => waiting.push(resolve)))
    queue.begin(message)
    return {
      Messages: [{ Body: message.body, MD5OfBody: md5(message.body), ReceiptHandle: message.receipt }],
    }
  }

  async function answer(command: string, input: Row): Promise<Row> {
    switch (command) {
      case 'BatchGetItemCommand':
        return batch(input.RequestItems as never)
      case 'UpdateItemCommand':
        return single('Update', input)
      case 'PutItemCommand':
        return single('Put', input)
      case 'DeleteItemCommand':
        return single('Delete', input)
      case 'TransactWriteItemsCommand':
        return transact(input.TransactItems as never)
      case 'QueryCommand':
        return query(
          input.ExpressionAttributeValues as Row,
          Number(input.Limit),
          input.ExclusiveStartKey as Row,
        )
      case 'SendMessageCommand':
        void send({
          body: String(input.MessageBody),
          tenant: String(input.MessageGroupId),
          receipt: String(++receipts),
          at: clock.now() + Number(input.DelaySeconds ?? 0) * 1_000,
        })
        return { MD5OfMessageBody: md5(String(input.MessageBody)) }
      case 'ReceiveMessageCommand':
        return receive()
      case 'DeleteMessageCommand':
        queue.end(String(input.ReceiptHandle))
        return {}
      default:
        throw new Error(`The simulation does not know ${command}`)
    }
  }

  const middle = (_: unknown, context: { commandName?: string }) => async (args: { input: object }) => ({
    output: await answer(String(context.commandName), args.input as Row),
    response: {},
  })
  const place = { step: 'initialize', name: 'memory', priority: 'low', override: true } as const
  Table.documents().middlewareStack.add(middle as never, place)
  Queue.client().middlewareStack.add(middle as never, place)
  return { counts, rows }
}

/**
 * The order of a standard SQS queue whose messages have a tenant (`MessageGroupId`), after AWS's description of its
 * fair queues. A tenant with more than 10 % of the messages in flight, and at least 30 of them, is noisy: consumers get
 * its messages only while no other tenant has one. The simulation omits the second criterion of AWS, the share of
 * working time.
 */
const noisyShare = 0.1
const noisyCount = 30

/** A queue of messages; `isFair` false: in the order in which they came, whosever they are. */
function fairQueue<M extends { tenant: string; receipt: string }>(isFair: boolean) {
  const byTenant = new Map<string, { message: M; order: number }[]>()
  const inFlight = new Map<string, string>()
  const counts = new Map<string, number>()
  let order = 0

  const isNoisy = (tenant: string) => {
    const own = counts.get(tenant) ?? 0
    return isFair && own >= noisyCount && own > noisyShare * inFlight.size
  }
  const changeCount = (tenant: string, by: number) => counts.set(tenant, (counts.get(tenant) ?? 0) + by)

  return {
    put(message: M): void {
      const own = byTenant.get(message.tenant) ?? []
      own.push({ message, order: order++ })
      byTenant.set(message.tenant, own)
    },
    /** The next message, the oldest of a quiet tenant first; undefined where none waits. */
    take(): M | undefined {
      const heads = [...byTenant].map(([tenant, [head]]) => ({ tenant, order: head?.order ?? 0 }))
      const quiet = heads.filter(({ tenant }) => !isNoisy(tenant))
      const [first] = (quiet.length > 0 ? quiet : heads).toSorted((one, other) => one.order - other.order)
      const own = first && byTenant.get(first.tenant)
      const taken = own?.shift()
      if (first && own?.length === 0) byTenant.delete(first.tenant)
      return taken?.message
    },
    /** A consumer has the message now. */
    begin({ tenant, receipt }: M): void {
      inFlight.set(receipt, tenant)
      changeCount(tenant, 1)
    },
    /** The message of this receipt is done. */
    end(receipt: string): void {
      const tenant = inFlight.get(receipt)
      if (tenant !== undefined && inFlight.delete(receipt)) changeCount(tenant, -1)
    },
  }
}
