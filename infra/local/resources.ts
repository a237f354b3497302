import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { indexes } from '../../core/base/aws/indexes.ts'
import { createQueues } from './queue.ts'

/** The clients with which the stage itself calls the emulators. */
export type Clients = { dynamo: DynamoDBClient; sqs: SQSClient; s3: S3Client }

/** Returns clients from the environment of the functions. */
export function connect(env: Record<string, string>): Clients {
  const shared = {
    region: env.AWS_REGION ?? '',
    credentials: {
      accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
    },
  }
  return {
    dynamo: new DynamoDBClient({ ...shared, endpoint: env.DYNAMODB_ENDPOINT ?? '' }),
    sqs: new SQSClient({ ...shared, endpoint: env.SQS_ENDPOINT ?? '', useQueueUrlAsEndpoint: false }),
    s3: new S3Client({ ...shared, endpoint: env.S3_ENDPOINT ?? '', forcePathStyle: true }),
  }
}

/** Creates tables, bucket and queues if they do not exist yet. */
export async function createResources(clients: Clients, env: Record<string, string>): Promise<void> {
  const { dynamo, sqs, s3 } = clients
  await Promise.all([
    createChatTable(dynamo, env.AI_CHAT_TABLE ?? ''),
    createCmsTable(dynamo, env.AI_CHAT_CMS_TABLE ?? ''),
    unlessThere(
      s3.send(new CreateBucketCommand({ Bucket: env.AI_CHAT_BUCKET ?? '' })),
      /^Bucket(AlreadyOwnedByYou|AlreadyExists)$/,
    ),
    createQueues(sqs, env.AI_CHAT_QUEUE_URL ?? '', env.AI_CHAT_DLQ_URL ?? ''),
  ])
}

const attribute = (name: string) => ({ AttributeName: name, AttributeType: 'S' as const })
const keys = (pk: string, sk: string) => [
  { AttributeName: pk, KeyType: 'HASH' as const },
  { AttributeName: sk, KeyType: 'RANGE' as const },
]

/** Creates the chat table with its indexes if it does not exist yet; `infra/table.ts` defines the deployed table. */
export const createChatTable = (client: DynamoDBClient, name: string): Promise<void> =>
  createTable(client, name, Object.values(indexes))

/** Creates the reference CMS's table if it does not exist yet. */
export const createCmsTable = (client: DynamoDBClient, name: string): Promise<void> =>
  createTable(client, name, [])

function createTable(
  client: DynamoDBClient,
  name: string,
  list: { name: string; pk: string; sk: string }[],
): Promise<void> {
  const command = new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', ...list.flatMap(({ pk, sk }) => [pk, sk])].map(attribute),
    KeySchema: keys('pk', 'sk'),
    ...(list.length > 0 && {
      GlobalSecondaryIndexes: list.map((index) => ({
        IndexName: index.name,
        KeySchema: keys(index.pk, index.sk),
        Projection: { ProjectionType: 'KEYS_ONLY' as const },
      })),
    }),
  })
  return unlessThere(client.send(command), /^ResourceInUseException$/)
}

/** Waits for the creation of a resource. Ignores an error whose name says that the resource exists. */
async function unlessThere(creation: Promise<unknown>, existing: RegExp): Promise<void> {
  await creation.catch((error: Error) => {
    if (!existing.test(error.name)) throw error
  })
}
