import { SendMessageCommand, type SendMessageCommandInput, SQSClient } from '@aws-sdk/client-sqs'
import { ask as askTable, type Step } from './table.ts'

/** The floor of a function that needs table and queue. */

const endpoint = process.env.SQS_ENDPOINT
const queueClient = new SQSClient({
  region: process.env.AWS_REGION ?? '',
  ...(endpoint && { endpoint, useQueueUrlAsEndpoint: false }),
})

/** Makes one request to the table or the queue. */
export function ask(step: Step): Promise<unknown> {
  if (step.service === 'dynamodb') return askTable(step)
  return queueClient.send(new SendMessageCommand(step.input as unknown as SendMessageCommandInput))
}

export async function handler({ steps }: { steps: Step[] }): Promise<{ statusCode: number; body: string }> {
  const answers: unknown[] = []
  for (const step of steps) answers.push(await ask(step))
  return { statusCode: 200, body: JSON.stringify(answers) }
}
