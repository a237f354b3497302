import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { removeExpired } from '../../../infra/local/dynamo.ts'

const TableName = process.env.AI_CHAT_TABLE as string
const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT as string })

test('what has expired is removed, everything else stays', async () => {
  const put = (sk: string, expiry?: number) =>
    client.send(
      new PutItemCommand({
        TableName,
        Item: { pk: { S: 'p' }, sk: { S: sk }, ...(expiry && { expires_at: { N: String(expiry) } }) },
      }),
    )
  await Promise.all([put('expired', 999), put('this second', 1000), put('later', 1001), put('for ever')])

  await removeExpired(client, TableName, 1_000_500)

  const { Items } = await client.send(new ScanCommand({ TableName }))
  expect(Items?.map(({ sk }) => sk?.S)).toEqual(['for ever', 'later', 'this second'])
})
