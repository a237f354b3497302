import { CreateTableCommand, DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { indexes } from '../../core/base/aws/indexes.ts'

const attribute = (name: string) => ({ AttributeName: name, AttributeType: 'S' as const })
const keys = (pk: string, sk: string) => [
  { AttributeName: pk, KeyType: 'HASH' as const },
  { AttributeName: sk, KeyType: 'RANGE' as const },
]

/** Creates the chat table with its indexes where it does not exist yet; the deployed twin is in `infra/table.ts`. */
export async function createChatTable(client: DynamoDBClient, name: string): Promise<void> {
  const all = Object.values(indexes)
  await create(
    client,
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk', ...all.flatMap((index) => [index.pk, index.sk])].map(attribute),
      KeySchema: keys('pk', 'sk'),
      GlobalSecondaryIndexes: all.map((index) => ({
        IndexName: index.name,
        KeySchema: keys(index.pk, index.sk),
        Projection: { ProjectionType: 'KEYS_ONLY' as const },
      })),
    }),
  )
}

/** Creates the reference CMS's table where it does not exist yet. */
export async function createCmsTable(client: DynamoDBClient, name: string): Promise<void> {
  await create(
    client,
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk'].map(attribute),
      KeySchema: keys('pk', 'sk'),
    }),
  )
}

async function create(client: DynamoDBClient, command: CreateTableCommand): Promise<void> {
  try {
    await client.send(command)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ResourceInUseException') throw error
    await client.send(new DescribeTableCommand({ TableName: command.input.TableName }))
  }
}
