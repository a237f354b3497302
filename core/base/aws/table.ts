import { randomUUID } from 'node:crypto'
import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import * as Dynamo from '@aws-sdk/lib-dynamodb'
import { dayMs } from '../clock.ts'
import { config } from '../config.ts'
import { expiryAttribute } from './indexes.ts'
import { mend, refusedForForm } from './mend.ts'
import { retrying, Unprocessed } from './retry.ts'
import { lighten, patience, Sha256, waits } from './transport.ts'

/**
 * Access to DynamoDB. A failed condition is returned as a value: `false`, or the position of its item. A lost race is
 * an expected result. Conflicts and throttling are retried (retry.ts) for two seconds in a request, and then become
 * `service.unavailable`.
 */

export type Key = { pk: string; sk: string }
export type Row = Record<string, unknown>
export type Write = NonNullable<Dynamo.TransactWriteCommandInput['TransactItems']>[number]

/** Returns the attribute of an item that expires at `ms`, in milliseconds since the epoch. */
export const expiresAt = (ms: number) => ({ [expiryAttribute]: Math.ceil(ms / 1000) })

/** Returns the attribute of an item that is kept for `days`; none for null, since the item then never expires. */
export const expiresAfter = (days: number | null, now: number): Partial<ReturnType<typeof expiresAt>> =>
  days === null ? {} : expiresAt(now + days * dayMs)

let client: Dynamo.DynamoDBDocumentClient | undefined

/** Returns the document client of this process, created on first use. */
export function documents(): Dynamo.DynamoDBDocumentClient {
  if (client) return client
  const { endpoints, region } = config()
  client = Dynamo.DynamoDBDocumentClient.from(
    new DynamoDBClient({
      region,
      ...(endpoints.dynamodb && { endpoint: endpoints.dynamodb }),
      sha256: Sha256,
      ...patience(waits.table),
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  )
  // Removes the SDK's logger, because it must not see requests and answers. Removes the SDK's retries, because retry.ts
  // repeats requests.
  lighten(client)
  return client
}

/** An item to read, in `table` or by default in the chat's table. */
export type Entry = { table?: string; key: Key; consistent?: boolean }

/** Reads the items of at most 100 keys in one request, in the order of the keys; strongly consistent by default. */
export async function batch(entries: Entry[]): Promise<(Row | undefined)[]> {
  if (entries.length === 0) return []
  const tableOf = ({ table }: Entry) => table ?? config().table
  let request: Record<string, { Keys: Row[]; ConsistentRead?: boolean }> = {}
  for (const [name, some = []] of Object.entries(Object.groupBy(entries, tableOf))) {
    request[name] = {
      Keys: unique(some.map((entry) => entry.key)),
      ConsistentRead: some.some((entry) => entry.consistent !== false),
    }
  }
  const found = new Map<string, Row>()
  await retrying(async () => {
    const answer = await documents().send(new Dynamo.BatchGetCommand({ RequestItems: request }))
    for (const [name, rows] of Object.entries(answer.Responses ?? {}))
      for (const row of rows) found.set(`${name} ${row.pk} ${row.sk}`, row)
    request = (answer.UnprocessedKeys as typeof request | undefined) ?? {}
    if (Object.keys(request).length > 0) throw new Unprocessed()
  })
  return entries.map((entry) => found.get(`${tableOf(entry)} ${entry.key.pk} ${entry.key.sk}`))
}

/** Works like `batch` for keys of the chat's table. */
export const rowsOf = (keys: Key[]): Promise<(Row | undefined)[]> => batch(keys.map((key) => ({ key })))

/** Reads one item, strongly consistent. */
export async function get(key: Key, table = config().table): Promise<Row | undefined> {
  return (await batch([{ table, key }]))[0]
}

/** Reads one page of a query, strongly consistent unless it names an index. */
export async function query(
  input: Omit<Dynamo.QueryCommandInput, 'TableName'> & { TableName?: string },
): Promise<{ rows: Row[]; next: Row | undefined }> {
  const answer = await retrying(() =>
    documents().send(
      new Dynamo.QueryCommand({ TableName: config().table, ConsistentRead: !input.IndexName, ...input }),
    ),
  )
  return { rows: answer.Items ?? [], next: answer.LastEvaluatedKey }
}

/** Yields the pages of a query, each read when it is asked for. */
export async function* queried(input: Parameters<typeof query>[0]): AsyncGenerator<Row[]> {
  let from: Row | undefined
  do {
    const { rows, next } = await query({ ...input, ...(from && { ExclusiveStartKey: from }) })
    yield rows
    from = next
  } while (from)
}

/** Reads every row of a query, page by page; only for small partitions and ranges. */
export async function all(input: Parameters<typeof query>[0]): Promise<Row[]> {
  return (await Array.fromAsync(queried(input))).flat()
}

/** Reads the rows of a partition whose sort keys begin with `sk`; reads all rows by default. */
export function below({ pk, sk = '' }: { pk: string; sk?: string }): Promise<Row[]> {
  return all({
    KeyConditionExpression: `pk = :pk${sk && ' AND begins_with(sk, :prefix)'}`,
    ExpressionAttributeValues: { ':pk': pk, ...(sk && { ':prefix': sk }) },
  })
}

/** Reads the rows of a partition from the sort key of `key` to the sort key `last`, both included. */
export function between({ pk, sk }: Key, last: string): Promise<Row[]> {
  return all({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': pk, ':first': sk, ':last': last },
  })
}

/** Puts an item; false if the condition does not hold. */
export function put(item: Row & Key, condition: Condition = {}, table = config().table): Promise<boolean> {
  return holds(() =>
    documents().send(new Dynamo.PutCommand({ TableName: table, Item: item, ...expression(condition) })),
  )
}

/** Changes attributes of an item; false if the condition does not hold. */
export function assign(key: Key, assignment: Assignment, table = config().table): Promise<boolean> {
  return holds(() => sendUpdate({ TableName: table, Key: key, ...changeOf(assignment) }))
}

/** Changes attributes of an item. Returns the new item; undefined if the condition does not hold. */
export async function assigned(
  key: Key,
  assignment: Assignment,
  table = config().table,
): Promise<Row | undefined> {
  const input = { TableName: table, Key: key, ReturnValues: 'ALL_NEW' as const, ...changeOf(assignment) }
  return (await conditional(() => sendUpdate(input)))?.Attributes
}

function sendUpdate(input: Dynamo.UpdateCommandInput) {
  return mending([input], () => documents().send(new Dynamo.UpdateCommand(input)))
}

/** Returns the write that puts an item, for a transaction. */
export function putWrite(item: Row & Key, condition: Condition = {}, table = config().table): Write {
  return { Put: { TableName: table, Item: item, ...expression(condition) } }
}

/** Returns the write that changes an item, for a transaction. */
export function assignWrite(key: Key, assignment: Assignment, table = config().table): Write {
  return { Update: { TableName: table, Key: key, ...changeOf(assignment) } }
}

/** Returns the write that removes an item of the chat's table, for a transaction. */
export function removeWrite(key: Key, condition: Condition = {}): Write {
  return { Delete: { TableName: config().table, Key: key, ...expression(condition) } }
}

/** Returns the write that only checks a condition of an item, for a transaction. */
export function checkWrite(
  key: Key,
  condition: Condition & { condition: string },
  table = config().table,
): Write {
  const { ConditionExpression = '', ...values } = expression(condition)
  return { ConditionCheck: { TableName: table, Key: key, ConditionExpression, ...values } }
}

/** Removes an item; false if the condition does not hold. */
export function remove(key: Key, condition: Condition = {}, table = config().table): Promise<boolean> {
  return holds(() =>
    documents().send(new Dynamo.DeleteCommand({ TableName: table, Key: key, ...expression(condition) })),
  )
}

/** Removes items without a condition, 25 per request. */
export async function removeAll(keys: Key[], table = config().table): Promise<void> {
  for (const some of chunks(keys, 25)) {
    let requests: Row[] = some.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }))
    await retrying(async () => {
      const answer = await documents().send(
        new Dynamo.BatchWriteCommand({ RequestItems: { [table]: requests } }),
      )
      requests = answer.UnprocessedItems?.[table] ?? []
      if (requests.length > 0) throw new Unprocessed()
    })
  }
}

/** Splits a list into parts of at most `size`, because a request has a limit of items. */
export function chunks<T>(all: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  )
}

/** The outcome of a transaction: done, or the positions of the items whose condition did not hold. */
type Transaction = { done: true } | { done: false; failed: number[] }

/** Executes all writes or none; at most 100 items and 4 MB. */
export async function transact(writes: Write[]): Promise<Transaction> {
  const attempt = () => {
    // All retries share one token, so that a transaction is not executed twice if its answer was lost. A repaired
    // transaction has other content and gets its own token.
    const ClientRequestToken = randomUUID()
    return retrying(() =>
      documents().send(new Dynamo.TransactWriteCommand({ TransactItems: writes, ClientRequestToken })),
    )
  }
  try {
    await mending(
      writes.map(({ Update }) => Update),
      attempt,
    )
    return { done: true }
  } catch (error) {
    const failed = failedConditions(error)
    if (failed.length > 0) return { done: false, failed }
    throw error
  }
}

/**
 * Executes one write; false if its condition does not hold. Uses a transaction, because DynamoDB recognises one that is
 * repeated after a lost answer. A repeated plain write would fail at the condition that its first try has changed.
 */
export const writeOnce = async (write: Write): Promise<boolean> => (await transact([write])).done

/** A condition with its values, in DynamoDB's syntax; `#name` stands for the attribute of that name. */
export type Condition = { condition?: string; values?: Row }

/** Returns the condition that holds if all given conditions hold. */
export function allOf(...conditions: Required<Condition>[]): Required<Condition> {
  return {
    condition: conditions.map(({ condition }) => `(${condition})`).join(' AND '),
    values: Object.assign({}, ...conditions.map(({ values }) => values)),
  }
}

/**
 * The changes of an update, and its condition. `set` removes attributes whose value is undefined or null; `a.b` is the
 * member `b` of the map `a`.
 */
export type Assignment = Condition & {
  set?: Row
  /** Numbers to add to numbers, and members to add to sets. */
  add?: Row
  /** Members to remove from sets. */
  take?: Row
}

/**
 * Returns the members of a DynamoDB input for a condition, including the names that `update` uses. Leaves out empty
 * names and values, which DynamoDB refuses.
 */
function expression({ condition = '', values = {} }: Condition, update = '') {
  const names = Object.fromEntries(`${update} ${condition}`.matchAll(/#(\w+)/g)) as Record<string, string>
  return {
    ...(condition && { ConditionExpression: condition }),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  }
}

const pathOf = (name: string) => `#${name.replaceAll('.', '.#')}`
const valueNameOf = (name: string) => `:set_${name.replaceAll('.', '_')}`

/** Returns the members of a DynamoDB input for an update of exactly these attributes. */
function changeOf({ set = {}, add = {}, take = {}, values, ...condition }: Assignment) {
  const clause = (verb: string, parts: string[]) => (parts.length > 0 ? [`${verb} ${parts.join(', ')}`] : [])
  const pairs = (changes: Row, join: string) =>
    Object.keys(changes).map((name) => `${pathOf(name)}${join}${valueNameOf(name)}`)
  const kept = Object.fromEntries(Object.entries(set).filter(([, value]) => value != null))
  const gone = Object.keys(set).filter((name) => set[name] == null)
  const UpdateExpression = [
    ...clause('SET', pairs(kept, ' = ')),
    ...clause('REMOVE', gone.map(pathOf)),
    ...clause('ADD', pairs(add, ' ')),
    ...clause('DELETE', pairs(take, ' ')),
  ].join(' ')
  const changed = Object.entries({ ...kept, ...add, ...take })
  const given = Object.fromEntries(changed.map(([name, value]) => [valueNameOf(name), value]))
  return {
    UpdateExpression,
    ...expression({ ...condition, values: { ...values, ...given } }, UpdateExpression),
  }
}

/** Runs an update. If damaged attributes made DynamoDB refuse it, repairs them and runs the update once more. */
async function mending<T>(updates: Parameters<typeof mend>[1], act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const refused = refusedForForm(error).map((at) => updates[at])
    if (refused.length === 0 || !(await mend(documents(), refused))) throw error
    return act()
  }
}

async function holds(act: () => Promise<object>): Promise<boolean> {
  return (await conditional(act)) !== undefined
}

/** Returns the result of a request; undefined if its condition does not hold. */
async function conditional<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await retrying(act)
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return undefined
    throw error
  }
}

function failedConditions(error: unknown): number[] {
  if (!(error instanceof TransactionCanceledException)) return []
  return (error.CancellationReasons ?? []).flatMap((reason, at) =>
    reason.Code === 'ConditionalCheckFailed' ? [at] : [],
  )
}

function unique(keys: Key[]): Key[] {
  return [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()]
}

/**
 * Reads a whole table page by page, strongly consistent by default. Only for commands, because no function may scan. A
 * page can be empty if the input has a filter. Calls `tell` after each page with the number of rows read so far.
 */
export async function* pages(
  input: Omit<Dynamo.ScanCommandInput, 'TableName' | 'ExclusiveStartKey'> & { TableName?: string } = {},
  tell: (rows: number) => void = () => undefined,
): AsyncGenerator<Row[]> {
  let from: Row | undefined
  let rows = 0
  do {
    const start = from && { ExclusiveStartKey: from }
    const command = new Dynamo.ScanCommand({
      TableName: config().table,
      ConsistentRead: true,
      ...input,
      ...start,
    })
    const page = await retrying(() => documents().send(command))
    rows += page.ScannedCount ?? 0
    tell(rows)
    yield page.Items ?? []
    from = page.LastEvaluatedKey
  } while (from)
}
