import { AsyncLocalStorage } from 'node:async_hooks'
import * as Table from '../../../core/base/aws/table.ts'
import { config } from '../../../core/base/config.ts'
import * as Queue from '../../../core/conversation/queue.ts'
import * as Store from '../../../core/file/store.ts'

/** One action that AWS would check against a role, as a function asked for it in a test. */
export type Requested = {
  /** The deployed function whose code asked. */
  by: string
  action: string
  /** What was asked for, by its logical name: `chattable`, `chattable/index/byUser`, `filesbucket/<key>`. */
  resource: string
  /** Partition keys of all items that the request names in this table; absent where it names none. */
  keys?: string[]
}

const acting = new AsyncLocalStorage<string>()

/** Acts as the deployed function of this name: its requests count as those of the function. */
export const asFunction = <T>(name: string, act: () => T): T => acting.run(name, act)

/** Records the requests of functions from now on; once per test file. What a test itself asks for does not count. */
export function recordRequests(): Requested[] {
  const recorded: Requested[] = []
  for (const { middlewareStack } of [Table.documents(), Queue.client(), Store.client()] as Stack[]) {
    const middle: Middle = (next, { commandName = '' }) => {
      return (args) => {
        const by = acting.getStore()
        const actions = by ? actionsOf(commandName.replace(/(?:Item)?Command$/, ''), args.input) : []
        recorded.push(...actions.map((one) => ({ by: by as string, ...one })))
        return next(args)
      }
    }
    middlewareStack.add(middle as never, { step: 'initialize', name: 'record', priority: 'high' })
  }
  return recorded
}

type Stack = { middlewareStack: { add(middle: never, options: object): void } }
type Middle = (next: (args: Args) => Promise<unknown>, context: { commandName?: string }) => typeof next
type Args = { input: Input }
type Row = Record<string, unknown>
type Named = { TableName: string; Key?: Row; Item?: Row }
type Written = { DeleteRequest?: { Key: Row }; PutRequest?: { Item: Row } }
type Input = Partial<Named> & {
  IndexName?: string
  RequestItems?: Record<string, { Keys: Row[] } | Written[]>
  TransactItems?: Record<'Put' | 'Update' | 'Delete' | 'ConditionCheck', Named | undefined>[]
  Bucket?: string
  CopySource?: string
  QueueUrl?: string
}
type Action = Omit<Requested, 'by'>

/** Names of actions: https://docs.aws.amazon.com/service-authorization/latest/reference/ */
function actionsOf(operation: string, input: Input): Action[] {
  if (input.TransactItems) return ofTransaction(input.TransactItems)
  if (input.RequestItems) return ofBatch(operation, input.RequestItems)
  if (input.TableName) return [ofTable(operation, input as Named & Input)]
  if (input.QueueUrl) {
    const resource = input.QueueUrl === config().queueUrl ? 'processqueue' : 'processdeadqueue'
    return [{ action: `sqs:${operation}`, resource }]
  }
  const bucket = input.Bucket === config().bucket ? 'filesbucket' : 'webassetsbucket'
  return ofStore(operation, bucket, input)
}

function ofTable(operation: string, { TableName, IndexName, Key, Item }: Named & Input): Action {
  const row = Key ?? Item
  const isOfItem = row !== undefined
  return {
    action: `dynamodb:${operation}${isOfItem ? 'Item' : ''}`,
    resource: tableName(TableName) + (IndexName ? `/index/${IndexName}` : ''),
    ...(isOfItem && { keys: [String(row.pk)] }),
  }
}

function ofBatch(operation: string, items: NonNullable<Input['RequestItems']>): Action[] {
  return Object.entries(items).map(([name, of]) => {
    const rows = Array.isArray(of)
      ? of.map(({ DeleteRequest, PutRequest }) => DeleteRequest?.Key ?? PutRequest?.Item)
      : of.Keys
    return {
      action: `dynamodb:${operation}Item`,
      resource: tableName(name),
      keys: rows.map((row) => String(row?.pk)),
    }
  })
}

/** Each write of a transaction needs its own action; the condition on keys sees those of all. */
function ofTransaction(writes: NonNullable<Input['TransactItems']>): Action[] {
  const named = writes.flatMap((write) => Object.entries(write)) as [string, Named][]
  return named.map(([kind, { TableName }]) => ({
    action: `dynamodb:${kind}Item`,
    resource: tableName(TableName),
    keys: named
      .filter(([, other]) => other.TableName === TableName)
      .map(([, { Key, Item }]) => String((Key ?? Item)?.pk)),
  }))
}

function ofStore(operation: string, bucket: string, { Key, CopySource }: Input): Action[] {
  if (operation.startsWith('List')) return [{ action: 's3:ListBucket', resource: bucket }]
  const resource = `${bucket}/${Key}`
  if (CopySource === undefined) return [{ action: `s3:${operation.replace('Head', 'Get')}`, resource }]
  const [, ...key] = CopySource.split('/').map(decodeURIComponent)
  return [
    { action: 's3:GetObject', resource: `${bucket}/${key.join('/')}` },
    { action: 's3:PutObject', resource },
  ]
}

const tableName = (name: string): string => (name === config().cmsTable ? 'cmstable' : 'chattable')
