import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb'

/**
 * Removes what has expired, as DynamoDB's time to live does within days and the emulator never. Nothing relies on it,
 * since expiry is checked on read; it keeps the folder small. An item whose expiry was moved meanwhile stays.
 */
export async function removeExpired(client: DynamoDBClient, table: string, now: number): Promise<void> {
  const condition = {
    TableName: table,
    ExpressionAttributeValues: { ':now': { N: String(Math.floor(now / 1000)) } },
  }
  const expired = paginateScan(
    { client },
    { ...condition, FilterExpression: 'expires_at < :now', ProjectionExpression: 'pk, sk' },
  )
  for await (const { Items = [] } of expired) {
    for (const Key of Items) await removeUnlessMoved(client, { ...condition, Key })
  }
}

type Condition = {
  TableName: string
  Key: Record<string, AttributeValue>
  ExpressionAttributeValues: Record<string, AttributeValue>
}

async function removeUnlessMoved(client: DynamoDBClient, item: Condition): Promise<void> {
  try {
    await client.send(new DeleteItemCommand({ ...item, ConditionExpression: 'expires_at < :now' }))
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error
  }
}
