import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import * as Table from '../../core/base/aws/table.ts'
import { config } from '../../core/base/config.ts'

/** Every change of a conversation's status that reaches the table, as `from → to`. */
export type Moves = Set<string>

type Key = { pk: string; sk: string }
type Write = { Key?: Key; Item?: Key }

/**
 * Watches the table's client for changes of conversation rows. Writes of rows pass one at a time, between two reads of
 * what they change, so that every move is recorded and none that did not happen.
 */
export function watchMoves(): Moves {
  const moves: Moves = new Set()
  const { endpoints, region } = config()
  const reader = DynamoDBDocumentClient.from(
    new DynamoDBClient({ region, ...(endpoints.dynamodb && { endpoint: endpoints.dynamodb }) }),
  )
  const statusOf = async ({ pk, sk }: Key): Promise<string> => {
    const { Item } = await reader.send(
      new GetCommand({ TableName: config().table, Key: { pk, sk }, ConsistentRead: true }),
    )
    return String(Item?.status ?? 'nothing')
  }
  let last: Promise<unknown> = Promise.resolve()
  const middle = (next: (args: object) => Promise<unknown>) => (args: { input: object }) => {
    const key = rowOf(args.input)
    if (!key) return next(args)
    const watched = last.then(async () => {
      const before = await statusOf(key)
      try {
        return await next(args)
      } finally {
        const after = await statusOf(key)
        // What cleanup removes has no state any more.
        if (before !== after && after !== 'nothing') moves.add(`${before} → ${after}`)
      }
    })
    last = watched.catch(() => undefined)
    return watched
  }
  Table.documents().middlewareStack.add(middle as never, {
    step: 'initialize',
    name: 'moves',
    priority: 'low',
  })
  return moves
}

/** The conversation row that a request writes, if it writes one. */
function rowOf(input: object): Key | undefined {
  const { TransactItems, Key, Item } = input as { TransactItems?: Record<string, Write>[] } & Write
  const writes = TransactItems?.flatMap((write) => [write.Update, write.Put]) ?? [{ Key, Item } as Write]
  return writes.map((write) => write?.Key ?? write?.Item).find((key) => key?.sk === 'conversation')
}
