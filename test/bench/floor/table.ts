import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'

/**
 * The floor of a function that only uses the table. It makes the same requests in sequence with an SDK client, and
 * returns the rows as JSON.
 */

const commands = {
  BatchGetItem: BatchGetCommand,
  PutItem: PutCommand,
  Query: QueryCommand,
  TransactWriteItems: TransactWriteCommand,
  UpdateItem: UpdateCommand,
} as unknown as Record<string, new (input: object) => BatchGetCommand>

const endpoint = process.env.DYNAMODB_ENDPOINT
const tableClient = DynamoDBDocumentClient.from(
  new DynamoDBClient({ region: process.env.AWS_REGION ?? '', ...(endpoint && { endpoint }), maxAttempts: 1 }),
  { marshallOptions: { removeUndefinedValues: true } },
)

/** Makes one request to the table. Returns undefined for a write whose condition no longer holds. */
export async function ask({ operation, input }: Step): Promise<unknown> {
  const Command = commands[operation]
  if (!Command) throw new Error(`The floor has no ${operation}`)
  try {
    return await tableClient.send(new Command(input))
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined
    throw error
  }
}

/** A handler that makes the requests of its event one after the other, and returns their answers. */
export const inSequence =
  (ask: (step: Step) => Promise<unknown>) =>
  async ({ steps }: { steps: Step[] }): Promise<{ statusCode: number; body: string }> => {
    const answers: unknown[] = []
    for (const step of steps) answers.push(await ask(step))
    return { statusCode: 200, body: JSON.stringify(answers) }
  }

export const handler = inSequence(ask)

/** One request of a floor: the command's name, and its input. */
export type Step = { service: 'dynamodb' | 'sqs'; operation: string; input: Record<string, unknown> }
